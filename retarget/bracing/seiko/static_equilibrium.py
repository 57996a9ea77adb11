r"""The static equilibrium of a configuration under its contact forces, and its derivative [Rouxel2022]_ (eq. 13, 17).

Where others push free effectors or the body, :math:`\lambda` has their forces after those of the contacts, as if of points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.seiko.equilibrium_rows import add_point_force_terms, place_wrenches_in_joints
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import RobotModel


class StaticEquilibrium:
    r"""What is missing to the base's equilibrium, and the joint torques.

    Attributes:
        residual: :math:`G - J^T \lambda`, shape ``(nv,)``: the base's disequilibrium, then the joint torques [N, Nm] (view).
        derivative: :math:`\partial (G - J^T \lambda) / \partial q`, shape ``(nv, nv)``.
    """

    def __init__(self, model: RobotModel, kinematics: EffectorKinematics, stance: Stance) -> None:
        """Begin on a stance, with kinematics that are updated before every use."""
        self._model, self._kinematics = model, kinematics
        self._external = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.pinocchio.njoints)])
        self.residual = kinematics.data.tau
        self.derivative = np.zeros((model.nv, model.nv))
        self.stand_on(stance)

    def stand_on(self, stance: Stance, pushed: Sequence[int] = ()) -> None:
        """Take the views through which wrenches reach pinocchio, of contacts and of what is pushed.

        One foot, hand or touch point a joint.
        """
        effectors = (*stance.effectors, *pushed)
        self._stance, self._effectors = stance, np.array(effectors)
        self._arms = np.vstack([stance.arms, np.zeros((len(pushed), 3))])
        for force in self._external:
            force.setZero()
        loaded = [self._external[self._model.touched_joints[effector]] for effector in effectors]
        self._external_views = [(force.linear, force.angular) for force in loaded]
        self._joint_wrenches = np.zeros((len(loaded), 6))

    def update(self, q: np.ndarray, wrenches: np.ndarray) -> None:
        """Compute it at configuration ``q``, shape ``(nq,)``, under stacked wrenches, shape ``(l + 3 pushed,)``."""
        kinematics, stance = self._kinematics, self._stance
        place_wrenches_in_joints(
            wrenches,
            self._effectors,
            stance.planes,
            self._arms,
            kinematics.touched_poses,
            kinematics.touched_placements,
            self._joint_wrenches,
        )
        for (force, moment), wrench in zip(self._external_views, self._joint_wrenches, strict=True):
            force[:] = wrench[:3]
            moment[:] = wrench[3:]
        self.derivative[:] = pin.computeStaticTorqueDerivatives(self._model.pinocchio, kinematics.data, q, self._external)
        jacobians = kinematics.touched_jacobians
        add_point_force_terms(self.derivative, wrenches, self._effectors, stance.planes, self._arms, jacobians)

    def distribute_weight(self, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the smallest wrenches, in a norm of weights of shape ``(l,)``, that balance the base; shape ``(l,)``."""
        kinematics, stance = self._kinematics, self._stance
        gravity = pin.computeGeneralizedGravity(self._model.pinocchio, kinematics.data, q)[:6]
        jacobian = np.zeros((stance.size, self._model.nv))
        contacts = np.array(stance.effectors)
        fill_contact_jacobian(kinematics.jacobians, kinematics.poses, contacts, stance.planes, stance.arms, jacobian)
        spread = 1.0 / np.sqrt(weights)
        return spread * (np.linalg.pinv(jacobian[:, :6].T * spread) @ gravity)
