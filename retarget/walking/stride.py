"""What is asked of a footstep: where the robot stands, and a displacement from there with its bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from handhold.retarget.walking.footsteps import FootstepPlan

BACK = 3.0
"""How much worse a place short of the planned one is than one beyond it [-]: or else it would step in place before an edge."""

ASIDE = 2.0
"""How much worse a place beside it is [-]."""

FARTHEST_ASIDE = 0.12
"""How far beside the planned place another is looked for [m]."""

# Ahead and aside: soles are narrower than they are long.
_APART = np.array([0.025, 0.005])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stance:
    """Where the robot is when a foot is lifted.

    Attributes:
        support: Position of the foot that bears in world, shape ``(2,)`` [m].
        angle: Its orientation [rad].
        height: Of the ground under it [m].
        lifted: Height of the ground that the other foot leaves [m].
        aside: How far the robot is beside the line that it walks along, in world, shape ``(2,)`` [m].
    """

    support: np.ndarray
    angle: float
    height: float
    lifted: float
    aside: np.ndarray = field(default_factory=lambda: np.zeros(2))

    @property
    def axes(self) -> np.ndarray:
        """Axes of the foot that bears as columns, shape ``(2, 2)``."""
        return make_axes(self.angle)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stride:
    """What is asked of one footstep, in the axes of the foot that bears.

    Attributes:
        wanted: Displacement that goes on as the robot walks, shape ``(2,)`` [m].
        lower: Least one, shape ``(2,)`` [m].
        upper: Largest one, shape ``(2,)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
        angle: Orientation of the foot in world [rad].
    """

    wanted: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    direction: np.ndarray
    angle: float

    def list_displacements(self) -> np.ndarray:
        """List displacements around the wanted one, within reach, shape ``(k, 2)`` [m]."""
        grid = [self._list_along(axis) for axis in range(2)]
        return np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)

    def _list_along(self, axis: int) -> np.ndarray:
        """Return displacements along an axis around the wanted one, and the least and the largest ones."""
        apart, lower, upper = float(_APART[axis]), float(self.lower[axis]), float(self.upper[axis])
        if axis == 1:
            lower, upper = max(lower, self.wanted[1] - FARTHEST_ASIDE), min(upper, self.wanted[1] + FARTHEST_ASIDE)
        around = np.arange(np.ceil((lower - self.wanted[axis]) / apart), (upper - self.wanted[axis]) / apart)
        return np.array([*(self.wanted[axis] + apart * around), lower, upper])

    def weigh_distances(self, displacements: np.ndarray, aside: np.ndarray) -> np.ndarray:
        """Weigh the distances of displacements, shape ``(k, 2)`` [m], from the wanted one, shape ``(k,)`` [m].

        Args:
            displacements: From the foot that bears.
            aside: How far the robot is beside its line, in the same axes, shape ``(2,)`` [m].
        """
        off = displacements - self.wanted + aside
        along = off @ self.direction
        aside = np.linalg.norm(off - along[:, None] * self.direction, axis=1)
        return np.hypot(np.where(along < 0.0, BACK, 1.0) * along, ASIDE * aside)


def list_strides(plan: FootstepPlan, direction: np.ndarray, first: int = 0) -> tuple[Stride, Stride]:
    """Return what is asked of two of planned footsteps, one after the other.

    Args:
        plan: The footsteps.
        direction: Where the robot walks to in its own axes, unit or zero, shape ``(2,)``.
        first: Index of the first of the two.
    """
    first_stride, second = (
        Stride(
            wanted=plan.wanted[k], lower=plan.lower[k], upper=plan.upper[k], direction=direction, angle=float(plan.angles[k])
        )
        for k in (first, first + 1)
    )
    return first_stride, second


def make_axes(angle: float) -> np.ndarray:
    """Return the axes of a foot of an orientation [rad] as columns, shape ``(2, 2)``: the rotation by it."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])
