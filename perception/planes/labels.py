"""Which plane every sample of the image belongs to: from cells to pixels, and from planes to connected patches."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.planes.cells import CELL, MIN_FILLED
from handhold.perception.planes.growth import NO_REGION
from handhold.perception.planes.moments import SUMS
from handhold.perception.planes.noise import Noise, square_noise

GATE = 3.0
"""Residual of a pixel that still belongs to a plane, in standard deviations of the noise [-]."""

NOBODY = 0
"""Label of samples that belong to no patch; patches count from 1."""

APART = 4.0
"""Difference of what two planes predict for a pixel beyond which its own depth tells which it is, likewise [-]."""

WINDOW = 2
"""Samples to each side of one near a crease that are asked with it: their mean has a fifth of its noise."""

_NEIGHBOURS = 9


@njit(cache=True)
def label_samples(
    inverse: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    sums: np.ndarray,
    full: np.ndarray,
    regions: np.ndarray,
    planes: np.ndarray,
    noise: Noise,
    labels: np.ndarray,
) -> None:
    """Give every sample the region whose plane it lies in, of those that its cell or a neighbour belongs to.

    A cell within a region is taken as a whole, with what was not measured of it: holes of single pixels are the camera's.
    Where two planes nearly meet, the noise of a pixel would decide, and each plane get those pixels of the other that lie
    towards itself: there the neighbours decide, and such pixels are taken out of the image: no plane is fitted to them.

    Args:
        inverse: Inverse depth, shape ``(height, width)`` [1/m]; 0 afterwards where two planes nearly meet.
        x: Of the columns' rays, shape ``(width,)``.
        y: Of the rows' rays, shape ``(height,)``.
        sums: Of the cells, shape ``(rows, columns, SUMS)``.
        full: Samples of a whole cell, shape ``(rows, columns)``.
        regions: Of the cells, shape ``(rows, columns)``.
        planes: Coefficients of the regions' planes, shape ``(regions, 3)`` [1/m].
        noise: Of the image.
        labels: Region and 1 of each sample, ``NOBODY`` for none, shape ``(height, width)``, int32; written.
    """
    height, width = inverse.shape
    rows, columns = regions.shape
    near = np.empty(_NEIGHBOURS, dtype=np.int32)
    creases = np.empty(height * width, dtype=np.int32)
    ends = 0
    for r in range(rows):
        for c in range(columns):
            count = 0
            inside = regions[r, c] != NO_REGION and sums[r, c, 0] >= MIN_FILLED * full[r, c]
            for i in range(max(0, r - 1), min(rows, r + 2)):
                for j in range(max(0, c - 1), min(columns, c + 2)):
                    region = regions[i, j]
                    inside = inside and region == regions[r, c]
                    if region == NO_REGION:
                        continue
                    known = False
                    for k in range(count):
                        known = known or near[k] == region
                    if not known:
                        near[count] = region
                        count += 1
            label = regions[r, c] + 1 if inside else NOBODY
            for i in range(r * CELL, min(height, (r + 1) * CELL)):
                for j in range(c * CELL, min(width, (c + 1) * CELL)):
                    labels[i, j] = label
                    w = np.float64(inverse[i, j])
                    if inside or count == 0 or w <= 0.0:
                        continue
                    variance, bent = square_noise(w, noise), noise.ripple * w
                    least, best = GATE * GATE * variance + bent * bent, -1
                    for k in range(count):
                        residual = w - _predict(planes[near[k]], x[j], y[i])
                        if residual * residual <= least:
                            least, best = residual * residual, k
                    if best < 0:
                        continue
                    labels[i, j] = near[best] + 1
                    between = False
                    for k in range(count):
                        if k == best:
                            continue
                        difference = _predict(planes[near[k]], x[j], y[i]) - _predict(planes[near[best]], x[j], y[i])
                        if difference * difference < APART * APART * variance + bent * bent:
                            between = True
                            if _measure_near(inverse, x, y, i, j, planes[near[k]]) < _measure_near(
                                inverse, x, y, i, j, planes[near[best]]
                            ):
                                labels[i, j] = near[k] + 1
                    if between:
                        creases[ends] = i * width + j
                        ends += 1
    for k in range(ends):
        inverse[creases[k] // width, creases[k] % width] = 0.0


@njit(cache=True)
def _predict(plane: np.ndarray, x: float, y: float) -> float:
    return plane[0] * x + plane[1] * y + plane[2]


@njit(cache=True)
def _measure_near(inverse: np.ndarray, x: np.ndarray, y: np.ndarray, row: int, column: int, plane: np.ndarray) -> float:
    """Return how far the mean of the samples about one is from a plane [1/m]."""
    height, width = inverse.shape
    total = 0.0
    count = 0
    for i in range(max(0, row - WINDOW), min(height, row + WINDOW + 1)):
        for j in range(max(0, column - WINDOW), min(width, column + WINDOW + 1)):
            if inverse[i, j] > 0.0:
                total += inverse[i, j] - _predict(plane, x[j], y[i])
                count += 1
    return abs(total) / count


@njit(cache=True)
def split_patches(labels: np.ndarray, min_samples: int) -> int:
    """Give every connected patch a number of its own, in place; patches of fewer samples are nobody's.

    Args:
        labels: See ``label_samples``; then numbers of patches from 1, the first found first.
        min_samples: Samples of a patch at least.

    Returns:
        How many patches there are.
    """
    height, width = labels.shape
    capacity = height * width // 2 + height
    starts, ends = np.empty(capacity, dtype=np.int32), np.empty(capacity, dtype=np.int32)
    parents, first_of_row = np.empty(capacity, dtype=np.int32), np.empty(height + 1, dtype=np.int32)
    count = 0
    for i in range(height):
        first_of_row[i] = count
        line = labels[i]
        j = 0
        while j < width:
            label = line[j]
            start = j
            while j < width and line[j] == label:
                j += 1
            if label != NOBODY:
                starts[count], ends[count], parents[count] = start, j, count
                count += 1
    first_of_row[height] = count
    for i in range(1, height):
        above, last = first_of_row[i - 1], first_of_row[i]
        for k in range(first_of_row[i], first_of_row[i + 1]):
            while above < last and ends[above] <= starts[k]:
                above += 1
            other = above
            while other < last and starts[other] < ends[k]:
                if labels[i - 1, starts[other]] == labels[i, starts[k]]:
                    _unite(parents, other, k)
                other += 1
    sizes, numbers = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    for k in range(count):
        sizes[_find(parents, k)] += ends[k] - starts[k]
    patches = 0
    for k in range(count):
        if parents[k] == k and sizes[k] >= min_samples:
            patches += 1
            numbers[k] = patches
    for i in range(height):
        for k in range(first_of_row[i], first_of_row[i + 1]):
            number = numbers[_find(parents, k)]
            for j in range(starts[k], ends[k]):
                labels[i, j] = number
    return patches


@njit(cache=True)
def _find(parents: np.ndarray, k: int) -> int:
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


@njit(cache=True)
def _unite(parents: np.ndarray, a: int, b: int) -> None:
    a, b = _find(parents, a), _find(parents, b)
    if a != b:
        parents[max(a, b)] = min(a, b)


@njit(cache=True)
def sum_patches(inverse: np.ndarray, x: np.ndarray, y: np.ndarray, labels: np.ndarray, patches: np.ndarray) -> None:
    """Write the sums of all patches, shape ``(patches, SUMS)``, of the samples that were measured."""
    height, width = inverse.shape
    patches[:] = 0.0
    line = np.empty(SUMS)
    for i in range(height):
        j = 0
        while j < width:
            label = labels[i, j]
            if label == NOBODY:
                j += 1
                continue
            n = sx = sw = sxx = sxw = sww = 0.0
            while j < width and labels[i, j] == label:
                w = np.float64(inverse[i, j])
                here = 1.0 if w > 0.0 else 0.0
                hx = here * x[j]
                n += here
                sx += hx
                sw += w
                sxx += hx * x[j]
                sxw += w * x[j]
                sww += w * w
                j += 1
            line[0], line[1], line[2], line[3], line[4] = n, sx, n * y[i], sw, sxx
            line[5], line[6], line[7], line[8], line[9] = sx * y[i], n * y[i] * y[i], sxw, sw * y[i], sww
            for k in range(SUMS):
                patches[label - 1, k] += line[k]
