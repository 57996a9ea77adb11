"""Limit of the commanded walking velocity by the known ground ahead."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from handhold.retarget.walking.body_room import BodyClearance
from handhold.retarget.walking.footsteps import ZERO_VELOCITY, WalkingVelocity
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.path_ahead import (
    Walk,
    apply_stop_hysteresis,
    find_clear_ratio,
    find_free_ratios,
    find_pace,
    find_stepping_ratio,
)
from handhold.robots.description import Walking

CHECK_PERIOD = 0.04
"""Time between two checks of the ground ahead [s]."""

SEARCH_PERIOD = 0.4
"""Longest time between two searches for the next footholds [s]: one costs as much as many cycles of the control loop."""

SAME = 0.1
"""Change of the velocity asked for, as a part of it, up to which the last search for footholds still holds [-]."""

STEPS_TO_STOP = 3.0
"""Footsteps that a robot still makes when it is told to stop, and one more to catch itself with if it is pushed [-]."""

STEPS_THAT_CLIMB = 2.0
"""Footsteps ahead whose ground says how fast the robot may go [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StepSearch:
    """A search for the next footholds: what was asked, and the ratio of the velocity that they allow.

    Attributes:
        ground: What was known of it.
        steps_made: Footsteps of the gait by then.
        velocity: Velocity asked for.
        straight: Ratio of it that is free for whole soles all along.
        clear: Ratio of it before anything that is too high.
        ratio: What was found.
    """

    ground: GroundMap
    steps_made: int
    velocity: WalkingVelocity
    straight: float
    clear: float
    ratio: float

    def holds(self, ground: GroundMap, steps_made: int, velocity: WalkingVelocity, free: tuple[float, float]) -> bool:
        """Whether it was all but the same that is asked now, ``free`` being ``straight`` and ``clear``."""
        before = self.velocity
        change = math.hypot(velocity.forward - before.forward, velocity.sideways - before.sideways)
        same = change <= SAME * math.hypot(velocity.forward, velocity.sideways)
        return same and ground is self.ground and steps_made == self.steps_made and free == (self.straight, self.clear)


class SpeedLimit:
    """Checks the ground ahead periodically.

    Attributes:
        free: Ratios of the velocity that are free along the ground and turning.
        slowed: Whether the robot goes slower because the ground goes up or down.
        barred: Whether what stands upright leaves it less of its path than the ground does.
    """

    def __init__(self, walking: Walking) -> None:
        """Begin with a free path."""
        self._walking, self._checked_velocity = walking, ZERO_VELOCITY
        self.reset()

    def reset(self) -> None:
        """Forget what was found: nothing is asked for, or nothing known."""
        self.free, self.slowed, self.barred = (1.0, 1.0), False, False
        self._pace, self._until_check = 1.0, 0.0
        self._search: StepSearch | None = None
        self._search_age = 0.0

    def limit(
        self,
        velocity: WalkingVelocity,
        ground: GroundMap | None,
        gait: Gait,
        dt: float,
        clearance: BodyClearance | None = None,
    ) -> WalkingVelocity:
        """Return as much of a velocity as the ground ahead allows, and what stands upright on it.

        Args:
            velocity: Asked for.
            ground: What is known of it; None for nothing.
            gait: Where the robot is.
            dt: Time since the last call [s].
            clearance: What the body must not meet; None for nothing.
        """
        if ground is None or velocity.is_zero:
            self.reset()
            return velocity
        self._until_check -= dt
        self._search_age += dt
        if self._until_check <= 0.0:
            self._check_ground(velocity, ground, gait, clearance)
        free, turning = self.free
        paced = self._pace * self._walking.speed / max(1e-9, math.hypot(velocity.forward, velocity.sideways))
        self.slowed, straight = paced < free, min(free, paced)
        return WalkingVelocity(
            forward=straight * velocity.forward, sideways=straight * velocity.sideways, turning=turning * velocity.turning
        )

    def _check_ground(self, velocity: WalkingVelocity, ground: GroundMap, gait: Gait, clearance: BodyClearance | None) -> None:
        height = gait.ground_height
        time = STEPS_TO_STOP * self._walking.step_duration
        straight, turning = find_free_ratios(ground, gait.feet, height, velocity, time)
        clear = find_clear_ratio(ground, gait.feet, height, velocity, time)
        steps = self._find_steps(velocity, ground, gait, (straight, clear))
        body = (1.0, 1.0) if clearance is None else clearance.find_free_ratios(gait.feet, velocity, time)
        self.barred = body[0] < steps or body[1] < turning
        self.free = self._apply_stop_hysteresis(velocity, min(steps, body[0]), min(turning, body[1]))
        ahead = STEPS_THAT_CLIMB * self._walking.step_duration
        self._pace = find_pace(ground, gait.feet, height, velocity, ahead)
        self._until_check = CHECK_PERIOD

    def _find_steps(self, velocity: WalkingVelocity, ground: GroundMap, gait: Gait, free: tuple[float, float]) -> float:
        """Return the ratio of a velocity at which the next footsteps find support; searched for periodically."""
        search = self._search
        kept = search is not None and self._search_age < SEARCH_PERIOD
        if search is None or not (kept and search.holds(ground, gait.steps_made, velocity, free)):
            ratio = self._search_steps(velocity, ground, gait, free)
            search = StepSearch(
                ground=ground, steps_made=gait.steps_made, velocity=velocity, straight=free[0], clear=free[1], ratio=ratio
            )
            self._search, self._search_age = search, 0.0
        return search.ratio

    def _search_steps(self, velocity: WalkingVelocity, ground: GroundMap, gait: Gait, free: tuple[float, float]) -> float:
        """Return the ratio at which footsteps are found: over what is broken, but never beyond what is too high."""
        stance, side = gait.get_stance()
        straight, clear = free
        if clear > 0.0:
            walk = Walk(velocity=_scale(velocity, clear), gait=self._walking)
            if find_stepping_ratio(ground, stance, side, walk) == 1.0:
                return clear
        # Before a box the ground supports up to it: there shorter steps find what the asked ones do not.
        walk = Walk(velocity=_scale(velocity, straight), gait=self._walking)
        return min(straight, find_stepping_ratio(ground, stance, side, walk))

    def _apply_stop_hysteresis(self, velocity: WalkingVelocity, straight: float, turning: float) -> tuple[float, float]:
        """Return what is free of the path, or still nothing where the robot has stopped before the same ground ahead."""
        before, self._checked_velocity = self._checked_velocity, velocity
        on = before.forward * velocity.forward + before.sideways * velocity.sideways > 0.0
        round_on = before.turning * velocity.turning > 0.0
        return (
            apply_stop_hysteresis(self.free[0], straight) if on else straight,
            apply_stop_hysteresis(self.free[1], turning) if round_on else turning,
        )


def _scale(velocity: WalkingVelocity, ratio: float) -> WalkingVelocity:
    """Return a velocity of which only a part goes along the ground."""
    return replace(velocity, forward=ratio * velocity.forward, sideways=ratio * velocity.sideways)
