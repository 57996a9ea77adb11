"""Outlines of the patches of a label image, along the cracks between samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.planes.labels import NOBODY

# Steps east, south, west and north, in rows and columns; the patch is to the right of each.
_ROWS = np.array([0, 1, 0, -1])
_COLUMNS = np.array([1, 0, -1, 0])


@njit(cache=True)
def trace_contours(labels: np.ndarray, points: np.ndarray, contours: np.ndarray) -> tuple[int, int]:
    """Trace the outlines of all patches, and of the holes in them.

    An outline goes from middle to middle of the cracks between samples, so that a slanted edge, which is a staircase of them,
    becomes a line where it is. Patches are connected by sides, as ``split_patches`` has them.

    Args:
        labels: Numbers of the patches, shape ``(rows, columns)``; ``NOBODY`` is none.
        points: Middles of cracks, columns and rows with the middle of the first sample at 0, shape ``(capacity, 2)``; written.
        contours: A row for each: patch, first point, end, and twice the area that it surrounds, negative for a hole, shape
            ``(capacity, 4)``; written.

    Returns:
        How many contours and how many points there are; what goes beyond the capacity is left out.
    """
    height, width = labels.shape
    seen = np.zeros((height, width), dtype=np.bool_)
    count = used = 0
    for i in range(height):
        for j in range(width):
            label = labels[i, j]
            if label == NOBODY or seen[i, j] or (i > 0 and labels[i - 1, j] == label):
                continue
            if count == len(contours):
                return count, used
            end, area = _trace(labels, seen, i, j, points, used)
            if end > len(points):
                return count, used
            contours[count, 0], contours[count, 1], contours[count, 2], contours[count, 3] = label, used, end, area
            count, used = count + 1, end
    return count, used


@njit(cache=True)
def _trace(labels: np.ndarray, seen: np.ndarray, row: int, column: int, points: np.ndarray, start: int) -> tuple[int, int]:
    """Trace the outline that passes over a sample; returns where its points end, and twice its area."""
    height, width = labels.shape
    label = labels[row, column]
    # Corner (i, j) is the upper left one of sample (i, j).
    i, j, direction = row, column, 0
    end = start
    area = 0
    while True:
        if direction == 0:
            seen[i, j] = True
        if end < len(points):
            points[end, 0] = j + 0.5 * _COLUMNS[direction] - 0.5
            points[end, 1] = i + 0.5 * _ROWS[direction] - 0.5
        end += 1
        area += j * _ROWS[direction] - i * _COLUMNS[direction]
        i, j = i + _ROWS[direction], j + _COLUMNS[direction]
        # Samples ahead of the corner, to the right and to the left.
        if direction == 0:
            right, left = (i, j), (i - 1, j)
        elif direction == 1:
            right, left = (i, j - 1), (i, j)
        elif direction == 2:
            right, left = (i - 1, j - 1), (i, j - 1)
        else:
            right, left = (i - 1, j), (i - 1, j - 1)
        if not (0 <= right[0] < height and 0 <= right[1] < width and labels[right[0], right[1]] == label):
            direction = (direction + 1) % 4
        elif 0 <= left[0] < height and 0 <= left[1] < width and labels[left[0], left[1]] == label:
            direction = (direction + 3) % 4
        if i == row and j == column and direction == 0:
            return end, area


@njit(cache=True)
def simplify_contour(points: np.ndarray, tolerance: float, kept: np.ndarray) -> int:
    r"""Leave out points of a closed outline that are no further than a tolerance from the line between those that are kept.

    Ramer's and Douglas and Peucker's way, from the two points that are furthest apart (nearly: the point furthest from the
    first, and the point furthest from that).

    Args:
        points: The outline, shape ``(points, 2)``.
        tolerance: In the unit of the points.
        kept: Indices of what is left, shape ``(points + 1,)``; written.

    Returns:
        How many points are left.
    """
    n = len(points)
    first = _find_furthest(points, 0)
    opposite = _find_furthest(points, first)
    keep = np.zeros(n, dtype=np.bool_)
    keep[first] = keep[opposite] = True
    stack = np.empty((n + 2, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = first, opposite
    stack[1, 0], stack[1, 1] = opposite, first
    depth = 2
    while depth:
        depth -= 1
        a, b = stack[depth]
        length = (b - a) % n
        ax, ay = points[a]
        dx, dy = points[b, 0] - ax, points[b, 1] - ay
        norm = np.sqrt(dx * dx + dy * dy)
        worst, furthest = tolerance, -1
        for step in range(1, length):
            k = (a + step) % n
            distance = abs(dx * (points[k, 1] - ay) - dy * (points[k, 0] - ax)) / norm if norm > 0.0 else 0.0
            if distance > worst:
                worst, furthest = distance, k
        if furthest >= 0:
            keep[furthest] = True
            stack[depth, 0], stack[depth, 1] = a, furthest
            stack[depth + 1, 0], stack[depth + 1, 1] = furthest, b
            depth += 2
    count = 0
    for step in range(n):
        k = (first + step) % n
        if keep[k]:
            kept[count] = k
            count += 1
    return count


@njit(cache=True)
def _find_furthest(points: np.ndarray, k: int) -> int:
    furthest, most = k, -1.0
    for other in range(len(points)):
        distance = (points[other, 0] - points[k, 0]) ** 2 + (points[other, 1] - points[k, 1]) ** 2
        if distance > most:
            furthest, most = other, distance
    return furthest
