r"""The stability region: where the centre of mass may be for the contacts to hold the robot up [McCrory2024]_ (eq. 1-3).

.. math::

    \max_f \; a^T c_{xy} \quad \text{s.t.} \quad \sum_k f_k = -m g, \; \sum_k p_k \times f_k = -c \times m g, \;
    f_k \in \mathcal{K}_k, \quad g(q) - \tau^+ \leq J_c^T f \leq g(q) - \tau^- \; (2)

The moments about the horizontal axes give the centre of mass, so that it is no variable but an objective of the program:
:math:`c_x = \sum p_x f_z - p_z f_x` and :math:`c_y = \sum p_y f_z - p_z f_y` in units of the weight. What is left are the
generators' coefficients, under four equations, the bounds of normal forces, and the joints' torques.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from handhold.retarget.stability.contact_points import ConeModel, ContactPoints, compute_generators
from handhold.retarget.stability.simplex import BoundedSimplex, SimplexState, Status, begin, maximise

QUERIES = 18
"""Number of equally spaced directions of a full update (Section V)."""

EXACT = 1e-9
"""How far a vertex must lie beyond an edge to count as new in the exact region [m]."""

MAX_VERTICES = 10_000
"""Vertices of an exact region beyond which something else is wrong."""

YAW_MOMENT = 3
"""Row of the moment about the vertical in a region's program."""

EQUATIONS = 4
"""Rows of the sum of forces and of the moment about the vertical."""


class NoRegion(Exception):
    """Nothing holds the robot up on these contacts, wherever its centre of mass is."""

    def __init__(self, reason: str, status: Status) -> None:
        self.status = status
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
    """An extreme position of the centre of mass, and what holds it there.

    Attributes:
        position: Shape ``(2,)`` [m].
        direction: Unit vector in which it is extreme, shape ``(2,)``.
        forces: Contact forces in world, shape ``(k, 3)`` [N].
        coordinate_prices: What a row's activity is worth to the two coordinates while the same rows limit, shape
            ``(rows, 2)``: see ``RegionProgram``.
    """

    position: np.ndarray
    direction: np.ndarray
    forces: np.ndarray
    coordinate_prices: np.ndarray

    @property
    def prices(self) -> np.ndarray:
        """What a row's activity is worth to the position in the direction, shape ``(rows,)``."""
        return self.coordinate_prices @ self.direction


class VertexMemory(NamedTuple):
    """What is kept of the vertices in a number of directions.

    Attributes:
        positions: Shape ``(directions, 2)`` [m].
        forces: Contact forces there, shape ``(directions, k, 3)`` [N].
        prices: Coordinate prices there, shape ``(directions, 2, rows)``: see ``Vertex``.
        is_basic: The basis there, shape ``(directions, columns + rows)``.
        at_upper: Which variables stand at their upper bound there, likewise.
    """

    positions: np.ndarray
    forces: np.ndarray
    prices: np.ndarray
    is_basic: np.ndarray
    at_upper: np.ndarray


class RegionProgram:
    """The program of one number of contact points, contacts and joints; its arrays are made once.

    Rows: three of the sum of forces, one of the moment about the vertical, one a contact of its normal force, one an actuated
    joint of its torque; forces in units of the weight, moments and torques in units of the weight times a metre.

    Attributes:
        cone: Model of the friction cones.
        first_torque: First row of a joint's torque.
        rows: Number of rows.
        simplex: Solves the program.
        generators: Of the contact points' cones in world, shape ``(k, sides, 3)``.
        centroid: Of the contact points [m]: the program's positions are relative to it.
        weight: Of the robot [N].
    """

    def __init__(self, points: int, contacts: int, joints: int, cone: ConeModel = ConeModel.INNER_4) -> None:
        """Make room.

        Args:
            points: Number of contact points.
            contacts: Number of contacts that they belong to.
            joints: Number of actuated joints, 0 to leave torques out.
            cone: Model of the friction cones.
        """
        columns = points * cone.sides
        self.cone = cone
        self.first_torque = EQUATIONS + contacts
        self.rows = EQUATIONS + contacts + joints
        self.simplex = BoundedSimplex(self.rows, columns, 2)
        state = self.simplex.state
        state.upper[:columns] = np.inf
        equations = slice(state.nonbasic.size, state.nonbasic.size + EQUATIONS)
        state.lower[equations] = state.upper[equations] = (0.0, 0.0, 1.0, 0.0)
        self.generators = np.zeros((points, cone.sides, 3))
        self.centroid = np.zeros(3)
        self.weight = 1.0
        self._no_torques = np.zeros((points, 3, 0)), np.zeros(0), np.zeros(0)

    def build(self, points: ContactPoints, weight: float, torques: JointTorques | None = None) -> None:
        """Take contacts, weight [N] and torques, and find forces that hold the robot up.

        Raises:
            NoRegion: There are none.
        """
        self.fill(points, weight, torques)
        check(begin(self.simplex.state)[0])

    def fill(self, points: ContactPoints, weight: float, torques: JointTorques | None = None) -> None:
        """Take contacts, weight [N] and torques, and solve nothing yet."""
        self.weight = weight
        compute_generators(points, self.cone, self.generators)
        given = self._no_torques if torques is None else (torques.jacobians, torques.gravity, torques.limits)
        _fill(
            self.simplex.state, points.positions, self.generators, points.owners, points.min_forces, points.max_forces, weight,
            *given, self.centroid,
        )  # fmt: skip

    def make_memory(self, directions: int) -> VertexMemory:
        """Make room for the vertices in a number of directions; each begins at no basis at all."""
        count, columns = self.simplex.state.values.size, self.simplex.state.nonbasic.size
        is_basic = np.zeros((directions, count), dtype=np.bool_)
        is_basic[:, columns:] = True
        return VertexMemory(
            positions=np.zeros((directions, 2)),
            forces=np.zeros((directions, len(self.generators), 3)),
            prices=np.zeros((directions, 2, self.rows)),
            is_basic=is_basic,
            at_upper=np.zeros((directions, count), dtype=np.bool_),
        )

    def find_extreme(self, direction: np.ndarray) -> np.ndarray:
        """Find the extreme position of the centre of mass in a direction, shape ``(2,)`` [m].

        Raises:
            NoRegion: The position is infinitely far, or the solver stalled.
        """
        check(maximise(self.simplex.state, direction)[0])
        position = np.empty(2)
        locate(self.simplex.state, self.centroid, position)
        return position

    def find_extremes(self, directions: np.ndarray, memory: VertexMemory) -> None:
        """Find the vertices in many directions, each from the last one's, best in the order of their angles.

        Raises:
            NoRegion: A position is infinitely far, or the solver stalled.
        """
        check(_sweep(self.simplex.state, self.centroid, self.weight, self.generators, directions, memory))


def check(status: int) -> None:
    """Raise ``NoRegion`` with the reason where a status is none of success."""
    if status == Status.OPTIMAL:
        return
    reasons = {
        Status.INFEASIBLE: "no contact forces carry the weight",
        Status.UNBOUNDED: "it has no end",
        Status.STALLED: "the solver stalled",
        Status.NOT_A_NUMBER: "the contacts, limits or the weight are not numbers",
    }
    raise NoRegion(reasons[Status(status)], Status(status))


def space_directions(queries: int = QUERIES) -> np.ndarray:
    """Return equally spaced unit vectors, counter-clockwise from x, shape ``(queries, 2)``."""
    angles = 2.0 * np.pi * np.arange(queries) / queries
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def compute_exact_region(program: RegionProgram) -> np.ndarray:
    """Compute all vertices of the region, counter-clockwise, shape ``(vertices, 2)`` [m], by querying beyond every edge.

    Raises:
        NoRegion: A position is infinitely far, or the solver stalled, or there are more than ``MAX_VERTICES``.
    """
    corners = [program.find_extreme(np.array(vector)) for vector in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]
    # edges beyond which nothing was queried yet, the next one last
    edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))[::-1]
    found: list[np.ndarray] = []
    while edges:
        start, end = edges.pop()
        if np.hypot(*(end - start)) < EXACT:
            continue
        beyond = _find_beyond(program, start, end)
        if beyond is None:
            found.append(start)
        else:
            edges += [(beyond, end), (start, beyond)]
        if len(found) + len(edges) > MAX_VERTICES:
            raise NoRegion(f"it has more than {MAX_VERTICES} vertices", Status.STALLED)
    return np.array(found or corners[:1])


def _find_beyond(program: RegionProgram, start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
    """Return a vertex beyond an edge; None where none lies there.

    It counts only between the ends: the normal of an edge of some nanometres is rounding, and what is extreme in its direction
    may be any vertex of the region.
    """
    edge = end - start
    length = float(np.hypot(*edge))
    along = edge / length
    outward = np.array([along[1], -along[0]])
    beyond = program.find_extreme(outward) - start
    between = 0.0 < float(along @ beyond) < length
    return start + beyond if between and float(outward @ beyond) >= EXACT else None


@njit(cache=True)
def _fill(
    s: SimplexState,
    positions: np.ndarray,
    generators: np.ndarray,
    owners: np.ndarray,
    min_forces: np.ndarray,
    max_forces: np.ndarray,
    weight: float,
    jacobians: np.ndarray,
    gravity: np.ndarray,
    limits: np.ndarray,
    centroid: np.ndarray,
) -> None:
    points, sides, _ = generators.shape
    width, torques = s.nonbasic.size, EQUATIONS + min_forces.size
    for i in range(3):
        centroid[i] = positions[:, i].mean()
    for k in range(points):
        x, y, z = positions[k, 0] - centroid[0], positions[k, 1] - centroid[1], positions[k, 2] - centroid[2]
        for side in range(sides):
            fx, fy, fz = generators[k, side]
            c = k * sides + side
            column = s.columns[c]
            column[0], column[1], column[2] = fx, fy, fz
            column[YAW_MOMENT] = x * fy - y * fx
            column[EQUATIONS:torques] = 0.0
            column[EQUATIONS + owners[k]] = 1.0
            for j in range(limits.size):
                column[torques + j] = jacobians[k, 0, j] * fx + jacobians[k, 1, j] * fy + jacobians[k, 2, j] * fz
            s.objectives[0, c] = x * fz - z * fx
            s.objectives[1, c] = y * fz - z * fy
    for i in range(min_forces.size):
        s.lower[width + EQUATIONS + i] = min_forces[i] / weight
        s.upper[width + EQUATIONS + i] = max_forces[i] / weight
    for j in range(limits.size):
        s.lower[width + torques + j] = (gravity[j] - limits[j]) / weight
        s.upper[width + torques + j] = (gravity[j] + limits[j]) / weight


@njit(cache=True)
def _sweep(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    directions: np.ndarray,
    memory: VertexMemory,
) -> int:
    for d in range(len(directions)):
        status, _ = maximise(s, directions[d])
        if status != 0:
            return status
        keep(s, centroid, weight, generators, memory, d)
    return 0


@njit(cache=True)
def locate(s: SimplexState, centroid: np.ndarray, position: np.ndarray) -> None:
    """Fill where the centre of mass is at the present vertex, shape ``(2,)`` [m]."""
    for i in range(2):
        position[i] = centroid[i]
        for j in range(s.nonbasic.size):
            position[i] += s.objectives[i, j] * s.values[j]


@njit(cache=True)
def sum_forces(s: SimplexState, weight: float, generators: np.ndarray, forces: np.ndarray) -> None:
    """Fill the contact forces at the present vertex, shape ``(k, 3)`` [N]."""
    points, sides, _ = generators.shape
    forces[:] = 0.0
    for k in range(points):
        for side in range(sides):
            value = weight * s.values[k * sides + side]
            if value != 0.0:
                for i in range(3):
                    forces[k, i] += value * generators[k, side, i]


@njit(cache=True)
def price_coordinates(s: SimplexState, prices: np.ndarray) -> None:
    """Fill what a row's activity is worth to the two coordinates at the present basis, shape ``(2, rows)``."""
    width = s.nonbasic.size
    for row in range(prices.shape[1]):
        prices[0, row] = prices[1, row] = 0.0
    for k in range(width):
        row = s.nonbasic[k] - width
        if row >= 0:
            prices[0, row], prices[1, row] = s.dictionary[0, k], s.dictionary[1, k]


@njit(cache=True)
def keep(
    s: SimplexState, centroid: np.ndarray, weight: float, generators: np.ndarray, memory: VertexMemory, index: int
) -> None:
    """Keep the present vertex at an index of a memory."""
    locate(s, centroid, memory.positions[index])
    sum_forces(s, weight, generators, memory.forces[index])
    price_coordinates(s, memory.prices[index])
    for variable in range(s.is_basic.size):
        memory.is_basic[index, variable] = s.is_basic[variable]
        memory.at_upper[index, variable] = s.at_upper[variable]


@njit(cache=True)
def recall(s: SimplexState, memory: VertexMemory, index: int) -> tuple[int, int]:
    """Begin at a kept basis; return the status and how many steps it took to be feasible."""
    for variable in range(s.is_basic.size):
        s.is_basic[variable] = memory.is_basic[index, variable]
        s.at_upper[variable] = memory.at_upper[index, variable]
    return begin(s)
