"""What is asked of a footstep: where the robot stands, and a displacement from there with its bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from handhold.retarget.walking.footsteps import FootstepPlan

BACKWARD_WEIGHT = 3.0
"""How much worse a foothold short of the planned one is than one beyond it [-]: or it would step in place before an edge."""

LATERAL_WEIGHT = 2.0
"""How much worse a foothold beside it is [-]."""

MAX_LATERAL_OFFSET = 0.12
"""How far beside the planned foothold another is searched for [m]."""

# Ahead and aside: soles are narrower than they are long.
_SPACING = np.array([0.025, 0.005])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stance:
    """Where the robot is at lift-off.

    Attributes:
        support: Position of the support foot in world, shape ``(2,)`` [m].
        angle: Its orientation [rad].
        height: Of the ground under it [m].
        lift_off_height: Height of the ground that the other foot leaves [m].
        lateral_offset: How far the robot is beside the line that it walks along, in world, shape ``(2,)`` [m].
    """

    support: np.ndarray
    angle: float
    height: float
    lift_off_height: float
    lateral_offset: np.ndarray = field(default_factory=lambda: np.zeros(2))

    @property
    def axes(self) -> np.ndarray:
        """Axes of the support foot as columns, shape ``(2, 2)``."""
        return make_axes(self.angle)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stride:
    """What is asked of one footstep, in the axes of the support foot.

    Attributes:
        desired: Displacement that goes on as the robot walks, shape ``(2,)`` [m].
        lower: Minimum, shape ``(2,)`` [m].
        upper: Maximum, shape ``(2,)`` [m].
        direction: Where the robot walks to, unit or zero, shape ``(2,)``.
        angle: Orientation of the foot in world [rad].
    """

    desired: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    direction: np.ndarray
    angle: float

    def list_displacements(self) -> np.ndarray:
        """List displacements around the desired one, within reach, shape ``(k, 2)`` [m]."""
        grid = [self._list_along(axis) for axis in range(2)]
        return np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)

    def _list_along(self, axis: int) -> np.ndarray:
        """Return displacements along an axis around the desired one, and its minimum and maximum."""
        apart, lower, upper = float(_SPACING[axis]), float(self.lower[axis]), float(self.upper[axis])
        if axis == 1:
            lower, upper = max(lower, self.desired[1] - MAX_LATERAL_OFFSET), min(upper, self.desired[1] + MAX_LATERAL_OFFSET)
        around = np.arange(np.ceil((lower - self.desired[axis]) / apart), (upper - self.desired[axis]) / apart)
        return np.array([*(self.desired[axis] + apart * around), lower, upper])

    def weigh_distances(self, displacements: np.ndarray, lateral_offset: np.ndarray) -> np.ndarray:
        """Weigh the distances of displacements, shape ``(k, 2)`` [m], from the desired one, shape ``(k,)`` [m].

        Args:
            displacements: From the support foot.
            lateral_offset: How far the robot is beside its line, in the same axes, shape ``(2,)`` [m].
        """
        offset = displacements - self.desired + lateral_offset
        along = offset @ self.direction
        lateral_offset = np.linalg.norm(offset - along[:, None] * self.direction, axis=1)
        return np.hypot(np.where(along < 0.0, BACKWARD_WEIGHT, 1.0) * along, LATERAL_WEIGHT * lateral_offset)


def list_strides(plan: FootstepPlan, direction: np.ndarray, first: int = 0) -> tuple[Stride, Stride]:
    """Return what is asked of two of planned footsteps, one after the other.

    Args:
        plan: The footsteps.
        direction: Where the robot walks to in its own axes, unit or zero, shape ``(2,)``.
        first: Index of the first of the two.
    """
    first_stride, second = (
        Stride(
            desired=plan.desired[k], lower=plan.lower[k], upper=plan.upper[k], direction=direction, angle=float(plan.angles[k])
        )
        for k in (first, first + 1)
    )
    return first_stride, second


def make_axes(angle: float) -> np.ndarray:
    """Return the axes of a foot of an orientation [rad] as columns, shape ``(2, 2)``: the rotation by it."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])
