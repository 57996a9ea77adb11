"""The stability region of a robot's configuration: what its joints' torques leave of what the contacts allow (eq. 2)."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.contact_points import ContactPoints
from handhold.retarget.bracing.support_region import JointTorques
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel


def compute_joint_torques(
    model: RobotModel, kinematics: EffectorKinematics, q: np.ndarray, bearing: np.ndarray, points: ContactPoints
) -> JointTorques:
    r"""Compute what eq. 2 needs at a configuration: :math:`J_c`, :math:`g(q)` and the torque limits.

    The region it leads to is local: its torques are those of this configuration, though another place of the centre of mass
    would be another configuration.

    Args:
        model: Robot.
        kinematics: At the configuration.
        q: The configuration, shape ``(nq,)``.
        bearing: Which effectors bear, shape ``(effectors,)``, bool.
        points: Their contact points, see ``find_contact_points``.
    """
    effectors = np.flatnonzero(bearing)[points.owners]
    arms = points.positions - kinematics.poses[effectors, :3, 3]
    linear, angular = kinematics.jacobians[effectors, :3, 6:], kinematics.jacobians[effectors, 3:, 6:]
    # The velocity of a point: v + omega x r, a column a joint.
    jacobians = linear - np.cross(arms[:, None], angular.transpose(0, 2, 1)).transpose(0, 2, 1)
    gravity = pin.computeGeneralizedGravity(model.pinocchio, kinematics.data, q)
    return JointTorques(
        jacobians=np.ascontiguousarray(jacobians),
        gravity=gravity[6:].copy(),
        limits=model.torque_limits,
        names=model.joint_names,
    )
