"""Poses and Jacobians of all effectors in one pass, from few pinocchio calls and without an allocation."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses


class EffectorKinematics:
    r"""Poses, Jacobians and their views on a pinocchio ``Data``, refreshed by ``update``.

    Attributes:
        data: Pinocchio's data; its arrays are read through views taken once, because taking one costs as much as using it.
        poses: Poses of the contact frames in world, shape ``(effectors, 4, 4)``, homogeneous; then those of the base and of
            the trunk's frames, if asked for.
        jacobians: Jacobians of the contact frames with world axes at the frame's origin, shape ``(effectors, 6, nv)``:
            :math:`(v, \omega) = J \dot q`, linear rows first.
        joints: Pinocchio's ids of the joints that carry the frames, shape ``(effectors,)``.
        placements: Frames in those joints, shape ``(effectors, 4, 4)``.
        touched_poses: Those poses, then the body's touch points' if asked for; ``poses`` is a view of it.
        touched_jacobians: Likewise the Jacobians.
        touched_placements: Likewise the placements.
        joint_poses: Poses of all joints, see ``view_joint_poses``.
        position_com_in_world: Centre of mass, shape ``(3,)`` [m] (view).
        jacobian_com: Its Jacobian, shape ``(3, nv)`` (view).
    """

    def __init__(self, model: RobotModel, *, with_trunk: bool = False, with_points: bool = False) -> None:
        """Take the views.

        Args:
            model: Robot.
            with_trunk: Whether base and trunk's frames follow the effectors in all arrays.
            with_points: Whether the body's touch points follow all those in the arrays of what is touched.
        """
        self._model = model
        self.data: pin.Data = model.pinocchio.createData()
        joints, placements = list(model.effector_joints), list(model.effector_placements)
        if with_trunk:
            frames = [model.pinocchio.frames[frame] for frame in model.trunk_frames]
            joints += [1, *(frame.parentJoint for frame in frames)]
            placements += [np.eye(4), *(frame.placement.homogeneous for frame in frames)]
        count = len(joints)
        if with_points:
            joints += model.touched_joints[len(model.effectors) :]
            placements += list(model.touched_placements[len(model.effectors) :])
        self._joints, self.touched_placements = np.array(joints), np.stack(placements)
        self.joints, self.placements = self._joints[:count], self.touched_placements[:count]
        self.touched_poses = np.tile(np.eye(4), (len(joints), 1, 1))
        self.touched_jacobians = np.zeros((len(joints), 6, model.nv))
        self.poses, self.jacobians = self.touched_poses[:count], self.touched_jacobians[:count]
        self._joint_jacobians = self.data.J
        self.jacobian_com = self.data.Jcom
        self.position_com_in_world = self.data.com[0]
        self.joint_poses = view_joint_poses(self.data, model.pinocchio.njoints)
        self._columns, self._column_counts = _supporting_columns(model, joints)

    def update(self, q: np.ndarray) -> None:
        """Compute everything at configuration ``q``, shape ``(nq,)``."""
        pin.computeJointJacobians(self._model.pinocchio, self.data, q)
        pin.jacobianCenterOfMass(self._model.pinocchio, self.data, q)
        self.read_data()

    def read_data(self) -> None:
        """Take over poses and Jacobians that pinocchio has just computed in ``data``."""
        fill_effectors(
            self._joint_jacobians,
            self.joint_poses,
            self._joints,
            self.touched_placements,
            self._columns,
            self._column_counts,
            self.touched_poses,
            self.touched_jacobians,
        )


def _supporting_columns(model: RobotModel, joints: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return, an effector a row, the velocity indices of the joints that move it, and how many they are."""
    supports: list[list[int]] = []
    for joint in joints:
        columns = list(range(6))
        for j in model.pinocchio.supports[joint].tolist():
            if j > 1:
                columns.append(model.pinocchio.joints[j].idx_v)
        supports.append(columns)
    counts = np.array([len(columns) for columns in supports])
    padded = np.zeros((len(supports), int(counts.max())), dtype=np.int64)
    for k, columns in enumerate(supports):
        padded[k, : len(columns)] = columns
    return padded, counts


def find_moving_columns(model: RobotModel, joint: int) -> np.ndarray:
    """Return which entries of a velocity move a joint's frame, shape ``(nv,)``, 0 or 1."""
    moved = np.zeros(model.nv)
    for support in model.pinocchio.supports[joint].tolist():
        about: pin.JointModel = model.pinocchio.joints[support]
        moved[about.idx_v : about.idx_v + about.nv] = 1.0
    return moved


@njit(cache=True)
def fill_effectors(
    joint_jacobians: np.ndarray,
    joint_poses: np.ndarray,
    joints: np.ndarray,
    placements: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    poses: np.ndarray,
    jacobians: np.ndarray,
) -> None:
    r"""Fill the effectors' poses and Jacobians from the joints'.

    A column of pinocchio's joint Jacobian is a twist at the world's origin, :math:`(v_0, \omega)`; at the effector's origin p
    it reads :math:`(v_0 + \omega \times p, \omega)`.

    Args:
        joint_jacobians: Pinocchio's ``data.J``, shape ``(6, nv)``.
        joint_poses: Poses of all joints, see ``view_joint_poses``.
        joints: Ids of the carrying joints, shape ``(effectors,)``.
        placements: Contact frames in the joints' frames, shape ``(effectors, 4, 4)``.
        columns: Velocity indices that move each effector, shape ``(effectors, columns)``.
        counts: How many of them count, shape ``(effectors,)``.
        poses: Filled: poses in world, shape ``(effectors, 4, 4)``.
        jacobians: Filled: Jacobians with world axes at the effectors' origins, shape ``(effectors, 6, nv)``.
    """
    for e in range(poses.shape[0]):
        joint = joint_poses[joints[e]]
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += joint[k, i] * placements[e, k, j]
                poses[e, i, j] = total
            total = joint[3, i]
            for k in range(3):
                total += joint[k, i] * placements[e, k, 3]
            poses[e, i, 3] = total
        x, y, z = poses[e, 0, 3], poses[e, 1, 3], poses[e, 2, 3]
        for c in range(counts[e]):
            j = columns[e, c]
            wx, wy, wz = joint_jacobians[3, j], joint_jacobians[4, j], joint_jacobians[5, j]
            jacobians[e, 0, j] = joint_jacobians[0, j] + wy * z - wz * y
            jacobians[e, 1, j] = joint_jacobians[1, j] + wz * x - wx * z
            jacobians[e, 2, j] = joint_jacobians[2, j] + wx * y - wy * x
            jacobians[e, 3, j] = wx
            jacobians[e, 4, j] = wy
            jacobians[e, 5, j] = wz


@njit(cache=True)
def fill_contact_jacobian(
    jacobians: np.ndarray,
    poses: np.ndarray,
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    out: np.ndarray,
) -> None:
    r"""Fill the stacked Jacobian of a stance: six rows a plane contact in its contact frame, three a point in world axes.

    A ball rolls: what is at rest is the point where it touches, at the arm r from its centre, :math:`J_v - [r]_\times
    J_\omega`.

    Args:
        jacobians: Effector Jacobians with world axes, shape ``(all effectors, 6, nv)``.
        poses: Effector poses, shape ``(all effectors, 4, 4)``.
        effectors: Indices of the contacts, plane contacts first, shape ``(contacts,)``.
        planes: Number of plane contacts.
        arms: From the origin of each contact frame to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        out: Filled, shape ``(l, nv)``.
    """
    nv = out.shape[1]
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            for half in range(2):
                for i in range(3):
                    row = 6 * k + 3 * half + i
                    a, b, c = poses[e, 0, i], poses[e, 1, i], poses[e, 2, i]
                    for j in range(nv):
                        out[row, j] = (
                            a * jacobians[e, 3 * half, j]
                            + b * jacobians[e, 3 * half + 1, j]
                            + c * jacobians[e, 3 * half + 2, j]
                        )
        else:
            first = 6 * planes + 3 * (k - planes)
            x, y, z = arms[k]
            for j in range(nv):
                wx, wy, wz = jacobians[e, 3, j], jacobians[e, 4, j], jacobians[e, 5, j]
                out[first, j] = jacobians[e, 0, j] + wy * z - wz * y
                out[first + 1, j] = jacobians[e, 1, j] + wz * x - wx * z
                out[first + 2, j] = jacobians[e, 2, j] + wx * y - wy * x
