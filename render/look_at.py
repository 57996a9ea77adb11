"""The pose of an eye that looks at something."""

from __future__ import annotations

import math

import numpy as np


def look_at(position: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the pose of an upright eye at a position that looks at a point (not straight up or down).

    Args:
        position: Where the eye is, shape ``(3,)`` [m].
        point: What it looks at, likewise.

    Returns:
        The pose, shape ``(4, 4)``: x to where it looks, y to its left, z up.
    """
    x, y, z = (np.asarray(point, dtype=float) - position).tolist()
    distance, level = math.hypot(x, y, z), math.hypot(x, y)
    x, y, z, left_x, left_y = x / distance, y / distance, z / distance, -y / level, x / level
    pose = np.zeros((4, 4))
    pose[:3, :3] = ((x, left_x, -z * left_y), (y, left_y, z * left_x), (z, 0.0, x * left_y - y * left_x))
    pose[:3, 3] = position
    pose[3, 3] = 1.0
    return pose
