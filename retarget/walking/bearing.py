r"""How much of a sole the ground bears, and on which rectangle of it.

A sole that comes down flat stands on the surface of its highest point. Of the points of a grid over the sole those bear that
are within ``FLAT`` of that surface's plane; the largest rectangle of them is where its pressure may be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.retarget.walking.ground_survey import PackedSurfaces, survey

FLAT = 0.008
"""Height over or under the surface that a sole stands on up to which ground bears it, too [m]."""

BESIDE = 0.02
"""How far beside a sole there must be no higher ground either [m]: as exactly as a foot comes down, and is lifted."""

ROWS, COLUMNS = 8, 13
"""Points of the grid along and across a sole."""

LEAST_RATIO = 0.63
"""Part of a sole that must bear at least [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """What of a sole bears.

    Attributes:
        ratio: Part of it [-].
        displacement: From the sole's middle to the rectangle's, in the sole's frame [m].
        half_lengths: Of the rectangle [m].
        height: Of the surface that bears, under the sole's middle [m]; NaN where none is known.
    """

    ratio: float
    displacement: tuple[float, float] = (0.0, 0.0)
    half_lengths: tuple[float, float]
    height: float = math.nan


def list_points(half_lengths: np.ndarray) -> np.ndarray:
    """Return points of a sole, shape ``(k, 2)`` [m]: its cells' middles, row by row from the heel on, then ``BESIDE`` it."""
    along = half_lengths[0] * ((np.arange(ROWS) + 0.5) / ROWS * 2.0 - 1.0)
    across = half_lengths[1] * ((np.arange(COLUMNS) + 0.5) / COLUMNS * 2.0 - 1.0)
    cells = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1).reshape(-1, 2)
    fractions = np.array([-1.0, -0.33, 0.33, 1.0])
    rim = np.array([(x, y) for x in fractions for y in fractions if max(abs(x), abs(y)) == 1.0])
    return np.vstack([cells, rim * (half_lengths + BESIDE)])


def measure_bearing(points: np.ndarray, height: float, packed: PackedSurfaces, half_lengths: np.ndarray) -> Bearing:
    """Measure what of a sole bears.

    Args:
        points: In world, of ``list_points``, shape ``(k, 2)`` [m].
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.
        half_lengths: Of the sole [m].
    """
    first_row, last_row, first_column, last_column, owner = find_rectangle(points, height, packed)
    if last_row < first_row:
        return Bearing(ratio=0.0, half_lengths=(0.0, 0.0))
    rows, columns = last_row - first_row + 1, last_column - first_column + 1
    middle = (first_row + last_row + 1) / ROWS - 1.0, (first_column + last_column + 1) / COLUMNS - 1.0
    return Bearing(
        ratio=rows * columns / (ROWS * COLUMNS),
        displacement=(float(half_lengths[0] * middle[0]), float(half_lengths[1] * middle[1])),
        half_lengths=(float(half_lengths[0] * rows / ROWS), float(half_lengths[1] * columns / COLUMNS)),
        height=math.nan if owner < 0 else float(find_level(points[: ROWS * COLUMNS].mean(axis=0), packed[0][owner])),
    )


@njit(cache=True)
def rate_places(points: np.ndarray, height: float, packed: PackedSurfaces) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rate places for a sole.

    Args:
        points: At every place, of ``list_points``, shape ``(places, k, 2)`` [m].
        height: Of the ground next to it [m].
        packed: Surfaces, of ``pack_surfaces``.

    Returns:
        Parts of it that bear, parts of what is beside it that would, and heights of what bears, NaN where nothing is known,
        shape ``(places,)`` each [-], [-], [m].
    """
    ratios, rims, levels = np.zeros(len(points)), np.ones(len(points)), np.zeros(len(points))
    cells = ROWS * COLUMNS
    for k in range(len(points)):
        first_row, last_row, first_column, last_column, owner = find_rectangle(points[k], height, packed)
        ratios[k] = (last_row - first_row + 1) * (last_column - first_column + 1) / cells
        if owner < 0:
            levels[k] = np.nan
            continue
        plane = packed[0][owner]
        levels[k] = find_level(0.5 * (points[k, cells] + points[k, -1]), plane)
        heights, _, deep, _ = survey(points[k, cells:], height, packed)
        for i in range(len(heights)):
            known = heights[i] > -np.inf
            if deep[i] or (known and abs(heights[i] - find_level(points[k, cells + i], plane)) > FLAT):
                rims[k] -= 1.0 / len(heights)
    return ratios, rims, levels


@njit(cache=True)
def find_level(point: np.ndarray, plane: np.ndarray) -> float:
    """Return the height of a plane z = a x + b y + c at a point seen from above [m]."""
    return plane[0] * point[0] + plane[1] * point[1] + plane[2]


@njit(cache=True)
def find_rectangle(points: np.ndarray, height: float, packed: PackedSurfaces) -> tuple[int, int, int, int, int]:
    """Find the largest rectangle of a sole's grid that bears: first and last row, first and last column; its surface.

    Where something is in the way of the sole, or nothing bears, the last row is before the first. What is unknown is taken for
    ground.
    """
    planes = packed[0]
    heights, owners, deep, high = survey(points, height, packed)
    top = -1
    for k in range(len(points)):
        if high[k]:
            return 0, -1, 0, -1, -1
        if heights[k] > -np.inf and (top < 0 or heights[k] > heights[top]):
            top = k
    # Bearing cells in all rows and columns before: the count in any rectangle is four of these sums.
    sums = np.zeros((ROWS + 1, COLUMNS + 1), dtype=np.int64)
    for r in range(ROWS):
        for c in range(COLUMNS):
            k = r * COLUMNS + c
            bears = not deep[k]
            if heights[k] > -np.inf and top >= 0:
                bears = abs(heights[k] - find_level(points[k], planes[owners[top]])) <= FLAT
            sums[r + 1, c + 1] = sums[r, c + 1] + sums[r + 1, c] - sums[r, c] + int(bears)
    owner = -1 if top < 0 else owners[top]
    best, found = 0, (0, -1, 0, -1, owner)
    for r in range(ROWS):
        for s in range(r, ROWS):
            for c in range(COLUMNS):
                for d in range(c, COLUMNS):
                    size = (s - r + 1) * (d - c + 1)
                    if size > best and sums[s + 1, d + 1] - sums[r, d + 1] - sums[s + 1, c] + sums[r, c] == size:
                        best, found = size, (r, s, c, d, owner)
    return found
