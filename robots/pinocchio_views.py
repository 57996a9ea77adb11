"""Views on what pinocchio keeps of all joints, in its own memory: one view in place of several a joint saves some us a cycle.

They live as long as the ``Data`` does, and show what was computed last.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin


def view_joint_poses(data: pin.Data, joints: int) -> np.ndarray:
    """View the poses of all joints in world, shape ``(joints, 4, 3)``: three axes, then the origin [m]."""
    first = data.oMi[0].rotation
    size = data.oMi[1].rotation.ctypes.data - first.ctypes.data
    last = data.oMi[joints - 1].translation.ctypes.data
    # Pinocchio keeps the poses one after the other, columns first.
    assert first.strides == (8, 24), "pinocchio's rotations are no longer stored by columns"
    assert last == first.ctypes.data + (joints - 1) * size + 72, "pinocchio's poses no longer lie one after the other"
    poses: np.ndarray = np.lib.stride_tricks.as_strided(first, shape=(joints, 4, 3), strides=(size, 24, 8))
    return poses


def view_joint_motions(motions: pin.StdVec_Motion, joints: int) -> np.ndarray:
    """View a spatial motion of all joints (``data.v``, ``data.a``) in their own axes, linear first, shape ``(joints, 6)``."""
    first = motions[0].linear
    size = motions[1].linear.ctypes.data - first.ctypes.data
    last = motions[joints - 1].angular.ctypes.data
    assert motions[0].angular.ctypes.data == first.ctypes.data + 24, "pinocchio's motions no longer begin with the linear part"
    assert last == first.ctypes.data + (joints - 1) * size + 24, "pinocchio's motions no longer lie one after the other"
    shown: np.ndarray = np.lib.stride_tricks.as_strided(first, shape=(joints, 6), strides=(size, 8))
    return shown
