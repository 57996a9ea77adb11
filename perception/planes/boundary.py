"""Boundaries of planes: from their outlines in the image to polygons in the planes themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.planes.contours import simplify_contour, trace_contours
from handhold.perception.planes.plane import Plane, PlaneImage

TOLERANCE = 1.0
"""How far a boundary may be from the outline that it simplifies [samples]."""

MIN_HOLE = 60
"""Samples of a hole at least; smaller ones are the camera's."""

_CONTOURS = 1024
_POINTS_PER_SAMPLE = 2


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Patch:
    """A plane with its boundary, in the camera's optical axes.

    Attributes:
        plane: What was fitted.
        pose: z the normal towards the camera, the origin in the middle of the patch, shape ``(4, 4)``.
        boundary: Polygon in the plane's own x and y, counter-clockwise, shape ``(k, 2)`` [m].
        holes: Polygons of what within it is not the plane's, clockwise.
    """

    plane: Plane
    pose: np.ndarray
    boundary: np.ndarray
    holes: tuple[np.ndarray, ...] = ()


def find_boundaries(image: PlaneImage, max_depth: float) -> tuple[Patch, ...]:
    """Find the boundaries of all planes of an image, in their order.

    Args:
        image: The planes, and who each sample belongs to.
        max_depth: Depth to which a plane reaches at most [m]: near its horizon it would go on for ever.
    """
    planes = {plane.label: plane for plane in image.planes}
    points = np.empty((_POINTS_PER_SAMPLE * image.labels.size, 2), dtype=np.float32)
    contours = np.empty((_CONTOURS, 4), dtype=np.int64)
    count, _ = trace_contours(image.labels, points, contours)
    outlines: dict[int, list[np.ndarray]] = {label: [] for label in planes}
    for label, start, end, area in contours[:count].tolist():
        if label in planes and (area > 0 or -area >= 2 * MIN_HOLE):
            outline = _simplify(points[start:end])
            # the first outline of a patch that is found is the one about it
            if len(outline) >= 3:
                outlines[label].append(outline)
    return tuple(_lay(plane, outlines[plane.label], image, max_depth) for plane in image.planes if outlines[plane.label])


def _simplify(points: np.ndarray) -> np.ndarray:
    kept = np.empty(len(points) + 1, dtype=np.int64)
    return points[kept[: simplify_contour(points, TOLERANCE, kept)]]


def _lay(plane: Plane, outlines: list[np.ndarray], image: PlaneImage, max_depth: float) -> Patch:
    """Lay outlines in the image onto the plane."""
    first_x, first_y = float(image.x[0]), float(image.y[0])
    steps = float(image.x[1]) - first_x, float(image.y[1]) - first_y
    corners = []
    for outline in outlines:
        rays = np.column_stack([first_x + steps[0] * outline[:, 0], first_y + steps[1] * outline[:, 1], np.ones(len(outline))])
        corners.append(rays / np.maximum(rays @ plane.coefficients, 1.0 / max_depth)[:, None])
    pose = np.eye(4)
    pose[:3, :3] = _find_axes(plane.normal)
    middle = corners[0].mean(axis=0)
    pose[:3, 3] = middle - (plane.normal @ middle + plane.distance) * plane.normal
    # The image's y is down: an outline that goes round to the right there goes to the left as the normal sees it.
    flat = [((corner - pose[:3, 3]) @ pose[:3, :2])[::-1] for corner in corners]
    return Patch(plane=plane, pose=pose, boundary=flat[0], holes=tuple(flat[1:]))


def _find_axes(normal: np.ndarray) -> np.ndarray:
    """Return axes as columns: z the normal, x as near to the image's x as it gets."""
    x = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    x -= (x @ normal) * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
