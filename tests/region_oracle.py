"""The stability region as the paper writes it, solved by HiGHS: what the tests hold the region against."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from handhold.retarget.bracing.contact_points import ConeModel, ContactPoints, compute_generators
from handhold.retarget.bracing.support_region import JointTorques

INFINITE = 3  # SciPy's code for an unbounded program
NEW = 1e-8  # [m]: what lies no further beyond an edge is on it


class Oracle:
    """Equations 1 to 3 as they stand in the paper, the centre of mass a variable, solved by HiGHS."""

    def __init__(self, points: ContactPoints, cone: ConeModel, weight: float, torques: JointTorques | None = None) -> None:
        self._generators = compute_generators(points, cone)
        count, sides, _ = self._generators.shape
        forces = self._generators.reshape(-1, 3).T
        moments = np.cross(np.repeat(points.positions, sides, axis=0), forces.T).T
        gravity = np.array([0.0, 0.0, -1.0])  # of the weight
        self._equations = np.zeros((6, count * sides + 3))
        self._equations[:3, :-3] = forces
        self._equations[3:, :-3] = moments
        self._equations[3:, -3:] = -pin.skew(gravity)
        self._sides = np.concatenate([-gravity, np.zeros(3)])
        loads = np.zeros((len(points.most), count * sides + 3))
        for column, owner in enumerate(np.repeat(points.owners, sides)):
            loads[owner, column] = 1.0
        bounded = np.isfinite(points.most)
        rows = [loads[bounded], -loads]
        ends = [points.most[bounded] / weight, -points.least / weight]
        if torques is not None:
            on_joints = np.einsum("kij,ksi->jks", torques.jacobians, self._generators).reshape(len(torques.limits), -1)
            on_joints = np.hstack([on_joints, np.zeros((len(on_joints), 3))])
            rows += [on_joints, -on_joints]
            ends += [(torques.gravity + torques.limits) / weight, (torques.limits - torques.gravity) / weight]
        self._rows, self._ends = np.vstack(rows), np.concatenate(ends)

    def find(self, direction: np.ndarray) -> np.ndarray | None:
        """Return the extreme place in a direction; NaN where it is infinitely far, None where there is no region."""
        columns = self._equations.shape[1]
        costs = np.zeros(columns)
        costs[-3:-1] = -direction
        result = linprog(
            costs,
            A_ub=self._rows,
            b_ub=self._ends,
            A_eq=self._equations,
            b_eq=self._sides,
            bounds=[(0.0, None)] * (columns - 3) + [(None, None)] * 3,
            method="highs",
            options={"presolve": False},  # it does not tell infeasible from unbounded
        )
        if result.status == INFINITE:
            return np.full(2, np.nan)
        return None if result.x is None else np.array(result.x[-3:-1])

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
        if np.linalg.norm(edge) < NEW:
            return
        outward = np.array([edge[1], -edge[0]]) / np.linalg.norm(edge)
        beyond = self._ask(outward)
        if outward @ (beyond - start) < NEW:
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
