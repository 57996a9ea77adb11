"""The best footstep after each of many footholds."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.retarget.walking.contact_area import MIN_FOOTHOLD_RATIO
from handhold.retarget.walking.foothold_costs import (
    DISTANCE_SCALE,
    HEIGHT_COST,
    LEVEL_TOLERANCE,
    STRADDLE_COST,
    compute_costs,
    is_straddling,
)
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.stride import BACKWARD_WEIGHT, LATERAL_WEIGHT, MAX_LATERAL_OFFSET, Stride, make_axes

MAX_COST = 4.0
"""Cost of a foothold from which no other footstep is to be had, or only one that costs more [m]."""

REACH_MARGIN = 0.003
"""How far within its reach the next footstep must be [m]: a foot does not come down to the millimetre."""

_SPACING = np.array([0.05, 0.01])


def rate_next_footholds(
    ground: GroundMap,
    positions: np.ndarray,
    levels: np.ndarray,
    before: tuple[float, np.ndarray],
    strides: tuple[Stride, Stride],
) -> np.ndarray:
    """Rate the best footstep after each of many: its cost and where it is, NaN for nowhere, shape ``(k, 3)`` [m].

    Of the third footstep only this counts: where it is planned it is not to keep this foot higher than the next, or lower.

    Args:
        ground: What is known of it.
        positions: Of this footstep, shape ``(k, 2)`` [m].
        levels: How high it stands there, shape ``(k,)`` [m].
        before: How high the foot stands that is lifted next [m], and where this one would be on the robot's line, shape
            ``(2,)`` [m].
        strides: What is asked of this footstep, and of the next.
    """
    stride, (lift_off_height, line) = strides[1], before
    axes = make_axes(strides[0].angle)
    in_axes, rated = positions @ axes, np.empty((len(positions), 3))
    asked = np.array(
        [stride.desired, stride.lower + REACH_MARGIN, stride.upper - REACH_MARGIN, axes.T @ line + stride.desired]
    )
    xs, ys = (_list_lattice(in_axes[:, axis], stride, axis) for axis in range(2))
    lattice = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2) @ axes.T
    third = lattice + make_axes(stride.angle) @ strides[0].desired
    rounded = np.round(levels / LEVEL_TOLERANCE)
    for level in np.unique(rounded):
        group = rounded == level
        height = float(levels[group].mean())
        costs, heights, ratios = compute_costs(ground, lattice, stride.angle, height)
        costs += HEIGHT_COST * np.abs(heights - height)
        costs[
            is_straddling(heights, height, lift_off_height)
            | is_straddling(ground.find_heights(third, height), heights, height)
        ] += STRADDLE_COST
        offers = np.array([ratios, costs, heights]).reshape(3, len(xs), len(ys))
        rated[group] = find_cheapest(in_axes[group], (xs, ys), offers, asked, stride.direction)
    rated[:, 1:] = rated[:, 1:] @ axes.T
    return rated


def _list_lattice(positions: np.ndarray, stride: Stride, axis: int) -> np.ndarray:
    """Return coordinates of a lattice along an axis, with all that is within a stride of places on it, shape ``(k,)`` [m]."""
    apart = float(_SPACING[axis])
    lower, upper = float(stride.lower[axis]), float(stride.upper[axis])
    if axis == 1:
        lower, upper = max(lower, stride.desired[1] - MAX_LATERAL_OFFSET), min(upper, stride.desired[1] + MAX_LATERAL_OFFSET)
    return np.arange(positions.min() + lower, positions.max() + upper + apart, apart)


@njit(cache=True)
def find_cheapest(
    positions: np.ndarray,
    lattice: tuple[np.ndarray, np.ndarray],
    offers: np.ndarray,
    asked: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:
    """Find the minimum cost within a stride of each foothold, and where, shape ``(k, 3)`` [m], in the foot's axes.

    What supports may be narrower than the lattice: at the ends of the reach aside it is interpolated.

    Args:
        positions: Of this footstep, shape ``(k, 2)`` [m].
        lattice: Coordinates of places for the next, shape ``(x,)`` and ``(y,)`` [m].
        offers: Of each of them the supported part of a sole, its cost and its height, shape ``(3, x, y)``.
        asked: Desired displacement, its minimum and maximum, and the desired position on the line, shape ``(4, 2)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
    """
    (xs, ys), (desired, lower, upper, line) = lattice, asked
    best = np.full((len(positions), 3), np.nan)
    best[:, 0] = MAX_COST
    for i in range(len(positions)):
        low, high = positions[i, 1] + lower[1], positions[i, 1] + upper[1]
        first, last = np.searchsorted(ys, low), np.searchsorted(ys, high)
        for j in range(len(xs)):
            if not lower[0] <= xs[j] - positions[i, 0] <= upper[0]:
                continue
            for k in range(first - 1, last + 1):
                # Between its ends the lattice's own places; first and last the ends themselves.
                y = low if k < first else (high if k == last else ys[k])
                cost = interpolate(ys, offers[:, j], y)
                if cost >= best[i, 0]:
                    continue
                ahead, lateral_offset = xs[j] - positions[i, 0] - desired[0], y - positions[i, 1] - desired[1]
                along = ahead * direction[0] + lateral_offset * direction[1]
                # On from this footstep; but beside the line no further because this one is.
                offset = (xs[j] - line[0]) * direction[1] - (y - line[1]) * direction[0]
                if not direction.any():
                    offset = math.hypot(xs[j] - line[0], y - line[1])
                cost += (
                    ((BACKWARD_WEIGHT if along < 0.0 else 1.0) * along) ** 2 + (LATERAL_WEIGHT * offset) ** 2
                ) / DISTANCE_SCALE
                if cost < best[i, 0]:
                    best[i] = cost, xs[j], y
    return best


@njit(cache=True)
def interpolate(ys: np.ndarray, offers: np.ndarray, y: float) -> float:
    """Return the cost of a foothold between two of a row, infinite where too little supports, or beside the lattice [m]."""
    k = np.searchsorted(ys, y)
    if k == len(ys) or (k == 0 and ys[0] != y):
        return np.inf
    if ys[k] == y:
        return offers[1, k] if offers[0, k] >= MIN_FOOTHOLD_RATIO else np.inf
    part = (y - ys[k - 1]) / (ys[k] - ys[k - 1])
    ratio = (1.0 - part) * offers[0, k - 1] + part * offers[0, k]
    if ratio < MIN_FOOTHOLD_RATIO or abs(offers[2, k] - offers[2, k - 1]) > LEVEL_TOLERANCE:
        return np.inf
    return (1.0 - part) * offers[1, k - 1] + part * offers[1, k]
