"""The surfaces of a simulated world, as a perfect camera would see them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.perception.surface import Surface
from handhold.robots.worlds import Solid, World

FLOOR = 10.0
"""Half length of the floor that is seen [m]."""

_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def list_surfaces(world: World) -> tuple[Surface, ...]:
    """List the floor and the faces of all boxes that are fixed, numbered in this order."""
    boxes = [solid for solid in world.solids if solid.shape == "box" and solid.mass is None]
    faces = [_describe_face(box, axis, sign) for box in boxes for axis in range(3) for sign in (1.0, -1.0)]
    surfaces = (_make_surface(np.eye(4), (FLOOR, FLOOR)), *faces)
    return tuple(replace(surface, identity=number) for number, surface in enumerate(surfaces, start=1))


def _describe_face(box: Solid, axis: int, sign: float) -> Surface:
    rotation = box.to_se3().rotation
    size = np.array(box.half_size)
    # Columns in the order that makes a right-handed frame with the outward normal.
    first, second = ((axis + 1) % 3, (axis + 2) % 3) if sign > 0.0 else ((axis + 2) % 3, (axis + 1) % 3)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2] = rotation[:, first], rotation[:, second], sign * rotation[:, axis]
    pose[:3, 3] = np.array(box.position) + size[axis] * pose[:3, 2]
    return _make_surface(pose, (float(size[first]), float(size[second])))


def _make_surface(pose: np.ndarray, half_lengths: tuple[float, float]) -> Surface:
    return Surface(
        pose=pose,
        boundary=_CORNERS * half_lengths,
        area=4.0 * half_lengths[0] * half_lengths[1],
        quality=1.0,
        age=0.0,
    )
