r"""The edge of a stability region that is nearest to the centre of mass, and how far it is: the stability margin.

The margin is :math:`m = \min_n \max_c n^T (c - c_{com})` over unit vectors n and places c of the region: negative outside. It
is found exactly with few questions: beyond the nearest edge of what is known, until nothing lies beyond.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.support_region import EXACT, NoRegion, RegionProgram, Vertex
from handhold.robots.polygon import compute_convex_hull, compute_half_planes

_MOST_QUESTIONS = 30
_TURN = 1e-4
"""How far directions are turned from an edge's normal to find the ends of the edge [rad]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Edge:
    """The edge of a region that limits the margin.

    Attributes:
        margin: Distance of the centre of mass from the edge, negative beyond it [m].
        normal: Its outward unit normal, shape ``(2,)``.
        start: Its first end, counter-clockwise, with prices of the edge's own direction.
        end: Its other end.
        share: Where between start and end the point lies that is nearest to the centre of mass, 0 to 1.
    """

    margin: float
    normal: np.ndarray
    start: Vertex
    end: Vertex
    share: float

    @property
    def forces(self) -> np.ndarray:
        """Contact forces that hold the centre of mass at the nearest point, shape ``(k, 3)`` [N]."""
        return (1.0 - self.share) * self.start.forces + self.share * self.end.forces


def find_nearest_edge(program: RegionProgram, places: np.ndarray, point: np.ndarray) -> Edge:
    """Find the edge that is nearest to a point.

    Args:
        program: The region, as last built.
        places: Places that are known to lie on its boundary, shape ``(k, 2)`` [m], such as ``compute_region``'s.
        point: Centre of mass seen from above, shape ``(2,)`` [m].

    Raises:
        NoRegion: The region has no area.
    """
    known = places
    for _ in range(_MOST_QUESTIONS):
        known = compute_convex_hull(known)
        if not len(known):
            raise NoRegion("it has no area")
        normals, distances = compute_half_planes(known)
        nearest = int(np.argmin(distances - normals @ point))
        normal = normals[nearest]
        place = program.find_extreme(normal)
        if float(normal @ place - distances[nearest]) < EXACT:
            return _describe(program, normal, point)
        known = np.vstack([known, place])
    return _describe(program, normal, point)


def _describe(program: RegionProgram, normal: np.ndarray, point: np.ndarray) -> Edge:
    """Return the edge in a direction with both its ends: those of directions a little to either side."""
    along = np.array([-normal[1], normal[0]])
    ends = []
    for turn in (-_TURN, _TURN):
        program.find_extreme(normal + turn * along)
        # From there on the edge's own direction keeps the end, and tells the prices of the edge.
        ends.append(program.find_vertex(normal))
    start, end = ends
    length = float(along @ (end.position - start.position))
    way = float(along @ (point - start.position))
    share = min(1.0, max(0.0, way / length)) if length > EXACT else 0.5
    return Edge(margin=float(normal @ (start.position - point)), normal=normal, start=start, end=end, share=share)
