"""What is known of the ground at points seen from above: heights, owners, and what is in the way; compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.surface import Surface

MAX_CLIMB = 0.08
"""Largest height over or under the other foot on which one stands [m]."""

HEADROOM = 1.0
"""Height over the ground up to which what lies over it keeps a robot's legs from standing there [m]."""

MAX_UNEVENNESS = 0.015
"""Largest difference in height of what lies under a sole that is no edge to it [m]."""

MAX_BARRED_STEPS = 6
"""Steps of a path on which a sole that is barred where it is may still be so [-]: of 5 cm each: more than its length."""


PackedSurfaces = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Surfaces for compiled code, as ``pack_surfaces`` returns them."""

Survey = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""What ``survey`` returns."""


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
        np.array([_is_convex(shadow) for shadow in shadows], dtype=np.bool_),
    )


def _is_convex(corners: np.ndarray) -> bool:
    """Whether a polygon, shape ``(k, 2)``, has no corner that points inwards."""
    sides = np.roll(corners, -1, axis=0) - corners
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    return bool((turns >= 0.0).all() or (turns <= 0.0).all())


def _describe_plane(surface: Surface) -> tuple[float, float, float]:
    """Return a, b, c of a surface's plane z = a x + b y + c."""
    x, y, z = surface.pose[:3, 2]
    return -x / z, -y / z, float(surface.pose[:3, 2] @ surface.pose[:3, 3]) / z


@njit(cache=True)
def survey(points: np.ndarray, height: float, packed: PackedSurfaces) -> Survey:
    """Find what is known of the ground at points seen from above.

    Args:
        points: Shape ``(k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.

    Returns:
        Height of the highest surface one can step on at each point [m], -inf for none; which that is, -1 for none; whether
        there is only what lies too low; whether something lies higher that is in the way.
    """
    heights, owners = np.full(len(points), -np.inf), np.full(len(points), -1, dtype=np.int64)
    lower, high = np.zeros(len(points), dtype=np.bool_), np.zeros(len(points), dtype=np.bool_)
    planes, _, _, boxes, _ = packed
    xs, ys = points[:, 0].copy(), points[:, 1].copy()
    left, near, right, far = xs.min(), ys.min(), xs.max(), ys.max()
    over = np.empty(len(points), dtype=np.bool_)
    for surface in range(len(planes)):
        box = boxes[surface]
        if right < box[0] or far < box[1] or left > box[2] or near > box[3]:
            continue
        if is_all_over(left, near, right, far, surface, packed):
            over[:] = True
        else:
            find_over(xs, ys, surface, packed, over)
        a, b, c = planes[surface]
        for k in range(len(points)):
            z = a * xs[k] + b * ys[k] + c
            above = z - height
            lower[k] |= over[k] & (above <= -MAX_CLIMB)
            high[k] |= over[k] & (above >= MAX_CLIMB) & (above < HEADROOM)
            if over[k] and abs(above) < MAX_CLIMB and z > heights[k]:
                heights[k], owners[k] = z, surface
    for k in range(len(points)):
        lower[k] &= owners[k] < 0
    return heights, owners, lower, high


@njit(cache=True)
def find_over(xs: np.ndarray, ys: np.ndarray, surface: int, packed: PackedSurfaces, over: np.ndarray) -> None:
    """Find which points lie over a surface, as ``is_over``, side by side: the processor takes several points at once.

    Args:
        xs: Of points, shape ``(k,)`` [m].
        ys: Likewise [m].
        surface: Which.
        packed: Surfaces, of ``pack_surfaces``.
        over: Filled, shape ``(k,)``, bool.
    """
    _, corners, ends, _, _ = packed
    first, last = (ends[surface - 1] if surface else 0), ends[surface]
    over[:] = False
    before = last - 1
    for corner in range(first, last):
        here_x, here_y, after_x, after_y = corners[before, 0], corners[before, 1], corners[corner, 0], corners[corner, 1]
        before = corner
        if here_y == after_y:
            continue
        for k in range(len(xs)):
            crosses = (here_y > ys[k]) != (after_y > ys[k])
            over[k] ^= crosses & (here_x + (ys[k] - here_y) / (after_y - here_y) * (after_x - here_x) > xs[k])


@njit(cache=True)
def survey_point(x: float, y: float, height: float, packed: PackedSurfaces) -> tuple[float, int, bool, bool]:
    """Find what is known of the ground at one point (see ``survey``)."""
    planes = packed[0]
    highest, owner, lower, high = -np.inf, -1, False, False
    for surface in range(len(planes)):
        if not is_over(x, y, surface, packed):
            continue
        z = planes[surface, 0] * x + planes[surface, 1] * y + planes[surface, 2]
        lower |= z - height <= -MAX_CLIMB
        high |= MAX_CLIMB <= z - height < HEADROOM
        if abs(z - height) < MAX_CLIMB and z > highest:
            highest, owner = z, surface
    return highest, owner, lower and owner < 0, high


@njit(cache=True)
def is_over(x: float, y: float, surface: int, packed: PackedSurfaces) -> bool:
    """Whether a point lies over a surface, as ``polygon.is_inside`` has it: without views of arrays, which cost more."""
    _, corners, ends, boxes, _ = packed
    if x < boxes[surface, 0] or y < boxes[surface, 1] or x > boxes[surface, 2] or y > boxes[surface, 3]:
        return False
    first, last = (ends[surface - 1] if surface else 0), ends[surface]
    inside = False
    here_x, here_y = corners[last - 1, 0], corners[last - 1, 1]
    for k in range(first, last):
        after_x, after_y = corners[k, 0], corners[k, 1]
        if (here_y > y) != (after_y > y):
            inside ^= here_x + (y - here_y) / (after_y - here_y) * (after_x - here_x) > x
        here_x, here_y = after_x, after_y
    return inside


@njit(cache=True)
def is_all_over(left: float, near: float, right: float, far: float, surface: int, packed: PackedSurfaces) -> bool:
    """Whether all of a box seen from above surely lies over a surface: its corners do, and that is convex."""
    return (
        packed[4][surface]
        and is_over(left, near, surface, packed)
        and is_over(right, near, surface, packed)
        and is_over(left, far, surface, packed)
        and is_over(right, far, surface, packed)
    )


@njit(cache=True)
def find_even(points: np.ndarray, height: float, packed: PackedSurfaces) -> int:
    """Find the first pose of a sole that is on no edge, -1 for none (see ``GroundMap.find_even``).

    Args:
        points: Of the sole at every place, shape ``(places, k, 2)`` [m].
        height: Of the ground next to them [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    for index in range(len(points)):
        heights, owners, deep, high = survey(points[index], height, packed)
        if deep.any() or high.any():
            continue
        minimum, maximum = np.inf, -np.inf
        for z in heights:
            if z > -np.inf:
                minimum, maximum = min(minimum, z), max(maximum, z)
        if (owners == owners[0]).all() or maximum - minimum <= MAX_UNEVENNESS:
            return index
    return -1


@njit(cache=True)
def count_free(points: np.ndarray, height: float, packed: PackedSurfaces, drops: bool) -> int:
    """Count the steps of a path before the first on which a sole finds no ground (see ``GroundMap.count_free``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
        drops: Whether ground that lies too low bars the path, too.
    """
    steps, soles = points.shape[:2]
    free = steps
    for sole in range(soles):
        ground, out = height, False
        for step in range(min(steps, free)):
            heights, _, deep, high = survey(points[step, sole], ground, packed)
            barred = (drops and deep.any()) or high.any()
            if step == 0:
                out = not barred
            if barred and (out or step >= MAX_BARRED_STEPS):
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
    """Measure the difference in height of the ground on a path (see ``GroundMap.measure_relief``).

    Args:
        points: Of the soles, the middle first, shape ``(steps, soles, k, 2)`` [m].
        height: Of the ground at its beginning [m].
        packed: Surfaces, of ``pack_surfaces``.
    """
    steps, soles = points.shape[:2]
    minimum = maximum = height
    for sole in range(soles):
        ground = height
        for step in range(steps):
            heights, _, _, _ = survey(points[step, sole], ground, packed)
            for z in heights:
                if z > -np.inf:
                    minimum, maximum = min(minimum, z), max(maximum, z)
            if heights[0] > -np.inf:
                ground = heights[0]
    return maximum - minimum
