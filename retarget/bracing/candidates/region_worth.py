r"""What a stability region is worth, and how that changes with where hands touch: one compiled pass over its program.

.. math:: w = m + \kappa A, \qquad \nabla_p w = \nabla_p m + \kappa \nabla_p A

with the margin m of the centre of mass and the area A, the posture and so the torques' Jacobians left as they are: that of
[McCrory2024]_ (eq. 14), of the margin first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.stability.region_edge import search_edge
from handhold.retarget.stability.simplex import SimplexState, begin, maximise
from handhold.retarget.stability.support_region import YAW_MOMENT, VertexMemory, keep

AREA_WORTH = 0.01
"""Margin that a square metre more of the region is worth, kappa [1/m]: a tenth of one a millimetre."""

IDLE, NO_PRICE = 1.0, 1e-6
"""Force under which a hand does nothing for an edge of the region [N], and price of the torques under which none limits it."""


@njit(cache=True)
def measure_region(
    s: SimplexState,
    centroid: np.ndarray,
    weight: float,
    generators: np.ndarray,
    directions: np.ndarray,
    memory: VertexMemory,
    point: np.ndarray,
    normal: np.ndarray,
    positions: np.ndarray,
    forces: np.ndarray,
    prices: np.ndarray,
    added: np.ndarray,
    first_torque: int,
    slope: np.ndarray,
) -> tuple[int, float, float, float, bool]:
    """Find vertices, the edge that is nearest to a point (see ``search_edge``), the area, and how they change.

    Args:
        s: The region's program.
        centroid: Its positions are relative to this.
        weight: Of the robot [N].
        generators: See ``RegionProgram``.
        directions: Of the vertices, counter-clockwise, shape ``(directions, 2)``.
        memory: Filled: the vertices.
        point: Centre of mass seen from above, shape ``(2,)`` [m].
        normal: Filled, as the next three: what an ``EdgeBuffer`` holds.
        positions: Filled.
        forces: Filled.
        prices: Filled.
        added: Which contact points are those of hands that are added, shape ``(k,)``, bool.
        first_torque: First row of a joint's torque.
        slope: Filled: of margin and area with those points, shape ``(3,)``.

    Returns:
        The status, margin, area, ratio of the edge, and whether the points added bear nothing at its nearest point, nor is it
        a torque that limits it.
    """
    status, _ = begin(s)
    count = len(directions)
    for d in range(count):
        if status == 0:
            status, _ = maximise(s, directions[d])
        if status != 0:
            return status, 0.0, 0.0, 0.0, False
        keep(s, centroid, weight, generators, memory, d)
    status, margin, ratio = search_edge(s, centroid, weight, generators, memory, point, normal, positions, forces, prices)
    if status != 0:
        return status, 0.0, 0.0, 0.0, False
    load = strain = area = 0.0
    for end in range(2):
        part = ratio if end else 1.0 - ratio
        load += part * _add_slope(normal, part, forces[end], prices[end], weight, added, slope)
        for row in range(first_torque, prices.shape[2]):
            strain += abs(normal[0] * prices[end, 0, row] + normal[1] * prices[end, 1, row])
    for d in range(count):
        before, here, after = memory.positions[d - 1], memory.positions[d], memory.positions[(d + 1) % count]
        area += 0.5 * (here[0] * after[1] - here[1] * after[0])
        along = 0.5 * np.array([after[1] - before[1], before[0] - after[0]])
        _add_slope(along, AREA_WORTH, memory.forces[d], memory.prices[d], weight, added, slope)
    return 0, margin, area, ratio, load < IDLE and strain < NO_PRICE


@njit(cache=True)
def _add_slope(
    direction: np.ndarray,
    scale: float,
    forces: np.ndarray,
    prices: np.ndarray,
    weight: float,
    added: np.ndarray,
    slope: np.ndarray,
) -> float:
    """Add what ``compute_position_gradient`` says of the points added, scaled; return the largest force on them [N]."""
    turning = direction[0] * prices[0, YAW_MOMENT] + direction[1] * prices[1, YAW_MOMENT]
    largest = 0.0
    for k in range(len(forces)):
        if added[k]:
            x, y, z = forces[k]
            slope[0] += scale * (direction[0] * z - turning * y) / weight
            slope[1] += scale * (direction[1] * z + turning * x) / weight
            slope[2] -= scale * (direction[0] * x + direction[1] * y) / weight
            largest = max(largest, np.sqrt(x * x + y * y + z * z))
    return largest
