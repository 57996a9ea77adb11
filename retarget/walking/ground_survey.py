"""What is known of the ground at points seen from above: heights, owners, and what is in the way; compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.surface import Surface
from handhold.robots.polygon import is_inside

MOST_CLIMB = 0.08
"""Largest height over or under the other foot on which one stands [m]."""

COVER = 1.0
"""Height over the ground up to which what lies over it keeps a robot's legs from standing there [m]."""

UNEVEN = 0.015
"""Largest difference in height of what lies under a sole that is no edge to it [m]."""

OUT = 6
"""Steps of a way on which a sole that is barred where it is may still be so [-]: of 5 cm each: more than its length."""


PackedSurfaces = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Surfaces for compiled code, as ``pack_surfaces`` returns them."""


def pack_surfaces(surfaces: tuple[Surface, ...]) -> PackedSurfaces:
    """Return what compiled code needs of surfaces that are seen from above.

    Returns:
        a, b, c of each one's plane z = a x + b y + c, shape ``(surfaces, 3)``; the corners of all, one after the other, shape
        ``(corners, 2)`` [m]; where those of each end, shape ``(surfaces,)``; least x and y, largest x and y of each, shape
        ``(surfaces, 4)`` [m].
    """
    shadows = [surface.pose[:2, 3] + surface.boundary @ surface.pose[:2, :2].T for surface in surfaces]
    return (
        np.array([_describe_plane(surface) for surface in surfaces]).reshape(-1, 3),
        np.vstack([np.zeros((0, 2)), *shadows]),
        np.cumsum([len(shadow) for shadow in shadows], dtype=np.int64),
        np.array([[*shadow.min(axis=0), *shadow.max(axis=0)] for shadow in shadows]).reshape(-1, 4),
    )


def _describe_plane(surface: Surface) -> tuple[float, float, float]:
    """Return a, b, c of a surface's plane z = a x + b y + c."""
    x, y, z = surface.pose[:3, 2]
    return -x / z, -y / z, float(surface.pose[:3, 2] @ surface.pose[:3, 3]) / z


@njit(cache=True)
def survey(points: np.ndarray, height: float, packed: PackedSurfaces) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Find what is known of the ground at points seen from above.

    Args:
        points: Shape ``(k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.

    Returns:
        Height of the highest surface one can step on at each point [m], -inf for none; which that is, -1 for none; whether
        there is only what lies too low; whether something lies higher that is in the way.
    """
    heights, owners = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
    lower, high = np.empty(len(points), dtype=np.bool_), np.empty(len(points), dtype=np.bool_)
    for k in range(len(points)):
        heights[k], owners[k], lower[k], high[k] = survey_point(points[k, 0], points[k, 1], height, packed)
    return heights, owners, lower, high


@njit(cache=True)
def survey_point(x: float, y: float, height: float, packed: PackedSurfaces) -> tuple[float, int, bool, bool]:
    """Find what is known of the ground at one point (see ``survey``)."""
    planes, corners, ends, boxes = packed
    highest, owner, lower, high = -np.inf, -1, False, False
    for surface in range(len(planes)):
        box = boxes[surface]
        if x < box[0] or y < box[1] or x > box[2] or y > box[3]:
            continue
        if not is_inside(x, y, corners[ends[surface - 1] if surface else 0 : ends[surface]]):
            continue
        z = planes[surface, 0] * x + planes[surface, 1] * y + planes[surface, 2]
        lower |= z - height <= -MOST_CLIMB
        high |= MOST_CLIMB <= z - height < COVER
        if abs(z - height) < MOST_CLIMB and z > highest:
            highest, owner = z, surface
    return highest, owner, lower and owner < 0, high


@njit(cache=True)
def find_even(points: np.ndarray, height: float, packed: PackedSurfaces) -> int:
    """Find the first place of a sole that is on no edge, -1 for none (see ``GroundMap.find_even``).

    Args:
        points: Of the sole at every place, shape ``(places, k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    for place in range(len(points)):
        heights, owners, deep, high = survey(points[place], height, packed)
        if deep.any() or high.any():
            continue
        least, most = np.inf, -np.inf
        for z in heights:
            if z > -np.inf:
                least, most = min(least, z), max(most, z)
        if (owners == owners[0]).all() or most - least <= UNEVEN:
            return place
    return -1


@njit(cache=True)
def count_free(points: np.ndarray, height: float, packed: PackedSurfaces) -> int:
    """Count the steps of a way before the first on which a sole finds no ground (see ``GroundMap.count_free``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    steps, soles = points.shape[:2]
    free = steps
    for sole in range(soles):
        ground, out = height, False
        for step in range(min(steps, free)):
            heights, _, deep, high = survey(points[step, sole], ground, packed)
            barred = deep.any() or high.any()
            if step == 0:
                out = not barred
            if barred and (out or step >= OUT):
                free = step
                break
            out = out or not barred
            if not barred and heights[0] > -np.inf:
                ground = heights[0]
        if not out:
            free = min(free, 1)
    return free


@njit(cache=True)
def measure_relief(points: np.ndarray, height: float, packed: PackedSurfaces) -> float:
    """Measure the difference in height of the ground on a way (see ``GroundMap.measure_relief``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    steps, soles = points.shape[:2]
    least = most = height
    for sole in range(soles):
        ground = height
        for step in range(steps):
            heights, _, _, _ = survey(points[step, sole], ground, packed)
            for z in heights:
                if z > -np.inf:
                    least, most = min(least, z), max(most, z)
            if heights[0] > -np.inf:
                ground = heights[0]
    return most - least
