r"""Sums over pixels of an image of inverse depth, and the plane that fits them best.

A plane is linear in inverse depth, :math:`w = 1/Z = A x + B y + C` with x and y along the ray of a pixel at unit depth, and
stereo's noise of w is the same everywhere. Least squares over any set of pixels therefore need ten sums only,

.. math:: n, \; \sum x, \; \sum y, \; \sum w, \; \sum x^2, \; \sum xy, \; \sum y^2, \; \sum xw, \; \sum yw, \; \sum w^2,

and sets are joined by adding them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SUMS = 10
"""Sums of a set of pixels, in the order above."""

_MIN_DETERMINANT = 1e-30


@njit(cache=True)
def fit_plane(sums: np.ndarray, plane: np.ndarray) -> float:
    """Fit a plane to a set of pixels.

    Args:
        sums: Of the pixels, shape ``(SUMS,)``.
        plane: Coefficients A, B, C, shape ``(3,)`` [1/m]; written.

    Returns:
        Mean square of the residuals, by as many pixels as are free [1/m^2]; infinite where the pixels make no plane.
    """
    n = sums[0]
    if n < 4.0:
        return np.inf
    mx, my, mw = sums[1] / n, sums[2] / n, sums[3] / n
    cxx, cxy, cyy = sums[4] - sums[1] * mx, sums[5] - sums[1] * my, sums[6] - sums[2] * my
    cxw, cyw, cww = sums[7] - sums[1] * mw, sums[8] - sums[2] * mw, sums[9] - sums[3] * mw
    determinant = cxx * cyy - cxy * cxy
    if determinant < _MIN_DETERMINANT:
        return np.inf
    a = (cxw * cyy - cyw * cxy) / determinant
    b = (cyw * cxx - cxw * cxy) / determinant
    plane[0], plane[1], plane[2] = a, b, mw - a * mx - b * my
    return max(0.0, cww - a * cxw - b * cyw) / (n - 3.0)


@njit(cache=True)
def measure_residuals(sums: np.ndarray, plane: np.ndarray) -> tuple[float, float]:
    """Return the mean of the residuals of a set of pixels to a plane [1/m], and the mean of their squares [1/m^2]."""
    n, a, b, c = sums[0], plane[0], plane[1], plane[2]
    mean = (sums[3] - a * sums[1] - b * sums[2]) / n - c
    square = (
        sums[9]
        + a * a * sums[4]
        + b * b * sums[6]
        + 2.0 * (a * b * sums[5] - a * sums[7] - b * sums[8])
        + c * (c * n + 2.0 * (a * sums[1] + b * sums[2] - sums[3]))
    ) / n
    return mean, max(square, 0.0)
