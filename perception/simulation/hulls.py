r"""Convex bodies as triangles, and the same bodies grown by a margin.

A vertex v of a body with the outward normals :math:`n_f` of its faces there is moved by the shortest displacement that moves
all of these faces outwards by the margin m,

.. math:: \min \|d_v\|^2 \quad \text{subject to} \quad n_f^T d_v \ge m ,

after which the body has all points within m of it: in every direction u, which is a sum of the normals at some vertex with
factors that are not negative, it reaches at least :math:`m \|u\|` further. The displacement is found as Lawson and Hanson,
Solving Least Squares Problems (1974), chapter 23, reduce it to least squares without negative unknowns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handhold.perception.errors import PerceptionError
from handhold.perception.simulation.triangles import Triangles


class FlatBody(PerceptionError):
    """A shape that shall be a convex body encloses nothing.

    Attributes:
        points: How many points it has.
    """

    def __init__(self, points: int) -> None:
        self.points = points
        super().__init__(f"a body of {points} points that lie in a plane: give it a thickness, or leave it out")


def make_hull(vertices: np.ndarray) -> Triangles:
    """Make the convex hull of points; every triangle is a face of its own, its corners counter-clockwise from outside.

    Args:
        vertices: Shape ``(points, 3)`` [m].

    Raises:
        FlatBody: They lie in a plane.
    """
    hull = _find_hull(vertices)
    corners = hull.points[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ti,ti->t", normals, hull.equations[:, :3]) < 0.0
    corners[inward] = corners[inward][:, [0, 2, 1]]
    return Triangles(corners, np.arange(len(corners), dtype=np.int32))


def grow(body: Triangles, margin: float) -> Triangles:
    """Return a convex body with all that is within a margin of it, and a little more at sharp corners.

    Args:
        body: The body; of one that is not convex its hull is grown.
        margin: Distance [m].

    Raises:
        FlatBody: It encloses nothing.
    """
    hull = _find_hull(body.corners.reshape(-1, 3))
    grown = [
        hull.points[vertex] + _displace(hull.equations[(hull.simplices == vertex).any(axis=1), :3], margin)
        for vertex in hull.vertices
    ]
    return make_hull(np.array(grown))


def contains(body: Triangles, point: np.ndarray) -> bool:
    """Tell whether a point is within a convex body.

    Args:
        body: The body.
        point: In the body's frame, shape ``(3,)`` [m].

    Raises:
        FlatBody: It encloses nothing.
    """
    faces = _find_hull(body.corners.reshape(-1, 3)).equations
    return bool((faces[:, :3] @ point + faces[:, 3] <= 0.0).all())


def _find_hull(points: np.ndarray) -> Any:
    """Return the convex hull of points as scipy has it.

    Raises:
        FlatBody: They lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError):
        raise FlatBody(len(points)) from None


def _displace(normals: np.ndarray, margin: float) -> np.ndarray:
    """Return the shortest displacement that goes at least ``margin`` along each normal, shape ``(3,)``."""
    from scipy.optimize import nnls

    rows = np.vstack([normals.T, np.ones(len(normals))])
    target = np.array([0.0, 0.0, 0.0, 1.0])
    factors, _ = nnls(rows, target)
    residual = rows @ factors - target
    displacement: np.ndarray = -margin * residual[:3] / residual[3]
    return displacement
