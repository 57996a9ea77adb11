"""The edges of a stability region that are about as near to the centre of mass as the nearest one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.seiko.balance import MIN_EDGE_LENGTH
from handhold.retarget.stability.region_edge import Edge, order_hull
from handhold.retarget.stability.support_region import VertexMemory

MAX_EDGES = 6
"""Edges that are considered at most, the nearest ones."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class NearEdges:
    """Edges, the nearest one first.

    Attributes:
        margins: Distances of the centre of mass from them, negative outside, shape ``(k,)`` [m].
        forces: Contact forces that hold the centre of mass at their nearest points, shape ``(k, points, 3)`` [N].
        prices: Of the program's rows there, shape ``(k, rows)``.
    """

    margins: np.ndarray
    forces: np.ndarray
    prices: np.ndarray


def find_near_edges(nearest: Edge, memory: VertexMemory, point: np.ndarray, within: float) -> NearEdges:
    """Find the edges no more than ``within`` [m] further away than the nearest one.

    The others are those of the hull of the vertices that are known; no program is solved for them.

    Args:
        nearest: The nearest edge, exact.
        memory: Vertices of the region.
        point: Centre of mass seen from above, shape ``(2,)`` [m].
        within: How much further away they may be [m].
    """
    order = np.empty(len(memory.positions), dtype=np.int64)
    starts = order[: order_hull(memory.positions, order)]
    ends = np.roll(starts, -1)
    along = memory.positions[ends] - memory.positions[starts]
    lengths = np.linalg.norm(along, axis=1)
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(lengths, MIN_EDGE_LENGTH)[:, None]
    offset = point - memory.positions[starts]
    margins = -np.einsum("ki,ki->k", normals, offset)
    # The nearest one itself is among them, and known better.
    others = (lengths > MIN_EDGE_LENGTH) & (margins < nearest.margin + within) & (normals @ nearest.normal < 1.0 - 1e-6)
    chosen = np.flatnonzero(others)[np.argsort(margins[others])][: MAX_EDGES - 1]
    ratios = np.clip(np.einsum("ki,ki->k", along, offset)[chosen] / lengths[chosen] ** 2, 0.0, 1.0)
    first, second = starts[chosen], ends[chosen]
    prices = _mix(ratios, memory.prices[first], memory.prices[second])
    return NearEdges(
        margins=np.append(nearest.margin, margins[chosen]),
        forces=np.concatenate([nearest.forces[None], _mix(ratios, memory.forces[first], memory.forces[second])]),
        prices=np.concatenate([nearest.prices[None], np.einsum("kir,ki->kr", prices, normals[chosen])]),
    )


def _mix(ratios: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    ratios = ratios[:, None, None]
    return np.asarray((1.0 - ratios) * starts + ratios * ends)
