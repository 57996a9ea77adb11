"""Capsules around a robot's links: the cheapest shapes that follow a limb, and whose distances have a closed form."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import coal
import numpy as np
import pinocchio as pin
from numba import njit
from scipy.spatial import ConvexHull, QhullError

# Directions tried for a capsule's axis, spread over the half sphere, and how often the search is narrowed about the best.
_DIRECTIONS = 128
_NARROWINGS = 3
_NARROWED = 0.25
# Steps of Badoiu and Clarkson's minimum enclosing circle; whatever is left of the error makes the capsule wider, not leaky.
_CIRCLE_STEPS = 60
# A flat part is cut into at most so many slabs.
_MAX_SLABS = 3
# How much wider than thick a slab may be, as a ratio less one [-].
_NEARLY_SQUARE = 0.3
# Corners of the polygons that stand for circles.
_CORNERS = 16


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Capsule:
    """All points within a radius of a segment; of a segment without length: a sphere.

    Attributes:
        ends: Ends of the segment, shape ``(2, 3)`` [m].
        radius: Radius [m].
    """

    ends: np.ndarray
    radius: float


def enclose(points: np.ndarray) -> tuple[Capsule, ...]:
    """Return few capsules that together hold the convex hull of points.

    One capsule is fitted along the direction that makes it smallest. Where the hull is much wider than thick across that
    direction, it is cut into slabs of about square cross-section, and each gets a capsule of its own.

    Args:
        points: Points, shape ``(k, 3)`` [m].
    """
    axis = _find_axis(points)
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:  # all in a plane
        return (_fit(points, axis),)
    across, width, thickness = _widest_direction(corners, axis)
    slabs = min(_MAX_SLABS, max(1, int(np.ceil(width / thickness - _NEARLY_SQUARE))))
    if slabs == 1:
        return (_fit(corners, axis),)
    return tuple(_fit(part, _find_axis(part)) for part in _cut(corners, across, slabs))


def _fit(points: np.ndarray, axis: np.ndarray) -> Capsule:
    ends, radius = fit_about(points, axis)
    return Capsule(ends=ends, radius=radius)


def sample_shape(shape: coal.CollisionGeometry) -> np.ndarray:
    """Return points whose convex hull holds a shape, in the shape's frame, shape ``(k, 3)`` [m]."""
    if isinstance(shape, coal.BVHModelBase):
        return np.asarray(shape.vertices())
    if isinstance(shape, coal.ConvexBase):
        return np.asarray(shape.points())
    if isinstance(shape, coal.Box):
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
        return signs * np.asarray(shape.halfSide)
    if isinstance(shape, coal.Sphere):
        return _rings(shape.radius, 0.0, round_ends=True)
    if isinstance(shape, (coal.Capsule, coal.Cylinder)):
        return _rings(shape.radius, shape.halfLength, round_ends=isinstance(shape, coal.Capsule))
    raise TypeError(f"no points of a {type(shape).__name__}")


def _rings(radius: float, half_length: float, *, round_ends: bool) -> np.ndarray:
    """Return polygons about a cylinder along z or, with round ends, about a capsule."""
    turn = 2.0 * np.pi * np.arange(_CORNERS) / _CORNERS
    slack = 1.0 / np.cos(np.pi / _CORNERS)
    # (radius, height) of the rings: an octagon's half profile about the round end.
    corner = np.tan(np.pi / 8.0)
    profile = [(1.0, corner), (corner, 1.0)] if round_ends else [(1.0, 0.0)]
    rings = [
        np.column_stack(
            [
                slack * radius * r * np.cos(turn),
                slack * radius * r * np.sin(turn),
                np.full(_CORNERS, side * (half_length + radius * h)),
            ]
        )
        for r, h in profile
        for side in (-1.0, 1.0)
    ]
    return np.vstack(rings)


def _spread_directions() -> np.ndarray:
    """Return unit vectors spread evenly over the half sphere (a Fibonacci spiral), shape ``(_DIRECTIONS, 3)``."""
    k = np.arange(_DIRECTIONS) + 0.5
    z = k / _DIRECTIONS
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    radius = np.sqrt(1.0 - z * z)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), z])


def _find_axis(points: np.ndarray) -> np.ndarray:
    """Return the direction of the smallest capsule about points, unit, shape ``(3,)``."""
    spread = _spread_directions()
    few = points[np.unique(np.argmax(points @ np.vstack([spread, -spread]).T, axis=0))]
    axis = spread[_find_smallest(few, spread)]
    for narrowing in range(1, _NARROWINGS + 1):
        near = np.vstack([axis, axis + _NARROWED**narrowing * (spread - spread.mean(axis=0))])
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        axis = near[_find_smallest(few, near)]
    return axis


@njit(cache=True)
def _find_smallest(points: np.ndarray, directions: np.ndarray) -> int:
    """Return which of the directions has the smallest capsule about the points."""
    best, min_volume = 0, np.inf
    for k in range(directions.shape[0]):
        ends, radius = fit_about(points, directions[k])
        length = np.sqrt(np.sum((ends[1] - ends[0]) ** 2))
        volume = radius * radius * (length + 4.0 / 3.0 * radius)
        if volume < min_volume:
            best, min_volume = k, volume
    return best


@njit(cache=True)
def fit_about(points: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float]:
    """Fit the thinnest capsule along an axis that holds the points, as short as that allows.

    Args:
        points: Points to hold, shape ``(k, 3)`` [m].
        axis: Direction of the segment, unit, shape ``(3,)``.

    Returns:
        Ends of the segment, shape ``(2, 3)`` [m], and the radius [m].
    """
    heights = points @ axis
    flat = points - np.outer(heights, axis)
    centre = np.zeros(3)
    for i in range(3):
        centre[i] = 0.5 * (flat[:, i].min() + flat[:, i].max())
    for step in range(_CIRCLE_STEPS + 1):
        furthest, distance = 0, -1.0
        for k in range(flat.shape[0]):
            squared = (flat[k, 0] - centre[0]) ** 2 + (flat[k, 1] - centre[1]) ** 2 + (flat[k, 2] - centre[2]) ** 2
            if squared > distance:
                furthest, distance = k, squared
        if step < _CIRCLE_STEPS:
            centre += (flat[furthest] - centre) / (step + 3.0)
    centre -= (centre @ axis) * axis
    radius, low, high = 0.0, np.inf, -np.inf
    for k in range(flat.shape[0]):
        radius = max(radius, np.sqrt(np.sum((flat[k] - centre) ** 2)))
    for k in range(flat.shape[0]):
        reach = np.sqrt(max(radius * radius - np.sum((flat[k] - centre) ** 2), 0.0))
        low, high = min(low, heights[k] + reach), max(high, heights[k] - reach)
    if low > high:
        low = high = 0.5 * (low + high)
    ends = np.empty((2, 3))
    ends[0] = centre + low * axis
    ends[1] = centre + high * axis
    # Rounding must not let a point out.
    return ends, radius * (1.0 + 1e-9)


def _complete(axis: np.ndarray) -> np.ndarray:
    """Return two unit vectors perpendicular to an axis and to each other, shape ``(2, 3)``."""
    _, _, rows = np.linalg.svd(axis[None, :])
    sideways: np.ndarray = rows[1:]
    return sideways


def _widest_direction(points: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the direction across an axis in which points spread most, and the spread there and at right angles to it [m]."""
    turn = np.pi * np.arange(60) / 60.0
    directions = np.column_stack([np.cos(turn), np.sin(turn)]) @ _complete(axis)
    spreads = np.ptp(points @ directions.T, axis=0)
    # At right angles to the thinnest direction, not the widest one: that would be a diagonal.
    thinnest = int(np.argmin(spreads))
    widest = (thinnest + 30) % 60
    return directions[widest], float(spreads[widest]), float(spreads[thinnest])


def _cut(points: np.ndarray, across: np.ndarray, count: int) -> list[np.ndarray]:
    """Cut the hull of points into slabs of the same thickness; return the corners of each.

    What lies within a slab of the hull's edges has all of the slab's corners at its ends.
    """
    corners = ConvexHull(points).simplices
    edges = points[np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])]
    heights = edges @ across
    run = heights[:, 1] - heights[:, 0]
    run[run == 0.0] = np.inf
    slabs = []
    for low, high in pairwise(np.linspace(heights.min(), heights.max(), count + 1)):
        inside = (heights.min(axis=1) <= high) & (heights.max(axis=1) >= low)
        start, step = edges[inside, 0], edges[inside, 1] - edges[inside, 0]
        ratios = (np.array([low, high]) - heights[inside, :1]) / run[inside, None]
        # An edge across the direction, with no run, is inside as a whole.
        ratios[np.isinf(run[inside])] = (0.0, 1.0)
        ends = start[:, None] + np.clip(ratios, 0.0, 1.0)[:, :, None] * step[:, None]
        slabs.append(ends.reshape(-1, 3))
    return slabs


def place_capsule(capsule: Capsule, placement: pin.SE3) -> Capsule:
    """Return a capsule moved by a rigid transform."""
    return Capsule(ends=capsule.ends @ placement.rotation.T + placement.translation, radius=capsule.radius)
