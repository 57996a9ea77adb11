"""Which surface an effector touches."""

from __future__ import annotations

import numpy as np

from handhold.perception.surface import Surface

NEAR = 0.10
"""Distance from a surface within which an effector that touches something touches it [m]."""

FACING = 0.7
"""Least cosine of the angle between a surface's normal and the effector's own [-]: 45 degrees."""


def find_normal(pose: np.ndarray, surfaces: tuple[Surface, ...]) -> np.ndarray:
    """Return the outward normal of the surface under an effector in world, unit, shape ``(3,)``.

    Args:
        pose: Pose of the effector's contact frame in world, z away from the surface, shape ``(4, 4)``.
        surfaces: What is known of the surroundings; where none is near and faces the effector its own z axis is returned.
    """
    best, normal = NEAR, pose[:3, 2]
    for surface in surfaces:
        local = np.linalg.inv(surface.pose) @ pose[:, 3]
        faces = float(surface.pose[:3, 2] @ pose[:3, 2]) > FACING
        if faces and abs(local[2]) < best and is_inside(local[:2], surface.boundary):
            best, normal = abs(float(local[2])), surface.pose[:3, 2]
    return np.array(normal)


def is_inside(point: np.ndarray, boundary: np.ndarray) -> bool:
    """Whether a point, shape ``(2,)``, lies in a polygon, counter-clockwise or not, shape ``(k, 2)`` (even-odd rule)."""
    following = np.roll(boundary, -1, axis=0)
    crosses = (boundary[:, 1] > point[1]) != (following[:, 1] > point[1])
    height = following[crosses, 1] - boundary[crosses, 1]
    share = (point[1] - boundary[crosses, 1]) / height
    x = boundary[crosses, 0] + share * (following[crosses, 0] - boundary[crosses, 0])
    return bool(np.count_nonzero(x > point[0]) % 2)
