r"""Directions of limbs and axes of elbows, and how they turn with the robot.

.. math::

    d = \frac{p_e - p_s}{l}, \qquad l = \|p_e - p_s\|, \qquad
    \dot d = \frac{1}{l} (1 - d d^T) (J_e - J_s) \dot q
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from handhold.robots.kinematics import EffectorKinematics, find_moving_columns
from handhold.robots.model import RobotModel

_SHORTEST = 1e-6
"""Length under which a limb has no direction [m]."""


class LimbDirections:
    """The directions of some limbs.

    Attributes:
        directions: Unit vectors in world, shape ``(limbs, 3)``.
        jacobians: What moves them, in world axes, shape ``(limbs, 3, nv)``.
    """

    def __init__(self, model: RobotModel, limbs: Sequence[tuple[int, int]]) -> None:
        """Take limbs, each from one joint to another, by Pinocchio's ids."""
        self._limbs = np.array(limbs, dtype=np.int64).reshape(-1, 2)
        moved = [[find_moving_columns(model, joint) for joint in limb] for limb in self._limbs.tolist()]
        self._moved = np.array(moved).reshape(-1, 2, model.nv)
        self.directions = np.zeros((len(limbs), 3))
        self.jacobians = np.zeros((len(limbs), 3, model.nv))

    def update(self, kinematics: EffectorKinematics) -> None:
        """Read a configuration to which the kinematics are updated."""
        jacobian, poses = kinematics.data.J, kinematics.joint_poses
        fill_limbs(jacobian, poses, self._limbs, self._moved, self.directions, self.jacobians)


class HingeAxes:
    r"""The axes about which elbows bend, :math:`a = R\, a_{joint}`, :math:`\dot a = \omega \times a`.

    Attributes:
        directions: Unit vectors in world, such that a turn about them by a positive angle bends the limb, shape ``(k, 3)``.
        jacobians: What turns them, in world axes, shape ``(k, 3, nv)``.
    """

    def __init__(self, model: RobotModel, joints: Sequence[int], axes: np.ndarray) -> None:
        """Take joints by Pinocchio's ids, with their axes in their own frames, shape ``(k, 3)``."""
        self._joints, self._axes = np.array(joints, dtype=np.int64), np.ascontiguousarray(axes)
        self._moved = np.array([find_moving_columns(model, joint) for joint in joints]).reshape(-1, model.nv)
        self.directions = np.zeros((len(joints), 3))
        self.jacobians = np.zeros((len(joints), 3, model.nv))

    def update(self, kinematics: EffectorKinematics) -> None:
        """Read a configuration to which the kinematics are updated."""
        jacobian, poses = kinematics.data.J, kinematics.joint_poses
        fill_hinges(jacobian, poses, self._joints, self._axes, self._moved, self.directions, self.jacobians)


@njit(cache=True)
def fill_limbs(
    jacobian: np.ndarray,
    poses: np.ndarray,
    limbs: np.ndarray,
    moved: np.ndarray,
    directions: np.ndarray,
    jacobians: np.ndarray,
) -> None:
    r"""Fill directions and Jacobians of limbs; a point p moves by :math:`v_0 + \omega \times p` of a column of ``jacobian``.

    Args:
        jacobian: Pinocchio's ``data.J``, shape ``(6, nv)``.
        poses: Poses of all joints, see ``view_joint_poses``.
        limbs: Joints at their ends, shape ``(limbs, 2)``.
        moved: Which columns move either end, shape ``(limbs, 2, nv)``, 0 or 1.
        directions: Filled, shape ``(limbs, 3)``.
        jacobians: Filled, shape ``(limbs, 3, nv)``.
    """
    along, velocity = np.zeros(3), np.zeros(3)
    for k in range(limbs.shape[0]):
        start, end = poses[limbs[k, 0], 3], poses[limbs[k, 1], 3]
        squared = 0.0
        for i in range(3):
            along[i] = end[i] - start[i]
            squared += along[i] ** 2
        length = max(np.sqrt(squared), _SHORTEST)
        for i in range(3):
            directions[k, i] = along[i] / length
        d = directions[k]
        for j in range(jacobian.shape[1]):
            at_end, at_start = moved[k, 1, j], moved[k, 0, j]
            wx, wy, wz = jacobian[3, j], jacobian[4, j], jacobian[5, j]
            x = at_end * end[0] - at_start * start[0]
            y = at_end * end[1] - at_start * start[1]
            z = at_end * end[2] - at_start * start[2]
            both = at_end - at_start
            velocity[0] = both * jacobian[0, j] + wy * z - wz * y
            velocity[1] = both * jacobian[1, j] + wz * x - wx * z
            velocity[2] = both * jacobian[2, j] + wx * y - wy * x
            stretch = d[0] * velocity[0] + d[1] * velocity[1] + d[2] * velocity[2]
            for i in range(3):
                jacobians[k, i, j] = (velocity[i] - stretch * d[i]) / length


@njit(cache=True)
def fill_hinges(
    jacobian: np.ndarray,
    poses: np.ndarray,
    joints: np.ndarray,
    axes: np.ndarray,
    moved: np.ndarray,
    directions: np.ndarray,
    jacobians: np.ndarray,
) -> None:
    """Fill directions and Jacobians of axes; arguments as in ``fill_limbs``, but that each is fixed to one joint.

    Args:
        jacobian: See there.
        poses: See there.
        joints: Joints that carry the axes, shape ``(k,)``.
        axes: In the joints' frames, shape ``(k, 3)``.
        moved: Which columns move each joint, shape ``(k, nv)``, 0 or 1.
        directions: Filled, shape ``(k, 3)``.
        jacobians: Filled, shape ``(k, 3, nv)``.
    """
    for k in range(joints.shape[0]):
        pose = poses[joints[k]]
        for i in range(3):
            directions[k, i] = axes[k, 0] * pose[0, i] + axes[k, 1] * pose[1, i] + axes[k, 2] * pose[2, i]
        x, y, z = directions[k, 0], directions[k, 1], directions[k, 2]
        for j in range(jacobian.shape[1]):
            wx, wy, wz = moved[k, j] * jacobian[3, j], moved[k, j] * jacobian[4, j], moved[k, j] * jacobian[5, j]
            jacobians[k, 0, j] = wy * z - wz * y
            jacobians[k, 1, j] = wz * x - wx * z
            jacobians[k, 2, j] = wx * y - wy * x
