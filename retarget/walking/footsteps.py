r"""Footsteps that a velocity asks for: a filtered command, orientations (QP1), and displacements from foot to foot.

The orientations solve QP1 of the paper,

.. math::

    \min_\theta \sum_j (\theta_j - \theta_{j-1} - \omega T)^2 \quad
    \text{s.t.} \quad |\theta_j - \theta_{j-1}| \leq \theta_{max},

which is separable in the differences: each is :math:`\omega T`, clipped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.robots.description import Walking

LEFT, RIGHT = 1.0, -1.0
"""Sides of a foot: the sign of its position along y."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkingVelocity:
    """A velocity to walk at, in the axes of the body.

    Attributes:
        forward: Along x [m/s].
        sideways: Along y, to the left [m/s].
        turning: About z, to the left [rad/s].
    """

    forward: float = 0.0
    sideways: float = 0.0
    turning: float = 0.0

    @property
    def is_zero(self) -> bool:
        """Whether nothing is asked for."""
        return self.forward == 0.0 and self.sideways == 0.0 and self.turning == 0.0

    @property
    def direction(self) -> np.ndarray:
        """Unit vector along which it goes, shape ``(2,)``; zero for none."""
        along = np.array([self.forward, self.sideways])
        length = float(np.linalg.norm(along))
        return along / length if length > 0.0 else along

    def approach(self, desired: WalkingVelocity, gait: Walking, dt: float) -> WalkingVelocity:
        """Return the velocity after ``dt`` [s] of going towards another at no more than the gait's accelerations."""
        line, turn = gait.acceleration * dt, gait.turning_acceleration * dt
        return WalkingVelocity(
            forward=_approach(self.forward, desired.forward, line),
            sideways=_approach(self.sideways, desired.sideways, line),
            turning=_approach(self.turning, desired.turning, turn),
        )


ZERO_VELOCITY = WalkingVelocity()


def _approach(value: float, desired: float, max_change: float) -> float:
    return value + min(max_change, max(-max_change, desired - value))


def scale_command(stick: np.ndarray, yaw_rate: float, gait: Walking) -> WalkingVelocity:
    """Return the velocity that sticks ask for.

    Args:
        stick: Forward and to the left, each -1 to 1, nothing within the dead zone, shape ``(2,)`` or longer.
        yaw_rate: -1 to 1, to the left, likewise.
        gait: How fast the robot may walk.
    """
    forward = float(stick[0]) * (gait.speed if stick[0] > 0.0 else gait.backward_speed)
    return WalkingVelocity(
        forward=forward, sideways=float(stick[1]) * gait.sideways_speed, turning=yaw_rate * gait.turning_speed
    )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FootstepPlan:
    """Footsteps that are asked for, each relative to the foot before.

    Attributes:
        sides: Side of each footstep, ``LEFT`` or ``RIGHT``, shape ``(steps,)``.
        angles: Orientations, shape ``(steps,)`` [rad].
        desired: Displacements from the foot before in its frame, shape ``(steps, 2)`` [m].
        lower: Minimum of them, shape ``(steps, 2)`` [m].
        upper: Maximum of them, shape ``(steps, 2)`` [m].
    """

    sides: np.ndarray
    angles: np.ndarray
    desired: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def plan_footsteps(
    velocity: WalkingVelocity, support_side: float, support_angle: float, count: int, gait: Walking, *, last: int | None = None
) -> FootstepPlan:
    """Plan footsteps from the support foot on: sides alternate, orientations follow QP1, displacements the velocity.

    Args:
        velocity: Velocity of the body.
        support_side: Side of the support foot before the first step, ``LEFT`` or ``RIGHT``.
        support_angle: Its orientation [rad].
        count: Number of footsteps.
        gait: Timing and reach.
        last: Index of the footstep that ends the walk, level with the foot before, as all after it; None to go on.
    """
    sides = support_side * np.where(np.arange(count) % 2 == 0, -1.0, 1.0)
    level = np.arange(count) >= (count if last is None else last)
    turns = compute_turns(velocity.turning * gait.step_duration, count, gait.largest_turn)
    turns[level] = 0.0
    desired = np.stack([_displace(velocity, side, turn, gait) for side, turn in zip(sides, turns, strict=True)])
    desired[level] = np.stack([np.zeros(level.sum()), gait.spacing * sides[level]], axis=1)
    lower, upper = _bound(sides, gait)
    return FootstepPlan(
        sides=sides,
        angles=support_angle + np.cumsum(turns),
        desired=np.clip(desired, lower, upper),
        lower=lower,
        upper=upper,
    )


def compute_turns(desired: float, count: int, largest: float) -> np.ndarray:
    """Solve QP1 for the differences of orientations from foot to foot, shape ``(count,)`` [rad].

    Args:
        desired: Turn in one step that the velocity asks for [rad].
        count: Number of footsteps.
        largest: Largest turn from one foot to the next [rad].
    """
    return np.full(count, min(largest, max(-largest, desired)))


def _displace(velocity: WalkingVelocity, side: float, turn: float, gait: Walking) -> np.ndarray:
    """Return the displacement from the foot before: half the spacing to the middle, on with the body, half of it out."""
    half = 0.5 * gait.spacing
    step = gait.step_duration
    sideways = side * velocity.sideways * step
    # One of two steps to the side brings the feet together; what it cannot go inwards, the other goes outwards.
    narrowest = gait.spacing - gait.least_spacing
    if abs(sideways) > narrowest:
        sideways = 2.0 * sideways - narrowest if sideways > 0.0 else -narrowest
    forward = velocity.forward * step
    return np.array([forward - side * half * math.sin(turn), side * (half + half * math.cos(turn) + sideways)])


def _bound(sides: np.ndarray, gait: Walking) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and largest displacements: a foot never comes nearer to the other than the least spacing."""
    near, far = gait.least_spacing * sides, gait.widest_spacing * sides
    lower = np.stack([np.full(len(sides), -gait.longest_backward), np.minimum(near, far)], axis=1)
    upper = np.stack([np.full(len(sides), gait.longest_step), np.maximum(near, far)], axis=1)
    return lower, upper
