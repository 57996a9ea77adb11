r"""A stability region that follows a moving robot, at the rate of the controller [McCrory2024]_ (Section V).

Each update solves the program anew in one of the directions, in turn, and at both ends of the edge that is nearest to the
centre of mass; each begins at the basis it had,

.. math::

    x_B = A_B^{-1} (b - A_N x_N), \quad (16)

which most of the time is feasible and optimal still: then no exchange is needed. Where it is not, the program is solved from
there. Beyond the paper, the normal of that edge is queried as well, because a vertex between two directions would be
missed: the margin is exact but for what the other, older vertices hide.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.stability.region_edge import (
    NO_AREA,
    Edge,
    EdgeBuffer,
    check_edge,
    find_nearest,
    order_hull,
    search_edge,
)
from handhold.retarget.stability.robot_region import RobotRegion
from handhold.retarget.stability.simplex import SimplexState, maximise
from handhold.retarget.stability.support_region import QUERIES, NoRegion, VertexMemory, keep, recall, space_directions

_MAX_RENEWED = 6
"""Vertices that are renewed in an update at most while it searches for the nearest edge."""


class IncrementalRegion:
    """The region of one stance, update after update; another stance has another one.

    Attributes:
        region: The stance's program.
        memory: The vertices in equally spaced directions, counter-clockwise; those that were not renewed are from before.
    """

    def __init__(self, region: RobotRegion, queries: int = QUERIES) -> None:
        """Begin with a stance; the first update solves every direction."""
        self.region = region
        self.memory: VertexMemory = region.program.make_memory(queries)
        self._directions = space_directions(queries)
        self._turn = -1

    def update(self, point: np.ndarray, poses: np.ndarray | None = None) -> Edge:
        """Follow the configuration of the region's kinematics.

        Args:
            point: Centre of mass seen from above, shape ``(2,)`` [m].
            poses: Where the contacts are taken to be, see ``RobotRegion.load_configuration``.

        Returns:
            The edge that is nearest to the point, and the margin.

        Raises:
            NoRegion: There is none; the next update solves every direction.
        """
        self.region.load_configuration(poses)
        try:
            return self._follow(point)
        except NoRegion:
            self._turn = -1
            raise

    def _follow(self, point: np.ndarray) -> Edge:
        program = self.region.program
        found = EdgeBuffer(program)
        status, margin, ratio = _advance(
            program.simplex.state, program.centroid, program.weight, program.generators, self._directions, self.memory,
            self._turn, point, found.normal, found.positions, found.forces, found.prices,
        )  # fmt: skip
        check_edge(status)
        self._turn = (self._turn + 1) % len(self._directions)
        return found.describe(margin, ratio)


@njit(cache=True)
def _advance(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    directions: np.ndarray,
    memory: VertexMemory,
    turn: int,
    point: np.ndarray,
    normal: np.ndarray,
    positions: np.ndarray,
    forces: np.ndarray,
    prices: np.ndarray,
) -> tuple[int, float, float]:
    """Renew the vertex whose turn it is, or all where it is nobody's, and those of the nearest edge; find that edge."""
    count = len(directions)
    renewed = np.zeros(count, dtype=np.bool_)
    order = np.empty(count, dtype=np.int64)
    for k in range(count):
        if turn in (-1, k):
            status = _renew(s, centroid, weight, generators, directions[k], memory, k)
            if status != 0:
                return status, 0.0, 0.0
            renewed[k] = True
    for _ in range(_MAX_RENEWED):
        corners = order_hull(memory.positions, order)
        if corners == 0:
            return NO_AREA, 0.0, 0.0
        first, second, _ = find_nearest(memory.positions, order[:corners], point, normal)
        if renewed[first] and renewed[second]:
            break
        for k in (first, second):
            if not renewed[k]:
                status = _renew(s, centroid, weight, generators, directions[k], memory, k)
                if status != 0:
                    return status, 0.0, 0.0
                renewed[k] = True
    return search_edge(s, centroid, weight, generators, memory, point, normal, positions, forces, prices)


@njit(cache=True)
def _renew(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    direction: np.ndarray,
    memory: VertexMemory,
    index: int,
) -> int:
    """Find the vertex in a direction again from the basis it had; return the status."""
    status, _ = recall(s, memory, index)
    if status != 0:
        return status
    status, _ = maximise(s, direction)
    if status == 0:
        keep(s, centroid, weight, generators, memory, index)
    return status
