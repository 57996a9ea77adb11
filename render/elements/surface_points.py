"""Figures laid on a surface, all of one surface together: arrays that numpy makes of a few numbers take a microsecond each."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def lay_points(pose: np.ndarray, points: np.ndarray, figures: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Lay points of several figures on a surface: :math:`p = R (s_x x, s_y y, l) + t`.

    Args:
        pose: Of the surface, z its outward normal, shape ``(4, 4)``.
        points: Of all figures in their own x and y, shape ``(points, 2)``.
        figures: Which figure each is a point of, shape ``(points,)``.
        sizes: Of each figure its sizes along x and y and its lift off the surface, shape ``(figures, 3)`` [m].

    Returns:
        The points in the pose's parent frame, shape ``(points, 3)``, float32 [m].
    """
    laid = np.empty((len(points), 3), dtype=np.float32)
    for k in range(len(points)):
        size = sizes[figures[k]]
        x, y, z = size[0] * points[k, 0], size[1] * points[k, 1], size[2]
        for i in range(3):
            laid[k, i] = pose[i, 0] * x + pose[i, 1] * y + pose[i, 2] * z + pose[i, 3]
    return laid
