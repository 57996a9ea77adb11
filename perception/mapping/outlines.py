"""Outlines of the surfaces of a map as polygons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.perception.mapping.evidence import CELL
from handhold.perception.mapping.tracked_surface import TrackedSurface
from handhold.perception.planes.contours import simplify_contour, trace_contours
from handhold.perception.planes.labels import split_patches

TOLERANCE = 1.0
"""How far a polygon may be from the outline of the cells [cells]."""

MIN_HOLE = 16
"""Cells of a hole at least: 6 cm across."""

_CONTOURS = 512


def draw_outlines(surface: TrackedSurface, min_area: float) -> Iterator[tuple[np.ndarray, float]]:
    """Draw the polygon of each connected part of a surface.

    A polygon with holes goes through a slit to each of them and back: it is one line still, and what asks whether a point is
    inside, and how far from its sides, is answered rightly or on the safe side.

    Yields:
        Polygon in the surface's x and y, counter-clockwise, shape ``(k, 2)`` [m], and its area [m^2].
    """
    labels = surface.solid.astype(np.int32)
    parts = split_patches(labels, round(min_area / CELL**2))
    points = np.empty((2 * labels.size + 4, 2), dtype=np.float32)
    contours = np.empty((_CONTOURS, 4), dtype=np.int64)
    count, _ = trace_contours(labels, points, contours)
    outer: dict[int, np.ndarray] = {}
    areas = dict.fromkeys(range(1, parts + 1), 0.0)
    holes: list[list[np.ndarray]] = [[] for _ in range(parts + 1)]
    for label, start, end, area in contours[:count].tolist():
        if -area >= 2 * MIN_HOLE:
            holes[label].append(_simplify(points[start:end]))
        elif area > 0:
            outer[label] = _simplify(points[start:end])
        areas[label] += 0.5 * area * CELL**2
    for label, polygon in outer.items():
        if len(polygon) >= 3:
            # the middle of the first cell is at 0 in the outlines
            yield surface.corner + CELL * (cut_to_holes(polygon, holes[label]) + 0.5), areas[label]


def _simplify(points: np.ndarray) -> np.ndarray:
    kept = np.empty(len(points) + 1, dtype=np.int64)
    return points[kept[: simplify_contour(points, TOLERANCE, kept)]].astype(np.float64)


def cut_to_holes(polygon: np.ndarray, holes: list[np.ndarray]) -> np.ndarray:
    """Return a polygon with a slit to each of its holes, from the nearest corner to the nearest, shape ``(k, 2)``.

    Args:
        polygon: Counter-clockwise.
        holes: Clockwise.
    """
    for hole in holes:
        if len(hole) < 3:
            continue
        distances = np.linalg.norm(polygon[:, None] - hole[None], axis=2)
        a, b = np.unravel_index(int(np.argmin(distances)), distances.shape)
        around = np.roll(hole, -int(b), axis=0)
        polygon = np.concatenate([polygon[: a + 1], around, around[:1], polygon[a:]])
    return polygon
