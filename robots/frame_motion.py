"""How frames move: their velocities, and the accelerations they have without joint accelerations."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def fill_frame_motion(
    poses: np.ndarray,
    jacobians: np.ndarray,
    placements: np.ndarray,
    v: np.ndarray,
    joints: np.ndarray,
    joint_motions: tuple[np.ndarray, np.ndarray],
    velocities: np.ndarray,
    drifts: np.ndarray,
) -> None:
    r"""Fill the velocities of frames and the accelerations they have without joint accelerations, in world axes.

    A frame at p in its joint has the classical acceleration :math:`a + \dot\omega \times p + \omega \times (v + \omega \times
    p)` in the joint's axes, with the joint's spatial velocity and acceleration :math:`(v, \omega)`, :math:`(a, \dot\omega)`.

    Args:
        poses: Frames in world, shape ``(frames, 4, 4)``.
        jacobians: Their Jacobians with world axes, shape ``(frames, 6, nv)``.
        placements: Frames in their joints, shape ``(frames, 4, 4)``.
        v: Velocity, shape ``(nv,)``.
        joints: Ids of the joints that carry the frames, shape ``(frames,)``.
        joint_motions: Spatial velocities of all joints and their accelerations for zero joint accelerations, in the joints'
            axes, shape ``(joints, 6)`` each.
        velocities: Filled: linear and angular velocities, shape ``(frames, 6)``.
        drifts: Filled: linear and angular accelerations, shape ``(frames, 6)``.
    """
    local = np.zeros(6)
    joint_velocities, joint_accelerations = joint_motions
    for e in range(poses.shape[0]):
        for i in range(6):
            velocities[e, i] = np.dot(jacobians[e, i], v)
        x, y, z = placements[e, 0, 3], placements[e, 1, 3], placements[e, 2, 3]
        vx, vy, vz, wx, wy, wz = joint_velocities[joints[e]]
        ax, ay, az, bx, by, bz = joint_accelerations[joints[e]]
        ux, uy, uz = vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x
        local[0] = ax + by * z - bz * y + wy * uz - wz * uy
        local[1] = ay + bz * x - bx * z + wz * ux - wx * uz
        local[2] = az + bx * y - by * x + wx * uy - wy * ux
        local[3], local[4], local[5] = bx, by, bz
        for half in range(2):
            for i in range(3):
                total = 0.0
                for j in range(3):
                    # The joint's axes in world: the frame's axes times the inverse of its placement's rotation.
                    axis = 0.0
                    for k in range(3):
                        axis += poses[e, i, k] * placements[e, j, k]
                    total += axis * local[3 * half + j]
                drifts[e, 3 * half + i] = total
