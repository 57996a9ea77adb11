"""Where a foot is put when the ground under the footstep that was planned bears too little of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.walking.bearing import LEAST_RATIO, Bearing
from handhold.retarget.walking.ground import GroundMap

BACK = 3.0
"""How much worse a place short of the planned one is than one beyond it [-]: or else it would step in place before an edge."""

ASIDE = 1.5
"""How much worse a place beside it is [-]."""

PART = 0.3
"""How much nearer a place must be that bears no part of the sole, to be taken before one that bears all of it [m]."""

RIM = 0.1
"""The same of what is beside the sole [m]: it does not come down to the millimetre."""

LEVEL = 2.0
"""How many metres nearer a place must be that is a metre higher or lower than the foot that bears, to be taken [-]."""

FAR = 0.4
"""Largest such distance [m]."""

# Ahead and aside: soles are narrower than they are long.
_APART = np.array([0.025, 0.01])
_ASIDE = 0.12


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Chosen:
    """A place for a foot.

    Attributes:
        place: Of the sole's middle seen from above, shape ``(2,)`` [m].
        bearing: What of the sole bears there.
    """

    place: np.ndarray
    bearing: Bearing


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Reach:
    """Where a foot may be put, in the frame of the foot that bears.

    Attributes:
        support: Position of that foot in world, shape ``(2,)`` [m].
        axes: Its axes as columns, shape ``(2, 2)``.
        lower: Least displacements, shape ``(2,)`` [m].
        upper: Largest ones, shape ``(2,)`` [m].
    """

    support: np.ndarray
    axes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def list_places(self, wanted: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """List places around a wanted displacement, the nearest first.

        Args:
            wanted: Displacement, shape ``(2,)`` [m].
            direction: Where the robot walks to, in the same axes, unit or zero, shape ``(2,)``.

        Returns:
            Places in world, shape ``(k, 2)``, and their weighed distances, shape ``(k,)`` [m].
        """
        grid = [self._list_displacements(wanted, axis) for axis in range(2)]
        around = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)
        off = around - wanted
        along = off @ direction
        aside = np.linalg.norm(off - along[:, None] * direction, axis=1)
        distances = np.hypot(np.where(along < 0.0, BACK, 1.0) * along, ASIDE * aside)
        order = np.argsort(distances, kind="stable")
        order = order[distances[order] <= FAR]
        return self.support + around[order] @ self.axes.T, distances[order]

    def _list_displacements(self, wanted: np.ndarray, axis: int) -> np.ndarray:
        """Return displacements along an axis around a wanted one, and the least and the largest ones."""
        apart, lower, upper = float(_APART[axis]), float(self.lower[axis]), float(self.upper[axis])
        if axis == 1:
            lower, upper = max(lower, wanted[1] - _ASIDE), min(upper, wanted[1] + _ASIDE)
        around = wanted[axis] + apart * np.arange(np.ceil((lower - wanted[axis]) / apart), (upper - wanted[axis]) / apart)
        return np.array([*around, lower, upper])


def choose_foothold(
    ground: GroundMap,
    reach: Reach,
    planned: np.ndarray,
    direction: np.ndarray,
    yaw: float,
    height: float,
    kept: np.ndarray | None = None,
) -> Chosen | None:
    """Choose where to put a foot: where it was planned if the whole sole bears there, or else as near as it bears.

    Args:
        ground: What is known of it.
        reach: Where the foot may be put.
        planned: Where it was planned, shape ``(2,)`` [m].
        direction: Where the robot walks to in the axes of the foot that bears, unit or zero, shape ``(2,)``.
        yaw: Orientation of the foot [rad].
        height: Of the foot that bears [m].
        kept: Place that was chosen before, which stays while it is as good as any; None for none.

    Returns:
        The place; None where there is none that bears enough.
    """
    if ground.find_even(planned[None], yaw, height) == 0:
        return Chosen(place=planned, bearing=ground.whole)
    if kept is not None and np.linalg.norm(kept - planned) < FAR:
        bearing = ground.find_bearing(kept, yaw, height)
        if bearing.ratio >= LEAST_RATIO:
            return Chosen(place=kept, bearing=bearing)
    places, distances = reach.list_places(reach.axes.T @ (planned - reach.support), direction)
    if not len(places):
        return None
    ratios, rims, heights = ground.rate_places(places, yaw, height)
    climbs = np.where(np.isnan(heights), 0.0, np.abs(heights - height))
    costs = np.where(ratios < LEAST_RATIO, np.inf, distances + PART * (1.0 - ratios) + RIM * (1.0 - rims) + LEVEL * climbs)
    best = int(np.argmin(costs))
    if not np.isfinite(costs[best]):
        return None
    return Chosen(place=places[best], bearing=ground.find_bearing(places[best], yaw, height))
