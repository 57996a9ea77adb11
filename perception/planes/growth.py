r"""Regions of cells that lie in one plane: grown from the flattest places, and joined where they touch.

A cell belongs to a plane where its mean lies on it and its spread is noise,

.. math:: |\bar r| \leq (k_0 + 3 / \sqrt n) \, \sigma + \rho w, \qquad \overline{r^2} \leq k_1^2 \sigma^2 + \bar r^2,

with the noise and the ripple of ``Noise``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.planes.cells import MIN_FILLED
from handhold.perception.planes.moments import SUMS, fit_plane, measure_residuals
from handhold.perception.planes.noise import Noise, square_noise

MAX_REGIONS = 256
"""Regions that are kept of an image, the flattest first."""

SEED_RATIO = 1.25
"""Residual of two by two cells that a region may begin with, in standard deviations of the noise [-]."""

SPREAD_RATIO = 1.5
"""Residual of a cell to the plane of a region that it joins, likewise [-]."""

MEAN_RATIO = 0.35
"""Mean residual of a cell to it beyond chance, likewise [-]: stereo's errors are alike in neighbouring pixels."""

MAX_GAIN = 1.15
"""Sum of squares of two regions in one plane, at most, as a part of what it is with a plane each [-]."""

MIN_CELLS = 4
"""Cells of a region at least."""

NO_REGION = -1

_BINS = 32
_REFIT = 0.15
"""A region's plane is fitted again when it has grown by this part."""


@njit(cache=True)
def grow_regions(sums: np.ndarray, full: np.ndarray, noise: Noise, regions: np.ndarray, region_sums: np.ndarray) -> int:
    """Grow regions over all cells.

    Args:
        sums: Of the cells, shape ``(rows, columns, SUMS)``.
        full: Samples of a whole cell, shape ``(rows, columns)``.
        noise: Of the image.
        regions: Number of the region of each cell, or ``NO_REGION``; written.
        region_sums: Sums of the regions, shape ``(MAX_REGIONS, SUMS)``; written.

    Returns:
        How many regions there are.
    """
    rows, columns = regions.shape
    regions[:] = NO_REGION
    seeds = _order_seeds(sums, full, noise)
    queue = np.empty(rows * columns, dtype=np.int32)
    plane = np.empty(3)
    count = 0
    for seed in seeds:
        if count == MAX_REGIONS:
            break
        r, c = seed // columns, seed % columns
        free = regions[r : r + 2, c : c + 2]
        if free[0, 0] != NO_REGION or free[0, 1] != NO_REGION or free[1, 0] != NO_REGION or free[1, 1] != NO_REGION:
            continue
        cells = _grow(sums, full, noise, regions, region_sums[count], queue, plane, r, c, count)
        if cells >= MIN_CELLS:
            count += 1
        else:
            for k in range(cells):
                regions[queue[k] // columns, queue[k] % columns] = NO_REGION
    return count


@njit(cache=True)
def _order_seeds(sums: np.ndarray, full: np.ndarray, noise: Noise) -> np.ndarray:
    """Return the upper left cells of the blocks of two by two that are flat, the flattest first."""
    rows, columns = full.shape
    found = np.empty(rows * columns, dtype=np.int32)
    bins = np.empty(rows * columns, dtype=np.int32)
    starts = np.zeros(_BINS + 1, dtype=np.int32)
    plane, block = np.empty(3), np.empty(SUMS)
    count = 0
    for r in range(rows - 1):
        for c in range(columns - 1):
            filled = True
            for i in range(2):
                for j in range(2):
                    filled = filled and sums[r + i, c + j, 0] >= MIN_FILLED * full[r + i, c + j]
            if not filled:
                continue
            for k in range(SUMS):
                block[k] = sums[r, c, k] + sums[r, c + 1, k] + sums[r + 1, c, k] + sums[r + 1, c + 1, k]
            square = fit_plane(block, plane) / square_noise(block[3] / block[0], noise)
            if square > SEED_RATIO * SEED_RATIO:
                continue
            found[count] = r * columns + c
            bins[count] = min(_BINS - 1, int(_BINS * square / (SEED_RATIO * SEED_RATIO)))
            starts[bins[count] + 1] += 1
            count += 1
    for b in range(_BINS):
        starts[b + 1] += starts[b]
    ordered = np.empty(count, dtype=np.int32)
    for k in range(count):
        ordered[starts[bins[k]]] = found[k]
        starts[bins[k]] += 1
    return ordered


@njit(cache=True)
def _grow(
    sums: np.ndarray,
    full: np.ndarray,
    noise: Noise,
    regions: np.ndarray,
    total: np.ndarray,
    queue: np.ndarray,
    plane: np.ndarray,
    row: int,
    column: int,
    number: int,
) -> int:
    """Grow one region from a block of two by two; returns how many cells it has, which are the first of the queue."""
    rows, columns = regions.shape
    total[:] = 0.0
    end = 0
    for i in range(2):
        for j in range(2):
            regions[row + i, column + j] = number
            queue[end] = (row + i) * columns + column + j
            end += 1
            for k in range(SUMS):
                total[k] += sums[row + i, column + j, k]
    fit_plane(total, plane)
    fitted = end
    first = 0
    while first < end:
        r, c = queue[first] // columns, queue[first] % columns
        first += 1
        for direction in range(4):
            i = r + (direction == 0) - (direction == 1)
            j = c + (direction == 2) - (direction == 3)
            if not (0 <= i < rows and 0 <= j < columns) or regions[i, j] != NO_REGION:
                continue
            cell = sums[i, j]
            if cell[0] < MIN_FILLED * full[i, j] or not _lies_in(cell, plane, noise):
                continue
            regions[i, j] = number
            queue[end] = i * columns + j
            end += 1
            for k in range(SUMS):
                total[k] += cell[k]
            if end >= fitted * (1.0 + _REFIT):
                fit_plane(total, plane)
                fitted = end
    return end


@njit(cache=True)
def _lies_in(cell: np.ndarray, plane: np.ndarray, noise: Noise) -> bool:
    mean, square = measure_residuals(cell, plane)
    w = cell[3] / cell[0]
    variance = square_noise(w, noise)
    largest = (MEAN_RATIO + 3.0 / np.sqrt(cell[0])) * np.sqrt(variance) + noise.ripple * w
    return abs(mean) <= largest and square - mean * mean <= SPREAD_RATIO * SPREAD_RATIO * variance


@njit(cache=True)
def join_regions(regions: np.ndarray, region_sums: np.ndarray, count: int, noise: Noise) -> np.ndarray:
    """Join regions that touch and that one plane fits nearly as well as one each.

    Args:
        regions: Of the cells, shape ``(rows, columns)``; regions that were joined have the number of the first of them.
        region_sums: Sums of the regions, of the joined ones in the row of the first.
        count: How many there are.
        noise: Of the image.

    Returns:
        Number of the region that each is now, shape ``(count,)``.
    """
    rows, columns = regions.shape
    touching = np.zeros((count, count), dtype=np.bool_)
    for r in range(rows):
        for c in range(columns):
            a = regions[r, c]
            if a == NO_REGION:
                continue
            # a cell between two regions is often neither's
            for gap in range(1, 3):
                for i, j in ((r + gap, c), (r, c + gap)):
                    b = regions[i, j] if i < rows and j < columns else a
                    if b != a and b != NO_REGION:  # noqa: PLR1714 - no membership in compiled code
                        touching[min(a, b), max(a, b)] = True
    owner = np.arange(count)
    joined, plane = np.empty(SUMS), np.empty(3)
    squares = np.empty(count)
    for k in range(count):
        squares[k] = fit_plane(region_sums[k], plane) * region_sums[k, 0]
    changed = True
    while changed:
        changed = False
        for a in range(count):
            for b in range(a + 1, count):
                first, second = min(owner[a], owner[b]), max(owner[a], owner[b])
                if first == second or not touching[a, b]:
                    continue
                joined[:] = region_sums[first] + region_sums[second]
                square = fit_plane(joined, plane)
                bent = noise.ripple * joined[3] / joined[0]
                if square * joined[0] > MAX_GAIN * (squares[first] + squares[second]) + bent * bent * joined[0]:
                    continue
                region_sums[first] = joined
                squares[first] = square * joined[0]
                for k in range(count):
                    if owner[k] == second:
                        owner[k] = first
                changed = True
    for r in range(rows):
        for c in range(columns):
            if regions[r, c] != NO_REGION:
                regions[r, c] = owner[regions[r, c]]
    return owner
