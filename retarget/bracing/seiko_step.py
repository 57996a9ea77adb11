"""What SEIKO is asked for, what a step of it did, and what it cannot do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.preferred_posture import Preferences
from handhold.retarget.errors import RetargetError


class NoEquilibrium(RetargetError):
    """SEIKO found no feasible equilibrium near a configuration."""

    def __init__(self, contact_error: float, equilibrium_error: float, contact_excess: float) -> None:
        self.contact_error = contact_error
        self.equilibrium_error = equilibrium_error
        self.contact_excess = contact_excess
        super().__init__(
            f"no feasible equilibrium near the present posture (contacts off by {contact_error:.1e} m, balance off by "
            f"{equilibrium_error:.1e} N, contact forces {contact_excess:.1e} N outside their limits); bring the robot's "
            "centre of mass over its feet"
        )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeikoTargets:
    """What one step of SEIKO is asked to follow.

    Attributes:
        effector_poses: Target poses of all effectors in world, shape ``(effectors, 4, 4)``; only free effectors' count.
        velocity_com_in_world: Commanded velocity of the centre of mass, shape ``(3,)`` [m/s]; NaN where not commanded.
        yaw_rate: Commanded turning rate of the base about the vertical [rad/s]; NaN where not commanded.
        preferences: What the posture is to come nearer to where nothing else is asked of it; None for nothing.
        rest: How hard the whole robot is to come to rest, 0 not at all to 1 as soon as balance allows; poses pull the less.
    """

    effector_poses: np.ndarray
    velocity_com_in_world: np.ndarray
    yaw_rate: float = float("nan")
    preferences: Preferences | None = None
    rest: float = 0.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeikoStep:
    """What one step did.

    Attributes:
        solved: Whether the QP had a solution; where not, the configuration stays as it was.
        active: Names of the constraints that held the step back.
        iterations: Iterations of the solver.
        relaxed: Whether a solution was found only without taking back what violates its limits.
    """

    solved: bool
    active: tuple[str, ...]
    iterations: int
    relaxed: bool = False
