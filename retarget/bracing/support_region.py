r"""The stability region: where the centre of mass may be for the contacts to hold the robot up [McCrory2024]_ (eq. 1-3).

.. math::

    \max_f \; a^T c_{xy} \quad \text{s.t.} \quad \sum_k f_k = -m g, \; \sum_k p_k \times f_k = -c \times m g, \;
    f_k \in \mathcal{K}_k, \quad g(q) - \tau^+ \leq J_c^T f \leq g(q) - \tau^- \; (2)

The moments about the horizontal axes tell the centre of mass, so that it is no variable but an objective of the program:
:math:`c_x = \sum p_x f_z - p_z f_x` and :math:`c_y = \sum p_y f_z - p_z f_y` in units of the weight. What is left are the
generators' coefficients, under four equations, the bounds of normal forces, and the joints' torques.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.retarget.bracing.contact_points import ConeModel, ContactPoints, compute_generators
from handhold.retarget.bracing.simplex import BoundedSimplex, Status

QUERIES = 18
"""Number of equally spaced directions of a full update (Section V)."""

EXACT = 1e-9
"""How far a vertex must lie beyond an edge to count as new in the exact region [m]."""

_EQUATIONS = 4


class NoRegion(Exception):
    """Nothing holds the robot up on these contacts, wherever its centre of mass is."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"there is no stability region: {reason}")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class JointTorques:
    """What the joints' torques leave of the contact forces (eq. 2), at one configuration.

    Attributes:
        jacobians: Of the contact points in world with respect to the actuated joints, shape ``(k, 3, n)`` [m].
        gravity: Torques that hold the robot's own weight, shape ``(n,)`` [Nm].
        limits: Largest torques, shape ``(n,)`` [Nm].
        names: Names of the joints.
    """

    jacobians: np.ndarray
    gravity: np.ndarray
    limits: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Vertex:
    """An extreme place of the centre of mass, and what holds it there.

    Attributes:
        position: Shape ``(2,)`` [m].
        direction: Unit vector in which it is extreme, shape ``(2,)``.
        forces: Contact forces in world, shape ``(k, 3)`` [N].
        prices: What a row's activity is worth to the place in the direction, shape ``(rows,)``: see ``RegionProgram``.
    """

    position: np.ndarray
    direction: np.ndarray
    forces: np.ndarray
    prices: np.ndarray


class RegionProgram:
    """The program of one number of contact points, contacts and joints; its arrays are made once.

    Rows: three of the sum of forces, one of the moment about the vertical, one a contact of its normal force, one an actuated
    joint of its torque; forces in units of the weight, moments and torques in units of the weight times a metre.
    """

    def __init__(self, points: int, contacts: int, joints: int, cone: ConeModel = ConeModel.INNER_4) -> None:
        """Make room.

        Args:
            points: Number of contact points.
            contacts: Number of contacts that they belong to.
            joints: Number of actuated joints, 0 to leave torques out.
            cone: Model of the friction cones.
        """
        rows, columns = _EQUATIONS + contacts + joints, points * cone.sides
        self.cone = cone
        self.first_torque = _EQUATIONS + contacts
        self.simplex = BoundedSimplex(rows, columns, 2)
        self._matrix = np.zeros((rows, columns))
        self._objectives = np.zeros((2, columns))
        self._row_bounds = np.zeros(rows), np.zeros(rows)
        self._variables = np.zeros(columns), np.full(columns, np.inf)
        self._generators = np.zeros((points, cone.sides, 3))
        self._middle = np.zeros(3)
        self._weight = 1.0

    def build(self, points: ContactPoints, weight: float, torques: JointTorques | None = None) -> None:
        """Take contacts, weight [N] and torques, and find forces that hold the robot up.

        Raises:
            NoRegion: There are none.
        """
        self._generators[:] = compute_generators(points, self.cone)
        self._middle[:] = points.positions.mean(axis=0)
        self._weight = weight
        _fill_equilibrium(points.positions - self._middle, self._generators, points.owners, self._matrix, self._objectives)
        lower, upper = self._row_bounds
        lower[:_EQUATIONS] = upper[:_EQUATIONS] = (0.0, 0.0, 1.0, 0.0)
        lower[_EQUATIONS : self.first_torque] = points.least / weight
        upper[_EQUATIONS : self.first_torque] = points.most / weight
        if torques is not None:
            _fill_torques(torques.jacobians, self._generators, self._matrix[self.first_torque :])
            lower[self.first_torque :] = (torques.gravity - torques.limits) / weight
            upper[self.first_torque :] = (torques.gravity + torques.limits) / weight
        status = self.simplex.load(self._matrix, self._objectives, self._row_bounds, self._variables)
        if status is not Status.OPTIMAL:
            raise NoRegion("no contact forces carry the weight" if status is Status.INFEASIBLE else "the solver stalled")

    def find_extreme(self, direction: np.ndarray) -> np.ndarray:
        """Find the extreme place of the centre of mass in a direction, shape ``(2,)`` [m].

        Raises:
            NoRegion: The place is infinitely far, or the solver stalled.
        """
        self._check(self.simplex.maximise(direction))
        return self._middle[:2] + self._objectives @ self.simplex.solution

    def find_extremes(self, directions: np.ndarray) -> np.ndarray:
        """Find the extreme places in many directions, shape ``(directions, 2)`` [m], best in the order of their angles.

        Raises:
            NoRegion: A place is infinitely far, or the solver stalled.
        """
        places = np.empty(directions.shape)
        self._check(self.simplex.maximise_all(directions, places))
        return places + self._middle[:2]

    def _check(self, status: Status) -> None:
        if status is not Status.OPTIMAL:
            raise NoRegion("it has no end" if status is Status.UNBOUNDED else "the solver stalled")

    def find_vertex(self, direction: np.ndarray) -> Vertex:
        """Find the extreme place in a direction, with the forces there and what holds it.

        Raises:
            NoRegion: The place is infinitely far, or the solver stalled.
        """
        position = self.find_extreme(direction)
        coefficients = self.simplex.solution.reshape(self._generators.shape[:2])
        return Vertex(
            position=position,
            direction=direction,
            forces=self._weight * np.einsum("ks,ksi->ki", coefficients, self._generators),
            prices=self.simplex.row_prices.copy(),
        )


def compute_region(program: RegionProgram, queries: int = QUERIES) -> np.ndarray:
    """Compute the extreme places in equally spaced directions, counter-clockwise, shape ``(queries, 2)`` [m].

    They span the region from inside: every one is on its boundary, and some may be the same.
    """
    angles = 2.0 * np.pi * np.arange(queries) / queries
    return program.find_extremes(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def compute_exact_region(program: RegionProgram) -> np.ndarray:
    """Compute all vertices of the region, counter-clockwise, shape ``(vertices, 2)`` [m], by asking beyond every edge."""
    corners = [program.find_extreme(np.array(way)) for way in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]
    found: list[np.ndarray] = []
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        _refine(program, start, end, found)
    return np.array(found)


def _refine(program: RegionProgram, start: np.ndarray, end: np.ndarray, found: list[np.ndarray]) -> None:
    """Append the start of an edge and all vertices beyond the edge, in order."""
    edge = end - start
    length = float(np.hypot(*edge))
    if length < EXACT:
        return
    outward = np.array([edge[1], -edge[0]]) / length
    beyond = program.find_extreme(outward)
    if float(outward @ (beyond - start)) < EXACT:
        found.append(start)
        return
    _refine(program, start, beyond, found)
    _refine(program, beyond, end, found)


@njit(cache=True)
def _fill_equilibrium(
    positions: np.ndarray, generators: np.ndarray, owners: np.ndarray, matrix: np.ndarray, objectives: np.ndarray
) -> None:
    points, sides, _ = generators.shape
    matrix[4:] = 0.0
    for k in range(points):
        x, y, z = positions[k]
        for s in range(sides):
            column = k * sides + s
            fx, fy, fz = generators[k, s]
            matrix[0, column], matrix[1, column], matrix[2, column] = fx, fy, fz
            matrix[3, column] = x * fy - y * fx
            matrix[4 + owners[k], column] = 1.0
            objectives[0, column] = x * fz - z * fx
            objectives[1, column] = y * fz - z * fy


@njit(cache=True)
def _fill_torques(jacobians: np.ndarray, generators: np.ndarray, rows: np.ndarray) -> None:
    points, sides, _ = generators.shape
    for k in range(points):
        for s in range(sides):
            fx, fy, fz = generators[k, s]
            for j in range(rows.shape[0]):
                rows[j, k * sides + s] = jacobians[k, 0, j] * fx + jacobians[k, 1, j] * fy + jacobians[k, 2, j] * fz
