"""What an image says of the cells of a surface: seen again, seen through, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from handhold.perception.planes.labels import NOBODY
from handhold.perception.planes.noise import Noise, square_noise

CELL = 0.015
"""Side of a cell [m]: a boundary is known to half of it."""

SOLID, FREE = 3, -2
"""Evidence from which on a cell is a part of the surface, and up to which it is known to be free."""

MAX_EVIDENCE, MIN_EVIDENCE = 10, -6
"""Bounds of the evidence: what was seen for a minute is forgotten in five images."""

HIT, MISS = 1, -2
"""What an image adds."""

MAX_OFFSET = 0.015
"""Error of the surface or the camera's pose for which a pixel still lies in the surface [m], beside the noise."""

MIN_BEHIND = 0.03
"""How much further than a surface a pixel must be to see through it [m], beside the noise."""

CORE = 1
"""Cells about one, in each direction, that belong to a part with it where the part is wide: 45 mm."""

_GATE, _THROUGH = 3.0, 4.0
"""Standard deviations of the noise within which a pixel lies in the surface, and beyond which it is behind it [-]."""

_NEAR = 0.1


class Seen(NamedTuple):
    """What an image shows, as compiled code takes it.

    Attributes:
        inverse: Samples of inverse depth, shape ``(height, width)`` [1/m].
        labels: Patches that they belong to.
        planes: Coefficients of the patches' planes, shape ``(patches + 1, 3)`` [1/m]; NaN where there is none.
        pinhole: Ray of the first column, step from one to the next, the same of the rows, shape ``(4,)``.
        noise: Of the image.
    """

    inverse: np.ndarray
    labels: np.ndarray
    planes: np.ndarray
    pinhole: np.ndarray
    noise: Noise


@njit(cache=True)
def count_votes(evidence: np.ndarray, corner: np.ndarray, transform: np.ndarray, seen: Seen, votes: np.ndarray) -> None:
    """Count which patches of an image lie where the cells of a surface should be seen.

    Args:
        evidence: Of the cells, rows along y, shape ``(rows, columns)``, int8.
        corner: Where the first cell begins in the surface's x and y, shape ``(2,)`` [m].
        transform: From the surface to the camera, shape ``(4, 4)``.
        seen: The image.
        votes: How many solid cells see each patch; written, shape ``(patches + 1,)``.
    """
    votes[:] = 0
    for r in range(evidence.shape[0]):
        for c in range(evidence.shape[1]):
            if evidence[r, c] <= 0:
                continue
            i, j, w = _project(r, c, corner, transform, seen)
            if i < 0:
                continue
            measured, noise = _measure(i, j, w, seen)
            if measured > 0.0 and abs(measured - w) <= _GATE * noise + 2.0 * MAX_OFFSET * w * w:
                votes[seen.labels[i, j]] += 1


@njit(cache=True)
def add_evidence(evidence: np.ndarray, corner: np.ndarray, transform: np.ndarray, seen: Seen, label: int) -> int:
    """Add what an image says to the evidence of all cells of a surface.

    A cell is seen again where its pixel belongs to the surface's patch, and one that is known also where the pixel lies in
    the plane. What is nearer hides it and says nothing.

    Args:
        evidence: Of the cells, rows along y, shape ``(rows, columns)``, int8; written.
        corner: Where the first cell begins in the surface's x and y, shape ``(2,)`` [m].
        transform: From the surface to the camera, shape ``(4, 4)``.
        seen: The image.
        label: Patch of the image that is this surface; ``NOBODY`` where none is.

    Returns:
        How many cells were seen again.
    """
    hits = 0
    for r in range(evidence.shape[0]):
        for c in range(evidence.shape[1]):
            i, j, w = _project(r, c, corner, transform, seen)
            if i < 0:
                continue
            known = evidence[r, c]
            if label != NOBODY and seen.labels[i, j] == label:
                evidence[r, c] = min(MAX_EVIDENCE, known + HIT)
                hits += 1
                continue
            measured, noise = _measure(i, j, w, seen)
            if measured <= 0.0:
                continue
            if known > 0 and abs(measured - w) <= _GATE * noise + MAX_OFFSET * w * w:
                evidence[r, c] = min(MAX_EVIDENCE, known + HIT)
                hits += 1
            elif measured < w - _THROUGH * noise - MIN_BEHIND * w * w:
                evidence[r, c] = max(MIN_EVIDENCE, known + MISS)
    return hits


@njit(cache=True)
def find_wide_parts(parts: np.ndarray, count: int) -> np.ndarray:
    """Find which connected parts of a surface are wide somewhere (``CORE``).

    Args:
        parts: Number of the part of each cell from 1, 0 for none, shape ``(rows, columns)``.
        count: How many parts there are.

    Returns:
        Shape ``(count,)``, bool.
    """
    wide = np.zeros(count, dtype=np.bool_)
    rows, columns = parts.shape
    for r in range(CORE, rows - CORE):
        for c in range(CORE, columns - CORE):
            part = parts[r, c]
            if part == 0 or wide[part - 1]:
                continue
            whole = True
            for i in range(r - CORE, r + CORE + 1):
                for j in range(c - CORE, c + CORE + 1):
                    whole = whole and parts[i, j] == part
            wide[part - 1] = whole
    return wide


@njit(cache=True)
def _measure(i: int, j: int, w: float, seen: Seen) -> tuple[float, float]:
    """Return what is seen at a sample and its noise: of a patch by its plane, in which that of single pixels is gone."""
    label = seen.labels[i, j]
    a, b, c = seen.planes[label]
    if label != NOBODY and np.isfinite(a):
        x, y = seen.pinhole[0] + j * seen.pinhole[1], seen.pinhole[2] + i * seen.pinhole[3]
        return a * x + b * y + c, 0.0
    return seen.inverse[i, j], np.sqrt(square_noise(w, seen.noise))


@njit(cache=True)
def _project(row: int, column: int, corner: np.ndarray, transform: np.ndarray, seen: Seen) -> tuple[int, int, float]:
    """Return the sample that sees the middle of a cell, and the inverse depth that it should have; row -1 for none."""
    u, v = corner[0] + (column + 0.5) * CELL, corner[1] + (row + 0.5) * CELL
    z = transform[2, 0] * u + transform[2, 1] * v + transform[2, 3]
    if z < _NEAR:
        return -1, -1, 0.0
    w = 1.0 / z
    x = (transform[0, 0] * u + transform[0, 1] * v + transform[0, 3]) * w
    y = (transform[1, 0] * u + transform[1, 1] * v + transform[1, 3]) * w
    pinhole = seen.pinhole
    j, i = int(np.rint((x - pinhole[0]) / pinhole[1])), int(np.rint((y - pinhole[2]) / pinhole[3]))
    if not (0 <= i < seen.inverse.shape[0] and 0 <= j < seen.inverse.shape[1]):
        return -1, -1, w
    return i, j, w
