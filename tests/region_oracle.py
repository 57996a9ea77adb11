"""The stability region as the paper writes it, solved by HiGHS: what the tests hold the region against."""

from __future__ import annotations

import numpy as np

from handhold.app.benches.region_stress import HighsRegion, Problem
from handhold.retarget.bracing.contact_points import ConeModel, ContactPoints
from handhold.retarget.bracing.simplex import Status
from handhold.retarget.bracing.support_region import JointTorques

NEW = 1e-8  # [m]: what lies no further beyond an edge is on it


class Oracle:
    """Equations 1 to 3 as they stand in the paper, the centre of mass a variable, solved by HiGHS."""

    def __init__(self, points: ContactPoints, cone: ConeModel, weight: float, torques: JointTorques | None = None) -> None:
        self._highs = HighsRegion(Problem(points, weight, torques), cone)

    def find(self, direction: np.ndarray) -> np.ndarray | None:
        """Return the extreme place in a direction; NaN where it is infinitely far, None where there is no region."""
        status, place = self._highs.solve(direction)
        return None if status is Status.INFEASIBLE else place

    def find_polygon(self) -> np.ndarray:
        """Return all vertices of the region, counter-clockwise."""
        axes = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
        corners = [self._ask(np.array(way)) for way in axes]
        found: list[np.ndarray] = []
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            self._refine(start, end, found)
        return np.array(found)

    def _ask(self, direction: np.ndarray) -> np.ndarray:
        place = self.find(direction)
        assert place is not None
        return place

    def _refine(self, start: np.ndarray, end: np.ndarray, found: list[np.ndarray]) -> None:
        edge = end - start
        length = np.linalg.norm(edge)
        if length < NEW:
            return
        along = edge / length
        outward = np.array([along[1], -along[0]])
        beyond = self._ask(outward)
        # the normal of a short edge is rounding: a vertex counts between its ends alone
        if outward @ (beyond - start) < NEW or not 0.0 < along @ (beyond - start) < length:
            found.append(start)
            return
        self._refine(start, beyond, found)
        self._refine(beyond, end, found)


def compute_distance_inside(polygon: np.ndarray, point: np.ndarray) -> float:
    """Return how far a point is inside a polygon, negative outside."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    lengths = np.linalg.norm(edges, axis=1)
    arms = point - polygon
    heights = (edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0]) / lengths
    if heights.min() >= 0.0:
        return float(heights.min())
    shares = np.clip((arms * edges).sum(axis=1) / lengths**2, 0.0, 1.0)
    return -float(np.linalg.norm(polygon + shares[:, None] * edges - point, axis=1).min())
