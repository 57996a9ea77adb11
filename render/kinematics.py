r"""Poses of all joints of a robot, compiled: a robot is drawn up to three times a frame (measured, reference, preview).

.. math:: T_i = T_{p(i)}\, P_i\, J_i(q_i), \qquad
    J_i = \begin{cases} \exp([a_i]_\times q_i) & \text{revolute (Rodrigues)} \\ a_i q_i & \text{prismatic} \end{cases}

with the parent :math:`p(i)`, the joint's placement :math:`P_i` in it and its axis :math:`a_i`; joint 1 is the free base.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.model import RobotModel

FREE, REVOLUTE, PRISMATIC = 0, 1, 2
"""Kinds of joints."""


class JointPoses:
    """Forward kinematics of one robot."""

    def __init__(self, model: RobotModel) -> None:
        """Take the robot's joints out of its model."""
        joints = model.pinocchio
        self._parents = np.array(list(joints.parents), dtype=np.int64)
        self._placements = np.array([placement.homogeneous for placement in joints.jointPlacements])
        self._kinds, self._axes = _describe(joints)
        self._first = np.array([joint.idx_q for joint in joints.joints], dtype=np.int64)

    def compute(self, q: np.ndarray) -> np.ndarray:
        """Compute the poses of all joints in world at a configuration, shape ``(nq,)``, as ``(joints, 4, 4)``, float32."""
        poses = np.empty((len(self._parents), 4, 4))
        # a copy: what comes from the link may not be written to, which would be another type to compile for
        _compute(np.array(q, dtype=np.float64), self._parents, self._placements, self._kinds, self._axes, self._first, poses)
        return poses.astype(np.float32)


def _describe(model: pin.Model) -> tuple[np.ndarray, np.ndarray]:
    """Return the kinds of all joints, shape ``(joints,)``, and their axes in their own frames, shape ``(joints, 3)``."""
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    kinds, axes = np.full(model.njoints, FREE), np.zeros((model.njoints, 3))
    for number, joint in enumerate(model.joints):
        if joint.nq != 1:  # the world, which does not move, and the free base
            continue
        motion = pin.getJointJacobian(model, data, number, pin.LOCAL)[:, joint.idx_v]
        kinds[number] = REVOLUTE if np.any(motion[3:]) else PRISMATIC
        axes[number] = motion[3:] if np.any(motion[3:]) else motion[:3]
    return kinds, axes


@njit(cache=True)
def _compute(
    q: np.ndarray,
    parents: np.ndarray,
    placements: np.ndarray,
    kinds: np.ndarray,
    axes: np.ndarray,
    first: np.ndarray,
    poses: np.ndarray,
) -> None:
    poses[0] = np.eye(4)
    own = np.zeros((4, 4))
    own[3, 3] = 1.0
    for joint in range(1, len(parents)):
        k = first[joint]
        if kinds[joint] == FREE:
            _turn_by_quaternion(q[k + 3 : k + 7], own)
            own[:3, 3] = q[k : k + 3]
        elif kinds[joint] == REVOLUTE:
            _turn_about(axes[joint], q[k], own)
            own[:3, 3] = 0.0
        else:
            own[:3, :3] = np.eye(3)
            own[:3, 3] = axes[joint] * q[k]
        _place(poses[parents[joint]], placements[joint], own, poses[joint])


@njit(cache=True)
def _turn_by_quaternion(quat_xyzw: np.ndarray, out: np.ndarray) -> None:
    x, y, z, w = quat_xyzw
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)


@njit(cache=True)
def _turn_about(axis: np.ndarray, angle: float, out: np.ndarray) -> None:
    x, y, z = axis
    c, s = np.cos(angle), np.sin(angle)
    d = 1.0 - c
    out[0, 0], out[0, 1], out[0, 2] = c + d * x * x, d * x * y - s * z, d * x * z + s * y
    out[1, 0], out[1, 1], out[1, 2] = d * x * y + s * z, c + d * y * y, d * y * z - s * x
    out[2, 0], out[2, 1], out[2, 2] = d * x * z - s * y, d * y * z + s * x, c + d * z * z


@njit(cache=True)
def _place(parent: np.ndarray, placement: np.ndarray, own: np.ndarray, out: np.ndarray) -> None:
    """Write ``parent @ placement @ own``."""
    for i in range(3):
        a = parent[i, 0] * placement[0, 0] + parent[i, 1] * placement[1, 0] + parent[i, 2] * placement[2, 0]
        b = parent[i, 0] * placement[0, 1] + parent[i, 1] * placement[1, 1] + parent[i, 2] * placement[2, 1]
        c = parent[i, 0] * placement[0, 2] + parent[i, 1] * placement[1, 2] + parent[i, 2] * placement[2, 2]
        d = parent[i, 3]
        d += parent[i, 0] * placement[0, 3] + parent[i, 1] * placement[1, 3] + parent[i, 2] * placement[2, 3]
        for k in range(3):
            out[i, k] = a * own[0, k] + b * own[1, k] + c * own[2, k]
        out[i, 3] = a * own[0, 3] + b * own[1, 3] + c * own[2, 3] + d
        out[3, i] = 0.0
    out[3, 3] = 1.0
