"""Places on a surface: points that keep a distance from its boundary, which may have concavities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.robots.polygon import compute_distance_inside, find_nearest_on_boundary

PUSHES = 8
"""How often a point is pushed off a side: off two that make a sharp corner it takes several."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Place:
    """Where the middle of a hand's ball is to be, and which way its back is to point.

    Attributes:
        position: In world, shape ``(3,)`` [m].
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
    """

    position: np.ndarray
    normal: np.ndarray


@njit(cache=True)
def push_inside(point: np.ndarray, boundary: np.ndarray, inset: float) -> np.ndarray:
    """Push a point off the sides of a polygon that it is too near to or beyond, shape ``(2,)`` [m].

    It slides along them. Where it lands between more sides than it can keep clear of it is too near to them still.

    Args:
        point: Shape ``(2,)`` [m].
        boundary: Polygon, shape ``(k, 2)`` [m].
        inset: Distance to keep from its sides [m].
    """
    x, y = point
    for _ in range(PUSHES):
        clearance = compute_distance_inside(x, y, boundary)
        if clearance >= inset or clearance == 0.0:
            break
        side_x, side_y = find_nearest_on_boundary(x, y, boundary)
        scale = inset / clearance
        x, y = side_x + scale * (x - side_x), side_y + scale * (y - side_y)
    return np.array([x, y])


@njit(cache=True)
def list_places(boundary: np.ndarray, inset: float, middle: np.ndarray, radius: float, pitch: float) -> np.ndarray:
    """List the points of a square grid about a middle that keep clear of a polygon's boundary, shape ``(m, 2)`` [m].

    Args:
        boundary: Polygon, shape ``(k, 2)`` [m].
        inset: Distance that they keep from its sides [m].
        middle: Shape ``(2,)`` [m]; the grid has a point there.
        radius: How far from there they are at most [m].
        pitch: Distance of neighbours [m]; what is narrower than that along x or y has one row, in the middle of it.
    """
    rows = []
    for axis in range(2):
        low = max(boundary[:, axis].min() + inset, middle[axis] - radius)
        high = min(boundary[:, axis].max() - inset, middle[axis] + radius)
        if low > high:
            return np.empty((0, 2))
        if high - low < pitch:
            rows.append(np.array([0.5 * (low + high)]))
        else:
            first, last = math.ceil((low - middle[axis]) / pitch), math.floor((high - middle[axis]) / pitch)
            rows.append(middle[axis] + pitch * np.arange(first, last + 1))
    found = np.empty((len(rows[0]) * len(rows[1]), 2))
    number = 0
    for x in rows[0]:
        for y in rows[1]:
            if math.hypot(x - middle[0], y - middle[1]) <= radius and compute_distance_inside(x, y, boundary) >= inset:
                found[number] = x, y
                number += 1
    return found[:number].copy()
