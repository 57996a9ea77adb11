r"""The image in cells: inverse depth of every other pixel, and the sums of each cell.

The noise of inverse depth, where nobody tells it, is that of the flattest cells: a low percentile of their residuals is a
property of the camera and not of the scene, as long as some of what is seen is flat.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.planes.moments import SUMS, fit_plane

CELL = 6
"""Samples along the side of a cell."""

MIN_FILLED = 0.6
"""Part of a cell's samples that must have been measured for it to count [-]."""

NOISE_PERCENTILE = 25.0
"""Of the cells' residuals, taken as the noise: three quarters of an image may be anything but flat."""

_PERCENTILE_TO_SIGMA = 1.09
"""A cell of 36 samples in a plane has a residual of 1 - 0.68 / sqrt(2 * 33) times the noise at that percentile."""


def estimate_noise(sums: np.ndarray, residuals: np.ndarray, full: np.ndarray, rounding: float) -> float:
    """Estimate the standard deviation of inverse depth [1/m].

    Args:
        sums: Of the cells, shape ``(rows, columns, SUMS)``.
        residuals: Mean squares of their residuals to planes of their own, shape ``(rows, columns)`` [1/m^2].
        full: Samples of a whole cell, shape ``(rows, columns)``.
        rounding: Standard deviation of depth by its unit [m].

    Returns:
        What is not rounding; 0 where no cell is filled.
    """
    filled = (sums[:, :, 0] >= 0.9 * full) & np.isfinite(residuals)
    if not filled.any():
        return 0.0
    w = sums[:, :, 3][filled] / sums[:, :, 0][filled]
    square = residuals[filled] - (rounding * w * w) ** 2
    k = int(NOISE_PERCENTILE / 100.0 * (len(square) - 1))
    return _PERCENTILE_TO_SIGMA * float(np.sqrt(max(0.0, np.partition(square, k)[k])))


@njit(cache=True)
def invert_depth(depth: np.ndarray, unit: float, max_depth: float, stride: int, inverse: np.ndarray) -> None:
    """Write the inverse depth of every so many pixels, shape ``(rows, columns)``, float32; 0 where there is none."""
    rows, columns = inverse.shape
    scale, limit = np.float32(1.0 / unit), min(max_depth / unit, 65535.0)
    for i in range(rows):
        line = depth[i * stride]
        for j in range(columns):
            d = line[j * stride]
            inverse[i, j] = scale / np.float32(d) if 0 < d <= limit else np.float32(0.0)


@njit(cache=True)
def sum_cells(inverse: np.ndarray, x: np.ndarray, y: np.ndarray, sums: np.ndarray, residuals: np.ndarray) -> None:
    """Write the sums of all cells, shape ``(rows, columns, SUMS)``, and their mean square residuals."""
    height, width = inverse.shape
    sums[:] = 0.0
    plane = np.empty(3)
    for r in range(sums.shape[0]):
        for i in range(r * CELL, min(height, (r + 1) * CELL)):
            for c in range(sums.shape[1]):
                n = sx = sw = sxx = sxw = sww = 0.0
                for j in range(c * CELL, min(width, (c + 1) * CELL)):
                    w = np.float64(inverse[i, j])
                    here = 1.0 if w > 0.0 else 0.0
                    hx = here * x[j]
                    n += here
                    sx += hx
                    sw += w
                    sxx += hx * x[j]
                    sxw += w * x[j]
                    sww += w * w
                cell = sums[r, c]
                cell[0] += n
                cell[1] += sx
                cell[2] += n * y[i]
                cell[3] += sw
                cell[4] += sxx
                cell[5] += sx * y[i]
                cell[6] += n * y[i] * y[i]
                cell[7] += sxw
                cell[8] += sw * y[i]
                cell[9] += sww
    for r in range(sums.shape[0]):
        for c in range(sums.shape[1]):
            residuals[r, c] = fit_plane(sums[r, c], plane)


def allocate_cells(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Allocate the sums and residuals of the cells of an image, and write how many samples each has when it is whole."""
    tall, wide = np.full(-(-rows // CELL), CELL), np.full(-(-columns // CELL), CELL)
    tall[-1], wide[-1] = rows - CELL * (len(tall) - 1), columns - CELL * (len(wide) - 1)
    sums = np.zeros((len(tall), len(wide), SUMS))
    return sums, np.zeros(sums.shape[:2]), np.outer(tall, wide).astype(np.float64)
