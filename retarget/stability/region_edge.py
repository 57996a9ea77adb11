r"""The edge of a stability region that is nearest to the centre of mass, and how far it is: the stability margin.

The margin is :math:`m = \min_n \max_c n^T (c - c_{com})` over unit vectors n and points c of the region: negative outside. It
is found exactly with few queries: beyond the nearest edge of what is known, until nothing lies beyond.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.retarget.stability.simplex import SimplexState, Status, maximise
from handhold.retarget.stability.support_region import (
    EXACT,
    NoRegion,
    RegionProgram,
    Vertex,
    VertexMemory,
    check,
    locate,
    price_coordinates,
    recall,
    sum_forces,
)

NO_AREA = 5
"""Beyond the status of a program: the known vertices span no area."""

_MAX_QUERIES = 30

_TURN = 1e-6
"""How far directions are turned from an edge's normal to find the ends of the edge [rad]."""

_MIN_AREA = 1e-9
"""Area below which a region counts as none [m^2]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Edge:
    """The edge of a region that limits the margin.

    Outside the region it may be a vertex that is nearest: then both ends are that vertex, and the normal points from there to
    the centre of mass.

    Attributes:
        margin: Distance of the centre of mass from the edge, negative outside [m].
        normal: Its outward unit normal, shape ``(2,)``.
        start: Its first end, counter-clockwise, with prices in the normal's direction.
        end: Its other end.
        ratio: Where between start and end the point lies that is nearest to the centre of mass, 0 to 1.
    """

    margin: float
    normal: np.ndarray
    start: Vertex
    end: Vertex
    ratio: float

    @property
    def forces(self) -> np.ndarray:
        """Contact forces that hold the centre of mass at the nearest point, shape ``(k, 3)`` [N]."""
        return (1.0 - self.ratio) * self.start.forces + self.ratio * self.end.forces

    @property
    def prices(self) -> np.ndarray:
        """What the program's rows are worth to the margin at the nearest point, shape ``(rows,)``."""
        return (1.0 - self.ratio) * self.start.prices + self.ratio * self.end.prices


class EdgeBuffer:
    """What compiled code writes of an edge.

    Attributes:
        normal: Outward unit normal, shape ``(2,)``.
        positions: Both ends, shape ``(2, 2)`` [m].
        forces: Contact forces at both ends, shape ``(2, k, 3)`` [N].
        prices: Coordinate prices at both ends, shape ``(2, 2, rows)``.
    """

    def __init__(self, program: RegionProgram) -> None:
        """Make room for an edge of a program's region."""
        self.normal = np.zeros(2)
        self.positions = np.zeros((2, 2))
        self.forces = np.zeros((2, len(program.generators), 3))
        self.prices = np.zeros((2, 2, program.rows))

    def describe(self, margin: float, ratio: float) -> Edge:
        """Return the edge."""
        start, end = (
            Vertex(position=position, direction=self.normal, forces=forces, coordinate_prices=prices.T)
            for position, forces, prices in zip(self.positions, self.forces, self.prices, strict=True)
        )
        return Edge(margin=margin, normal=self.normal, start=start, end=end, ratio=ratio)


def find_nearest_edge(program: RegionProgram, memory: VertexMemory, point: np.ndarray) -> Edge:
    """Find the edge that is nearest to a point.

    Args:
        program: The region, as last built.
        memory: Vertices of it, such as ``RegionProgram.find_extremes`` finds.
        point: Centre of mass seen from above, shape ``(2,)`` [m].

    Raises:
        NoRegion: The region has no area or no end.
    """
    found = EdgeBuffer(program)
    status, margin, ratio = search_edge(
        program.simplex.state, program.centroid, program.weight, program.generators, memory, point,
        found.normal, found.positions, found.forces, found.prices,
    )  # fmt: skip
    check_edge(status)
    return found.describe(margin, ratio)


def check_edge(status: int) -> None:
    """Raise ``NoRegion`` with the reason where a status is none of success."""
    if status == NO_AREA:
        raise NoRegion("it has no area", Status.INFEASIBLE)
    check(status)


@njit(cache=True)
def search_edge(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    memory: VertexMemory,
    point: np.ndarray,
    normal: np.ndarray,
    positions: np.ndarray,
    forces: np.ndarray,
    prices: np.ndarray,
) -> tuple[int, float, float]:
    """Find the edge that is nearest to a point from vertices that are known, and fill what an ``EdgeBuffer`` holds.

    Returns:
        The status, the margin and the ratio.
    """
    known = len(memory.positions)
    vertices = np.empty((known + _MAX_QUERIES, 2))
    vertices[:known] = memory.positions
    order = np.empty(len(vertices), dtype=np.int64)
    vertex = np.empty(2)
    margin, on_vertex = 0.0, False
    for query in range(_MAX_QUERIES):
        count = order_hull(vertices[: known + query], order)
        if count == 0:
            return NO_AREA, 0.0, 0.0
        first, second, _ = find_nearest(vertices, order[:count], point, normal)
        on_vertex = first == second
        if query == 0:
            # From the basis of one end of the edge there are few steps, if any.
            status, _ = recall(s, memory, first)
            if status != 0:
                return status, 0.0, 0.0
        status, _ = maximise(s, normal)
        if status != 0:
            return status, 0.0, 0.0
        locate(s, centroid, vertex)
        margin = normal[0] * (vertex[0] - point[0]) + normal[1] * (vertex[1] - point[1])
        beyond = normal[0] * (vertex[0] - vertices[first, 0]) + normal[1] * (vertex[1] - vertices[first, 1])
        if beyond < EXACT:
            break
        vertices[known + query] = vertex
    status, ratio = describe_ends(s, centroid, weight, generators, point, on_vertex, normal, positions, forces, prices)
    return status, margin, ratio


@njit(cache=True)
def describe_ends(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    point: np.ndarray,
    on_vertex: bool,
    normal: np.ndarray,
    positions: np.ndarray,
    forces: np.ndarray,
    prices: np.ndarray,
) -> tuple[int, float]:
    """Fill both ends of the edge in a direction: the vertices of directions a little to either side.

    Returns:
        The status and the ratio.
    """
    along_x, along_y = -normal[1], normal[0]
    turned = np.empty(2)
    for end in range(2):
        if not on_vertex:
            turn = _TURN if end else -_TURN
            turned[0], turned[1] = normal[0] + turn * along_x, normal[1] + turn * along_y
            status, _ = maximise(s, turned)
            if status != 0:
                return status, 0.0
        locate(s, centroid, positions[end])
        sum_forces(s, weight, generators, forces[end])
        price_coordinates(s, prices[end])
    length = along_x * (positions[1, 0] - positions[0, 0]) + along_y * (positions[1, 1] - positions[0, 1])
    offset = along_x * (point[0] - positions[0, 0]) + along_y * (point[1] - positions[0, 1])
    return 0, (min(1.0, max(0.0, offset / length)) if length > EXACT else 0.5)


@njit(cache=True)
def order_hull(points: np.ndarray, order: np.ndarray) -> int:
    """Fill which points are the vertices of the hull of all, counter-clockwise, and return how many; 0 where it has no area.

    Unlike ``compute_convex_hull`` it keeps the flattest corners, on which exact margins depend. Andrew's monotone chain.
    """
    ranks = np.empty(len(points), dtype=np.int64)
    count = _sort_different(points, ranks)
    # On the way back points lie on the chain that are taken off again: it may be longer than the hull.
    chain = np.empty(2 * len(points) + 1, dtype=np.int64)
    found = 0
    for half in range(2):
        # The second half goes back from the last point; the first one's last point is its first.
        first = found - half
        for t in range(half, count):
            k = ranks[t] if half == 0 else ranks[count - 1 - t]
            while found >= first + 2 and _cross(points, chain[found - 2], chain[found - 1], k) <= 0.0:
                found -= 1
            chain[found] = k
            found += 1
    found = max(found - 1, 0)  # the first point again
    order[:found] = chain[:found]
    area = 0.0
    for t in range(1, found - 1):
        area += 0.5 * _cross(points, order[0], order[t], order[t + 1])
    return found if area > _MIN_AREA else 0


@njit(cache=True)
def _sort_different(points: np.ndarray, ranks: np.ndarray) -> int:
    """Fill the points from left to right without those that are the same as one before, and return how many they are."""
    count = 0
    for k in range(len(points)):
        x, y = points[k]
        same = False
        for t in range(count):
            same = same or (abs(points[ranks[t], 0] - x) < EXACT and abs(points[ranks[t], 1] - y) < EXACT)
        if same:
            continue
        t = count
        while t > 0 and (x < points[ranks[t - 1], 0] or (x == points[ranks[t - 1], 0] and y < points[ranks[t - 1], 1])):
            ranks[t] = ranks[t - 1]
            t -= 1
        ranks[t] = k
        count += 1
    return count


@njit(cache=True)
def _cross(points: np.ndarray, a: int, b: int, c: int) -> float:
    """Return twice the area of a triangle, positive counter-clockwise."""
    ux, uy = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1]
    return ux * (points[c, 1] - points[a, 1]) - uy * (points[c, 0] - points[a, 0])


@njit(cache=True)
def find_nearest(vertices: np.ndarray, order: np.ndarray, point: np.ndarray, normal: np.ndarray) -> tuple[int, int, float]:
    """Find what of a polygon's border is nearest to a point, and fill its outward normal.

    Returns:
        Both ends, the same where a vertex is nearest (outside only), and the distance, negative outside.
    """
    count = len(order)
    first, second, distance = order[0], order[1], np.inf
    # Outside, how far the nearest point of an edge is; inside, the nearest line.
    outside = -np.inf
    for k in range(count):
        a, b = order[k], order[(k + 1) % count]
        ex, ey = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1]
        length = math.hypot(ex, ey)
        px, py = point[0] - vertices[a, 0], point[1] - vertices[a, 1]
        height = (py * ex - px * ey) / length
        if height >= 0.0:
            if outside == -np.inf and height < distance:
                first, second, distance = a, b, height
                normal[0], normal[1] = ey / length, -ex / length
            continue
        along = (px * ex + py * ey) / length
        corner = a if along < 0.0 else b
        gap = -height
        if along < 0.0 or along > length:
            gap = math.hypot(point[0] - vertices[corner, 0], point[1] - vertices[corner, 1])
        if -gap > outside:
            outside = -gap
            if 0.0 <= along <= length:
                first, second = a, b
                normal[0], normal[1] = ey / length, -ex / length
            else:
                first, second = corner, corner
                normal[0], normal[1] = (point[0] - vertices[corner, 0]) / gap, (point[1] - vertices[corner, 1]) / gap
    return first, second, min(distance, outside) if outside > -np.inf else distance
