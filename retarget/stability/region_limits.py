"""What limits a position on a stability region's border: joint torques, friction, normal forces, edges of soles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.stability.contact_points import ContactPoints
from handhold.retarget.stability.region_edge import Edge
from handhold.retarget.stability.region_gradients import compute_position_gradient
from handhold.retarget.stability.support_region import EQUATIONS, YAW_MOMENT, JointTorques

MIN_GAIN = 1e-3
"""What a limit must gain to be named [m]: a millimetre for twice as much of it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that limits a region.

    Attributes:
        name: For people: ``arm_left_4_joint torque``, ``left_hand friction``, ``left_hand load``, ``left_foot edge``.
        gain: How far the border would move for each part of it that there were more, at the rate of the first bit [m].
    """

    name: str
    gain: float


def find_limits(edge: Edge, points: ContactPoints, torques: JointTorques | None, weight: float) -> tuple[Limit, ...]:
    """Find what limits the region at the point of an edge that is nearest to the centre of mass, the most gainful first.

    Args:
        edge: The edge.
        points: The contact points.
        torques: Joint torques of the program, or None where they were left out.
        weight: Of the robot [N].
    """
    prices, forces = edge.start.prices, edge.forces
    first_torque = EQUATIONS + len(points.max_forces)
    gains = {f"{name} edge": gain for name, gain in _find_edges(edge, points, forces, weight)}
    bounds = np.where(prices[EQUATIONS:first_torque] > 0.0, points.max_forces, points.min_forces)
    for name, price, bound in zip(points.names, prices[EQUATIONS:first_torque].tolist(), bounds.tolist(), strict=True):
        # A minimum force gains by being less.
        gains[f"{name} load"] = abs(price) * bound / weight if price != 0.0 else 0.0
    values = _price_forces(edge.normal, points.positions, prices, torques, first_torque)
    tangential = forces - np.einsum("ki,kj,kj->ki", points.frames[:, :, 2], points.frames[:, :, 2], forces)
    frictional = np.bincount(points.owners, np.einsum("ki,ki->k", tangential, values) / weight, len(points.names))
    gains |= {f"{name} friction": gain for name, gain in zip(points.names, frictional.tolist(), strict=True)}
    if torques is not None:
        pulled = np.abs(prices[first_torque:]) * torques.limits / weight
        gains |= {f"{name} torque": gain for name, gain in zip(torques.names, pulled.tolist(), strict=True)}
    named = [Limit(name, gain) for name, gain in gains.items() if gain > MIN_GAIN]
    return tuple(sorted(named, key=lambda limit: -limit.gain))


def _find_edges(edge: Edge, points: ContactPoints, forces: np.ndarray, weight: float) -> list[tuple[str, float]]:
    """Return what every contact of several points gains from being larger about its middle."""
    gradient = compute_position_gradient(edge.normal, forces, edge.start.prices, weight)
    found = []
    for owner, name in enumerate(points.names):
        mine = points.owners == owner
        arms = points.positions[mine] - points.positions[mine].mean(axis=0)
        found.append((name, float((gradient[mine] * arms).sum())))
    return found


def _price_forces(
    direction: np.ndarray, positions: np.ndarray, prices: np.ndarray, torques: JointTorques | None, first_torque: int
) -> np.ndarray:
    """Return what a force at each point is worth, its effect on all that limits counted, shape ``(k, 3)`` [m]."""
    # From the middle of the points, as the program has it: the price of the forces' sum is relative to it.
    x, y, z = (positions - positions.mean(axis=0)).T
    turning = prices[YAW_MOMENT]
    along = np.stack(
        [-direction[0] * z + turning * y, -direction[1] * z - turning * x, direction[0] * x + direction[1] * y], 1
    )
    values = along - prices[:3]
    if torques is not None:
        values -= torques.jacobians @ prices[first_torque:]
    return np.asarray(values)
