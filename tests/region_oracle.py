"""What the tests hold the stability region against: the paper's equations solved by HiGHS, and what is plain to compute."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.region_stress import HighsRegion, Problem
from handhold.retarget.stability.contact_points import ConeModel, ContactPoints
from handhold.retarget.stability.simplex import Status
from handhold.retarget.stability.support_region import (
    QUERIES,
    JointTorques,
    RegionProgram,
    Vertex,
    price_coordinates,
    space_directions,
    sum_forces,
)
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

NEW = 1e-8  # [m]: what lies no further beyond an edge is on it


class Oracle:
    """Equations 1 to 3 as they stand in the paper, the centre of mass a variable, solved by HiGHS."""

    def __init__(self, points: ContactPoints, cone: ConeModel, weight: float, torques: JointTorques | None = None) -> None:
        self._highs = HighsRegion(Problem(points, weight, torques), cone)

    def find(self, direction: np.ndarray) -> np.ndarray | None:
        """Return the extreme point in a direction; NaN where it is infinitely far, None where there is no region."""
        status, extreme = self._highs.solve(direction)
        return None if status is Status.INFEASIBLE else extreme

    def find_polygon(self) -> np.ndarray:
        """Return all vertices of the region, counter-clockwise."""
        axes = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
        corners = [self._ask(np.array(unit)) for unit in axes]
        found: list[np.ndarray] = []
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            self._refine(start, end, found)
        return np.array(found)

    def _ask(self, direction: np.ndarray) -> np.ndarray:
        extreme = self.find(direction)
        assert extreme is not None
        return extreme

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
    ratios = np.clip((arms * edges).sum(axis=1) / lengths**2, 0.0, 1.0)
    return -float(np.linalg.norm(polygon + ratios[:, None] * edges - point, axis=1).min())


def compute_joint_torques(
    model: RobotModel, kinematics: EffectorKinematics, q: np.ndarray, in_contact: np.ndarray, points: ContactPoints
) -> JointTorques:
    r"""Compute what eq. 2 needs at a configuration: :math:`J_c`, :math:`g(q)` and the torque limits.

    The region it leads to is local: its torques are those of this configuration, though another position of the centre of mass
    would be another configuration.

    Args:
        model: Robot.
        kinematics: At the configuration.
        q: The configuration, shape ``(nq,)``.
        in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.
        points: Their contact points, see ``find_contact_points``.
    """
    effectors = np.flatnonzero(in_contact)[points.owners]
    arms = points.positions - kinematics.poses[effectors, :3, 3]
    linear, angular = kinematics.jacobians[effectors, :3, 6:], kinematics.jacobians[effectors, 3:, 6:]
    # The velocity of a point: v + omega x r, a column a joint.
    jacobians = linear - np.cross(arms[:, None], angular.transpose(0, 2, 1)).transpose(0, 2, 1)
    gravity = pin.computeGeneralizedGravity(model.pinocchio, kinematics.data, q)
    return JointTorques(
        jacobians=np.ascontiguousarray(jacobians),
        gravity=gravity[6:].copy(),
        limits=model.torque_limits,
        names=model.joint_names,
    )


def find_vertex(program: RegionProgram, direction: np.ndarray) -> Vertex:
    """Find the extreme position in a direction, with the forces there and what holds it.

    Raises:
        NoRegion: The position is infinitely far, or the solver stalled.
    """
    forces, prices = np.zeros((len(program.generators), 3)), np.zeros((2, program.rows))
    position = program.find_extreme(direction)
    sum_forces(program.simplex.state, program.weight, program.generators, forces)
    price_coordinates(program.simplex.state, prices)
    return Vertex(position=position, direction=direction, forces=forces, coordinate_prices=prices.T)


def compute_region(program: RegionProgram, queries: int = QUERIES) -> np.ndarray:
    """Compute the extreme positions in equally spaced directions, counter-clockwise, shape ``(queries, 2)`` [m].

    They span the region from inside: every one is on its boundary, and some may be the same.
    """
    memory = program.make_memory(queries)
    program.find_extremes(space_directions(queries), memory)
    return memory.positions


def compute_area(positions: np.ndarray) -> float:
    """Compute the area of a counter-clockwise polygon from its vertices, shape ``(k, 2)`` [m], in m^2."""
    x, y = positions.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
