"""The best footstep after each of many places for a foot."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.retarget.walking.bearing import LEAST_RATIO
from handhold.retarget.walking.foothold_costs import ASTRIDE, EVEN, LEVEL, SCALE, is_astride, rate
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.stride import ASIDE, BACK, FARTHEST_ASIDE, Stride, make_axes

NOWHERE = 4.0
"""Cost of a place from which no other footstep is to be had, or only one that costs more [m]."""

MARGIN = 0.003
"""How far within its reach the next footstep must be [m]: a foot does not come down to the millimetre."""

_APART = np.array([0.05, 0.01])


def rate_next(
    ground: GroundMap,
    places: np.ndarray,
    levels: np.ndarray,
    before: tuple[float, np.ndarray],
    strides: tuple[Stride, Stride],
) -> np.ndarray:
    """Rate the best footstep after each of places: its cost and where it is, NaN for nowhere, shape ``(k, 3)`` [m].

    Of the third footstep only this counts: where it is planned it is not to keep this foot higher than the next, or lower.

    Args:
        ground: What is known of it.
        places: Of this footstep, shape ``(k, 2)`` [m].
        levels: How high it stands there, shape ``(k,)`` [m].
        before: How high the foot stands that is lifted next [m], and where this one would be on the robot's line, shape
            ``(2,)`` [m].
        strides: What is asked of this footstep, and of the next.
    """
    stride, (lifted, line) = strides[1], before
    axes = make_axes(strides[0].angle)
    in_axes, rated = places @ axes, np.empty((len(places), 3))
    asked = np.array([stride.wanted, stride.lower + MARGIN, stride.upper - MARGIN, axes.T @ line + stride.wanted])
    xs, ys = (_list_lattice(in_axes[:, axis], stride, axis) for axis in range(2))
    lattice = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2) @ axes.T
    third = lattice + make_axes(stride.angle) @ strides[0].wanted
    rounded = np.round(levels / EVEN)
    for level in np.unique(rounded):
        group = rounded == level
        height = float(levels[group].mean())
        costs, heights, ratios = rate(ground, lattice, stride.angle, height)
        costs += LEVEL * np.abs(heights - height)
        costs[is_astride(heights, height, lifted) | is_astride(ground.find_heights(third, height), heights, height)] += ASTRIDE
        offers = np.array([ratios, costs, heights]).reshape(3, len(xs), len(ys))
        rated[group] = find_least(in_axes[group], (xs, ys), offers, asked, stride.direction)
    rated[:, 1:] = rated[:, 1:] @ axes.T
    return rated


def _list_lattice(places: np.ndarray, stride: Stride, axis: int) -> np.ndarray:
    """Return coordinates of a lattice along an axis, with all that is within a stride of places on it, shape ``(k,)`` [m]."""
    apart = float(_APART[axis])
    lower, upper = float(stride.lower[axis]), float(stride.upper[axis])
    if axis == 1:
        lower, upper = max(lower, stride.wanted[1] - FARTHEST_ASIDE), min(upper, stride.wanted[1] + FARTHEST_ASIDE)
    return np.arange(places.min() + lower, places.max() + upper + apart, apart)


@njit(cache=True)
def find_least(
    places: np.ndarray,
    lattice: tuple[np.ndarray, np.ndarray],
    offers: np.ndarray,
    asked: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:
    """Find the least cost of what is within a stride of each place, and where, shape ``(k, 3)`` [m], in the foot's axes.

    What bears may be narrower than the lattice: at the ends of the reach aside it is interpolated.

    Args:
        places: Of this footstep, shape ``(k, 2)`` [m].
        lattice: Coordinates of places for the next, shape ``(x,)`` and ``(y,)`` [m].
        offers: Of each of them the part of a sole that bears, its cost and its height, shape ``(3, x, y)``.
        asked: Displacement wanted, the least, the largest, and the place wanted on the line, shape ``(4, 2)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
    """
    (xs, ys), (wanted, lower, upper, line) = lattice, asked
    least = np.full((len(places), 3), np.nan)
    least[:, 0] = NOWHERE
    for i in range(len(places)):
        low, high = places[i, 1] + lower[1], places[i, 1] + upper[1]
        first, last = np.searchsorted(ys, low), np.searchsorted(ys, high)
        for j in range(len(xs)):
            if not lower[0] <= xs[j] - places[i, 0] <= upper[0]:
                continue
            for k in range(first - 1, last + 1):
                # Between its ends the lattice's own places; first and last the ends themselves.
                y = low if k < first else (high if k == last else ys[k])
                cost = interpolate(ys, offers[:, j], y)
                if cost >= least[i, 0]:
                    continue
                ahead, aside = xs[j] - places[i, 0] - wanted[0], y - places[i, 1] - wanted[1]
                along = ahead * direction[0] + aside * direction[1]
                # On from this footstep; but beside the line no further because this one is.
                off = (xs[j] - line[0]) * direction[1] - (y - line[1]) * direction[0]
                if not direction.any():
                    off = math.hypot(xs[j] - line[0], y - line[1])
                cost += (((BACK if along < 0.0 else 1.0) * along) ** 2 + (ASIDE * off) ** 2) / SCALE
                if cost < least[i, 0]:
                    least[i] = cost, xs[j], y
    return least


@njit(cache=True)
def interpolate(ys: np.ndarray, offers: np.ndarray, y: float) -> float:
    """Return the cost of a place between two of a row, infinite where too little bears, or beside the lattice [m]."""
    k = np.searchsorted(ys, y)
    if k == len(ys) or (k == 0 and ys[0] != y):
        return np.inf
    if ys[k] == y:
        return offers[1, k] if offers[0, k] >= LEAST_RATIO else np.inf
    part = (y - ys[k - 1]) / (ys[k] - ys[k - 1])
    ratio = (1.0 - part) * offers[0, k - 1] + part * offers[0, k]
    if ratio < LEAST_RATIO or abs(offers[2, k] - offers[2, k - 1]) > EVEN:
        return np.inf
    return (1.0 - part) * offers[1, k - 1] + part * offers[1, k]
