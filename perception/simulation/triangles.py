"""Triangles of the shapes that worlds and robots are made of, each with the number of the flat face it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SEGMENTS = 32
"""Flat pieces about a round shape."""


@dataclass(frozen=True, eq=False, slots=True)
class Triangles:
    """Triangles that move together.

    Attributes:
        corners: In the shape's frame, shape ``(triangles, 3, 3)`` [m].
        faces: Face that each is a part of, from 0, shape ``(triangles,)``, int32.
    """

    corners: np.ndarray
    faces: np.ndarray


def make_box(half_size: tuple[float, float, float]) -> Triangles:
    """Make a box; faces in the order -x, +x, -y, +y, -z, +z."""
    corners, faces = [], []
    size = np.array(half_size)
    for axis in range(3):
        for side, sign in enumerate((-1.0, 1.0)):
            middle, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
            middle[axis] = sign * size[axis]
            u[(axis + 1) % 3], v[(axis + 2) % 3] = size[(axis + 1) % 3], size[(axis + 2) % 3]
            a, b, c, d = middle - u - v, middle + u - v, middle + u + v, middle - u + v
            corners += [(a, b, c), (a, c, d)]
            faces += [2 * axis + side] * 2
    return Triangles(np.array(corners), np.array(faces, dtype=np.int32))


def make_cylinder(radius: float, half_length: float) -> Triangles:
    """Make a cylinder along z; its bottom is face 0, its top face 1, its flat pieces are faces of their own."""
    angles = 2.0 * np.pi * np.arange(SEGMENTS + 1) / SEGMENTS
    rim = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(SEGMENTS + 1)], axis=1)
    up = np.array([0.0, 0.0, half_length])
    corners, faces = [], []
    for k in range(SEGMENTS):
        a, b = rim[k], rim[k + 1]
        corners += [(-up, b - up, a - up), (up, a + up, b + up), (a - up, b - up, b + up), (a - up, b + up, a + up)]
        faces += [0, 1, 2 + k, 2 + k]
    return Triangles(np.array(corners), np.array(faces, dtype=np.int32))


def make_capsule(radius: float, half_length: float) -> Triangles:
    """Make a capsule along z, a sphere where ``half_length`` is 0; every triangle is a face of its own."""
    heights, radii = [], []
    for sign in (-1.0, 1.0):
        for latitude in np.linspace(0.0, 0.5 * np.pi, SEGMENTS // 4 + 1)[:: -1 if sign < 0 else 1]:
            heights.append(sign * (half_length + radius * np.sin(latitude)))
            radii.append(radius * np.cos(latitude))
    angles = 2.0 * np.pi * np.arange(SEGMENTS + 1) / SEGMENTS
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = np.array([np.column_stack([r * circle, np.full(len(circle), h)]) for r, h in zip(radii, heights, strict=True)])
    a, b, c, d = rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]
    corners = np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)
    return Triangles(corners, np.arange(len(corners), dtype=np.int32))
