"""The rectangle of a foot that touches the ground, from the points of its shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

FLAT = (0.003, 0.005, 0.008, 0.012)
"""Heights over a foot's lowest point up to which it counts as its sole, tried in order [m]."""

ENOUGH = 0.35
"""Minimum part of a foot's shadow that a sole covers, before the next height is tried [-]."""

_CUTS = 40


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Sole:
    """A rectangle in a level foot.

    Attributes:
        centre: Its middle, shape ``(3,)`` [m].
        half_lengths: Along x and y [m].
        shadow: Half lengths of the whole foot seen from above [m].
        flatness: Height over the lowest point up to which points were taken [m].
    """

    centre: np.ndarray
    half_lengths: tuple[float, float]
    shadow: tuple[float, float]
    flatness: float


def find_sole(points: np.ndarray) -> Sole | None:
    """Find the largest rectangle along x and y within the hull of a foot's lowest points; None for a foot without one.

    Args:
        points: Of the foot's shapes in axes whose z is up and whose x is forward, shape ``(k, 3)`` [m].
    """
    if len(points) < 3:
        return None
    lowest = float(points[:, 2].min())
    widths = np.ptp(points[:, :2], axis=0)
    best: tuple[float, np.ndarray, float] | None = None
    for height in FLAT:
        rectangle = find_rectangle(points[points[:, 2] <= lowest + height, :2])
        if rectangle is not None:
            area = float(np.prod(rectangle[1] - rectangle[0]))
            best = (area, rectangle, height)
            if area >= ENOUGH * float(np.prod(widths)):
                break
    if best is None:
        return None
    _, rectangle, height = best
    half = 0.5 * (rectangle[1] - rectangle[0])
    return Sole(
        centre=np.array([*rectangle.mean(axis=0), lowest]),
        half_lengths=(float(half[0]), float(half[1])),
        shadow=(float(0.5 * widths[0]), float(0.5 * widths[1])),
        flatness=height,
    )


def find_rectangle(points: np.ndarray) -> np.ndarray | None:
    """Find the largest rectangle along x and y within the hull of points.

    Of a convex shape, the rectangle between two cuts x = a and x = b is as high as what both cuts have in common.

    Args:
        points: Shape ``(k, 2)``.

    Returns:
        Minimum and maximum corner, shape ``(2, 2)``; None where the points have no area.
    """
    try:
        hull = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return None
    cuts = np.linspace(hull[:, 0].min(), hull[:, 0].max(), _CUTS)
    spans = np.array([_cut(hull, x) for x in cuts])
    low = np.maximum(spans[:, None, 0], spans[None, :, 0])
    high = np.minimum(spans[:, None, 1], spans[None, :, 1])
    areas = np.maximum(high - low, 0.0) * np.maximum(cuts[None, :] - cuts[:, None], 0.0)
    first, last = np.unravel_index(int(np.argmax(areas)), areas.shape)
    if areas[first, last] <= 0.0:
        return None
    return np.array([[cuts[first], low[first, last]], [cuts[last], high[first, last]]])


def _cut(hull: np.ndarray, x: float) -> tuple[float, float]:
    """Return the minimum and the maximum y of a convex polygon at an x."""
    crossings = []
    for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        x_min, x_max = min(a[0], b[0]), max(a[0], b[0])
        if x_min - 1e-12 <= x <= x_max + 1e-12:
            ratio = 0.0 if x_max - x_min < 1e-12 else (x - a[0]) / (b[0] - a[0])
            crossings += [a[1] + ratio * (b[1] - a[1])] if x_max - x_min >= 1e-12 else [a[1], b[1]]
    return min(crossings), max(crossings)
