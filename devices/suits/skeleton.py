"""Which segment hangs on which, and where the next joint lies in a T-pose."""

from __future__ import annotations

import numpy as np

from handhold.devices.tracked_human import Segment, TrackedHuman

PARENTS = (-1, 0, 1, 2, 3, 4, 5, 4, 7, 8, 9, 4, 11, 12, 13, 0, 15, 16, 17, 0, 19, 20, 21)
"""Segment on which each one hangs, by the number of the segment; -1 for the pelvis."""

SEGMENT_TITLES = (
    *("Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"),
    *("RightShoulder", "RightUpperArm", "RightForeArm", "RightHand"),
    *("LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand"),
    *("RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToe"),
    *("LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToe"),
)
"""Names of the segments as MVN writes them."""

_LEFT, _RIGHT, _UP, _DOWN = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
_NECK_AHEAD, _FOOT_AHEAD = (0.42, 0.0, 0.91), (0.91, 0.0, -0.42)

T_POSE_DIRECTIONS: dict[Segment, tuple[float, float, float]] = {
    Segment.PELVIS: _UP,
    Segment.L5: _UP,
    Segment.L3: _UP,
    Segment.T12: _UP,
    Segment.T8: _UP,
    Segment.NECK: _NECK_AHEAD,
    Segment.HEAD: _UP,
    Segment.RIGHT_SHOULDER: _RIGHT,
    Segment.RIGHT_UPPER_ARM: _RIGHT,
    Segment.RIGHT_FOREARM: _RIGHT,
    Segment.RIGHT_HAND: _RIGHT,
    Segment.LEFT_SHOULDER: _LEFT,
    Segment.LEFT_UPPER_ARM: _LEFT,
    Segment.LEFT_FOREARM: _LEFT,
    Segment.LEFT_HAND: _LEFT,
    Segment.RIGHT_UPPER_LEG: _DOWN,
    Segment.RIGHT_LOWER_LEG: _DOWN,
    Segment.RIGHT_FOOT: _FOOT_AHEAD,
    Segment.LEFT_UPPER_LEG: _DOWN,
    Segment.LEFT_LOWER_LEG: _DOWN,
    Segment.LEFT_FOOT: _FOOT_AHEAD,
}
"""Where the next joint lies from a segment's origin in a T-pose, in the segment's axes; nearly of unit length.

A neck leans forward by about 25 degrees, and the ball of a foot lies as much below the ankle.
"""

ROTATION_TOLERANCE = 0.02
"""How far from 1 the length of a quaternion may be that is taken for a rotation: single precision, and what rounds."""


def find_parent(segment: int, tracked: np.ndarray) -> int:
    """Return the next segment towards the pelvis that is tracked, or -1 where there is none."""
    parent = PARENTS[segment]
    while parent >= 0 and not tracked[parent]:
        parent = PARENTS[parent]
    return parent


def find_t_pose(human: TrackedHuman) -> np.ndarray:
    """Return where the origins of a person's segments would be in a T-pose, shape ``(23, 3)`` [m].

    In a T-pose all axes are the room's, so that a child lies ``R_parent^T (p_child - p_parent)`` from its parent, with the
    positions and rotations of any posture. The pelvis lies above the room's origin, as high as it is; rows of segments that
    are not tracked are zeros.
    """
    matrices = to_matrices(human.orientations)
    t_pose = np.zeros((len(Segment), 3))
    for segment in np.flatnonzero(human.tracked):
        parent = find_parent(int(segment), human.tracked)
        if parent < 0:
            t_pose[segment] = (0.0, 0.0, human.positions[segment, 2])
        else:
            t_pose[segment] = t_pose[parent] + matrices[parent].T @ (human.positions[segment] - human.positions[parent])
    return t_pose


def to_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of unit quaternions (x, y, z, w), shape ``(..., 3, 3)``."""
    x, y, z, w = np.moveaxis(np.asarray(quaternions, dtype=float), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def multiply(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the products of quaternions (x, y, z, w): of the rotations, the second one is applied first."""
    a, b = first[..., :3], second[..., :3]
    real, other = first[..., 3:], second[..., 3:]
    vector = real * b + other * a + np.cross(a, b)
    return np.concatenate([vector, real * other - np.sum(a * b, axis=-1, keepdims=True)], axis=-1)


def conjugate(quaternions: np.ndarray) -> np.ndarray:
    """Return the inverses of unit quaternions (x, y, z, w)."""
    return quaternions * np.array([-1.0, -1.0, -1.0, 1.0])


def rotate(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors turned by unit quaternions (x, y, z, w)."""
    axis, real = quaternions[..., :3], quaternions[..., 3:]
    once = 2.0 * np.cross(axis, vectors)
    return vectors + real * once + np.cross(axis, once)


def turn_shortest(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the unit quaternions (x, y, z, w) of the shortest turns of unit vectors onto others.

    Vectors that point opposite ways turn about any axis that is square to them.
    """
    real = 1.0 + np.sum(start * end, axis=-1, keepdims=True)
    axis = np.cross(start, end)
    opposite = real < 1e-9
    flat = np.abs(start[..., :1]) < 0.9
    square = np.cross(start, np.where(flat, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])))
    quaternion = np.concatenate([np.where(opposite, square, axis), np.where(opposite, 0.0, real)], axis=-1)
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def join_in_time(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions of the same rotations whose signs do not change from row to row, along the first axis."""
    turns = np.sum(quaternions[1:] * quaternions[:-1], axis=-1, keepdims=True) < 0.0
    signs = np.where(np.cumsum(turns, axis=0) % 2 == 1, -1.0, 1.0)
    return np.concatenate([quaternions[:1], signs * quaternions[1:]])
