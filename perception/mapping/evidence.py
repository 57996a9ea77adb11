"""What an image says of the cells of a surface: seen again, taken by another surface, seen through, or nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from handhold.perception.planes.labels import NOBODY, WINDOW
from handhold.perception.planes.noise import Noise, square_noise

CELL = 0.015
"""Side of a cell [m]: a boundary is known to half of it."""

SOLID, FREE = 3, -2
"""Evidence from which on a cell is a part of the surface, and up to which it is known to be free."""

MAX_EVIDENCE, MIN_EVIDENCE = 10, -6
"""Bounds of the evidence: what was seen for a minute is forgotten in five images."""

HIT, TAKEN, MISS = 1, -1, -2
"""What an image adds where a cell is seen, where another surface is seen in its place, and where it is seen through."""

MAX_OFFSET = 0.015
"""Error of the surface or the camera's pose for which a pixel still lies in the surface [m], beside the noise."""

MIN_BEHIND = 0.03
"""How much further than a surface a pixel must be to see through it [m], beside the noise."""

CORE = 1
"""Cells about one, in each direction, that belong to a part with it where the part is wide: 45 mm."""

MAX_MISFIT = 0.5
"""Residuals of a patch beyond noise, in its standard deviation, up to which it is flat everywhere [-]."""

_GATE, _THROUGH = 3.0, 4.0
"""Standard deviations of the noise within which a pixel lies in the surface, and beyond which it is behind it [-]."""

_NEAR = 0.1


class Seen(NamedTuple):
    """What an image shows, as compiled code takes it.

    Attributes:
        inverse: Samples of inverse depth, shape ``(height, width)`` [1/m].
        labels: Patches that they belong to.
        planes: Coefficients of the patches' planes, shape ``(patches + 1, 3)`` [1/m]; NaN where there is none.
        misfits: Residuals of the patches beyond noise, in its standard deviation, shape ``(patches + 1,)`` [-]; infinite where
            there is no plane.
        pinhole: Ray of the first column, step from one to the next, the same of the rows, shape ``(4,)``.
        noise: Of the image.
    """

    inverse: np.ndarray
    labels: np.ndarray
    planes: np.ndarray
    misfits: np.ndarray
    pinhole: np.ndarray
    noise: Noise


@njit(cache=True)
def count_votes(evidence: np.ndarray, corner: np.ndarray, transform: np.ndarray, seen: Seen, votes: np.ndarray) -> int:
    """Count which patches of an image lie where the cells of a surface should be seen.

    Args:
        evidence: Of the cells, rows along y, shape ``(rows, columns)``, int8.
        corner: Where the first cell begins in the surface's x and y, shape ``(2,)`` [m].
        transform: From the surface to the camera, shape ``(4, 4)``.
        seen: The image.
        votes: How many known cells see each patch; written, shape ``(patches + 1,)``.

    Returns:
        How many known cells are in sight: where something was measured that does not hide them.
    """
    votes[:] = 0
    in_sight = 0
    for r in range(evidence.shape[0]):
        for c in range(evidence.shape[1]):
            if evidence[r, c] <= 0:
                continue
            i, j, w = _project(r, c, corner, transform, seen)
            if i < 0:
                continue
            measured, noise = _measure(i, j, w, seen)
            gate = _GATE * noise + 2.0 * MAX_OFFSET * w * w
            if measured <= 0.0 or measured > w + gate:
                continue
            in_sight += 1
            if measured >= w - gate:
                votes[seen.labels[i, j]] += 1
    return in_sight


@njit(cache=True)
def add_evidence(evidence: np.ndarray, corner: np.ndarray, transform: np.ndarray, seen: Seen, own: np.ndarray) -> int:
    """Add what an image says to the evidence of all cells of a surface.

    Args:
        evidence: Of the cells, rows along y, shape ``(rows, columns)``, int8; written.
        corner: Where the first cell begins in the surface's x and y, shape ``(2,)`` [m].
        transform: From the surface to the camera, shape ``(4, 4)``.
        seen: The image.
        own: Which patches of the image are this surface, shape ``(patches + 1,)``, bool.

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
            change, again = _judge(i, j, w, known > 0, own, seen)
            evidence[r, c] = min(MAX_EVIDENCE, max(MIN_EVIDENCE, known + change))
            hits += again
    return hits


@njit(cache=True)
def _judge(i: int, j: int, w: float, known: bool, own: np.ndarray, seen: Seen) -> tuple[int, bool]:
    """Judge a cell by the sample that sees it: what it adds to the evidence, and whether the cell was seen again.

    A patch that is not flat is often several from far away, or bent by the camera: it counts where the samples about this one
    lie in its plane. A cell is seen where its sample belongs to one of the surface's patches. A sample of no patch in the
    plane is too noisy for evidence, but lets what is known not grow old. Where another surface's patch lies in the plane, a
    cell that two know is given up by the one that is not seen. What is nearer hides the cell and says nothing.
    """
    label = seen.labels[i, j]
    flat = seen.misfits[label] <= MAX_MISFIT
    if own[label] and (flat or _lies_in(i, j, w, label, seen)):
        return HIT, True
    measured, noise = _measure(i, j, w, seen)
    if measured <= 0.0:
        return 0, False
    behind, gate = w - measured, _GATE * noise + MAX_OFFSET * w * w
    has_plane = np.isfinite(seen.planes[label, 0])
    through = _THROUGH * noise + (MAX_OFFSET if has_plane else MIN_BEHIND) * w * w
    if behind > through:
        return MISS, False
    if not known or abs(behind) > gate:
        return 0, False
    if own[label] or not (flat or _lies_in(i, j, w, label, seen)):
        return 0, True
    return TAKEN, False


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
def _lies_in(i: int, j: int, w: float, label: int, seen: Seen) -> bool:
    """Return whether the samples about one lie in the plane of a patch on average, which has less noise than each of them."""
    x0, x1, y0, y1 = seen.pinhole
    a, b, c = seen.planes[label]
    if not np.isfinite(a):
        return False
    rows, columns = seen.inverse.shape
    total, count = 0.0, 0
    for k in range(max(0, i - WINDOW), min(rows, i + WINDOW + 1)):
        for m in range(max(0, j - WINDOW), min(columns, j + WINDOW + 1)):
            if seen.inverse[k, m] > 0.0:
                total += seen.inverse[k, m] - a * (x0 + m * x1) - b * (y0 + k * y1) - c
                count += 1
    if count == 0:
        return False
    noise = np.sqrt(square_noise(w, seen.noise) / count)
    return abs(total) / count <= _GATE * noise + MAX_OFFSET * w * w


@njit(cache=True)
def _measure(i: int, j: int, w: float, seen: Seen) -> tuple[float, float]:
    """Return what is seen at a sample and its noise: of a patch by its plane, in which only what is not flat is left."""
    label = seen.labels[i, j]
    a, b, c = seen.planes[label]
    if label != NOBODY and np.isfinite(a):
        x, y = seen.pinhole[0] + j * seen.pinhole[1], seen.pinhole[2] + i * seen.pinhole[3]
        return a * x + b * y + c, seen.misfits[label] * np.sqrt(square_noise(w, seen.noise))
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
