"""Polygons of a plane: supports of standing feet, which are convex, and boundaries of surfaces, which need not be."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from handhold.robots.contact import Stance, compute_sole_corners
from handhold.robots.model import RobotModel


def compute_support_polygon(
    model: RobotModel, stance: Stance, poses: np.ndarray, inset: float, scale: float = 1.0
) -> np.ndarray:
    """Compute the convex hull of the feet in contact, seen from above: corners of soles, middles of point feet.

    A hand counts only where no foot is in contact: one on a wall supports no weight.

    Args:
        model: Robot.
        stance: Contacts.
        poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``.
        inset: How far inside the real edges of each sole the corners are taken [m]; without soles, how far inside the
            hull of the point feet.
        scale: Part of what the inset leaves of each sole, about its centre, that is taken [-].

    Returns:
        Vertices counter-clockwise in world, shape ``(k, 2)`` [m]; empty where the contacts span no area.
    """
    corners = []
    for effector in stance.feet:
        half_lengths = model.effectors[effector].half_lengths
        if half_lengths is not None:
            local = scale * compute_sole_corners(half_lengths, inset)
            corners.append(local @ poses[effector, :2, :3].T + poses[effector, :2, 3])
        else:
            corners.append(poses[effector, None, :2, 3])
    hull = compute_convex_hull(np.concatenate(corners)) if corners else np.zeros((0, 2))
    on_points = all(model.effectors[effector].half_lengths is None for effector in stance.feet)
    return inset_polygon(hull, inset) if on_points else hull


def compute_convex_hull(points: np.ndarray) -> np.ndarray:
    """Compute the hull of points in the plane, shape ``(k, 2)``, counter-clockwise; empty where they span no area."""
    if len(points) < 3:
        return np.zeros((0, 2))
    try:
        hull = ConvexHull(points)
    except QhullError:
        return np.zeros((0, 2))
    return _without_straight_corners(points[hull.vertices])


def _without_straight_corners(vertices: np.ndarray) -> np.ndarray:
    """Drop corners that lie on the line between their neighbours, within 0.1 mm: their edges' normals would be noise."""
    before, after = np.roll(vertices, 1, axis=0), np.roll(vertices, -1, axis=0)
    along = after - before
    height = np.abs(along[:, 0] * (vertices - before)[:, 1] - along[:, 1] * (vertices - before)[:, 0])
    kept = height > 1e-4 * np.linalg.norm(along, axis=1)
    return vertices[kept]


def compute_half_planes(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Compute the half-planes :math:`n_k^T p \leq b_k` of a counter-clockwise convex polygon.

    Args:
        vertices: Shape ``(k, 2)`` [m].

    Returns:
        Outward unit normals, shape ``(k, 2)``, and distances :math:`b`, shape ``(k,)`` [m].
    """
    edges = np.roll(vertices, -1, axis=0) - vertices
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals, np.einsum("ij,ij->i", normals, vertices)


def inset_polygon(vertices: np.ndarray, distance: float) -> np.ndarray:
    """Move every edge of a counter-clockwise convex polygon inwards, shape ``(k, 2)`` [m]; empty where nothing is left."""
    if distance == 0.0 or not len(vertices):
        return vertices
    normals, distances = compute_half_planes(vertices)
    left = np.column_stack([normals, distance - distances])
    middle = vertices.mean(axis=0)
    if np.any(left @ [*middle, 1.0] >= 0.0):
        return np.zeros((0, 2))
    return compute_convex_hull(HalfspaceIntersection(left, middle).intersections)


@njit(cache=True)
def clip_to_polygon(point: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Return the point of a counter-clockwise convex polygon nearest to ``point``, shape ``(2,)`` [m]."""
    count = vertices.shape[0]
    inside = True
    best = np.inf
    nearest = point.copy()
    for k in range(count):
        ax, ay = vertices[k, 0], vertices[k, 1]
        ex, ey = vertices[(k + 1) % count, 0] - ax, vertices[(k + 1) % count, 1] - ay
        px, py = point[0] - ax, point[1] - ay
        if ex * py - ey * px < 0.0:
            inside = False
        fraction = min(1.0, max(0.0, (px * ex + py * ey) / (ex * ex + ey * ey)))
        dx, dy = fraction * ex - px, fraction * ey - py
        if dx * dx + dy * dy < best:
            best = dx * dx + dy * dy
            nearest[0], nearest[1] = ax + fraction * ex, ay + fraction * ey
    return point.copy() if inside else nearest


def are_inside(points: np.ndarray, boundary: np.ndarray) -> np.ndarray:
    """Tell which points, shape ``(m, 2)``, lie in a polygon, counter-clockwise or not, shape ``(k, 2)`` (even-odd rule)."""
    following = np.roll(boundary, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    crosses = (boundary[:, 1] > y) != (following[:, 1] > y)
    height = following[:, 1] - boundary[:, 1]
    ratio = (y - boundary[:, 1]) / np.where(height == 0.0, 1.0, height)
    beyond = boundary[:, 0] + ratio * (following[:, 0] - boundary[:, 0]) > x
    return np.asarray(np.count_nonzero(crosses & beyond, axis=1) % 2 == 1)


@njit(cache=True)
def is_inside(x: float, y: float, boundary: np.ndarray) -> bool:
    """Tell whether one point lies in a polygon, as ``are_inside``, in compiled code."""
    inside = False
    for k in range(len(boundary)):
        here, after = boundary[k], boundary[(k + 1) % len(boundary)]
        if (here[1] > y) != (after[1] > y):
            inside ^= here[0] + (y - here[1]) / (after[1] - here[1]) * (after[0] - here[0]) > x
    return inside


@njit(cache=True)
def compute_distance_inside(x: float, y: float, boundary: np.ndarray) -> float:
    """Compute how far inside a polygon a point is from its sides, negative outside [m].

    Args:
        x: Of the point [m].
        y: Likewise.
        boundary: The polygon's corners, counter-clockwise or not, convex or not, shape ``(k, 2)`` [m].
    """
    nearest_x, nearest_y = find_nearest_on_boundary(x, y, boundary)
    distance = math.hypot(nearest_x - x, nearest_y - y)
    return distance if is_inside(x, y, boundary) else -distance


@njit(cache=True)
def find_nearest_on_boundary(x: float, y: float, boundary: np.ndarray) -> tuple[float, float]:
    """Return the point of a polygon's sides, shape ``(k, 2)`` [m], that is nearest to a point [m]."""
    best, nearest_x, nearest_y = np.inf, x, y
    for k in range(len(boundary)):
        ax, ay = boundary[k]
        ex, ey = boundary[(k + 1) % len(boundary)] - boundary[k]
        square = ex * ex + ey * ey
        ratio = 0.0 if square == 0.0 else min(1.0, max(0.0, ((x - ax) * ex + (y - ay) * ey) / square))
        distance = math.hypot(ax + ratio * ex - x, ay + ratio * ey - y)
        if distance < best:
            best, nearest_x, nearest_y = distance, ax + ratio * ex, ay + ratio * ey
    return nearest_x, nearest_y
