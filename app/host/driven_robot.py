"""A robot as the control loop drives it: in which rhythm, and whose clock counts."""

from __future__ import annotations

import math
from typing import Protocol

from handhold.app.errors import AppError
from handhold.app.host.command_rate import MIN_RATIO, CommandRate
from handhold.app.host.health_watch import HealthWatch
from handhold.app.host.loop_clocks import LoopClocks
from handhold.app.host.pacing import Pacing
from handhold.app.host.slowness import COMMANDS, SIMULATION
from handhold.app.link.world_truth import WorldTruth
from handhold.robots.robot import LiveRobot, Robot, SimulatedRobot

HELD = 30.0
"""How long a robot that has been handed back holds its posture before it is damped [s]: its maker's controller takes it."""


DAMPED = 0.1
"""How long a robot may be damped before its session ends [s]: it has gone down, and has to be taken over anew."""


class UnwellRobot(AppError):
    """A session has ended because its robot is not well enough to be driven on."""


class DampedRobot(AppError):
    """A robot was damped because its commands did not come in time."""

    def __init__(self) -> None:
        super().__init__(
            "the robot was damped, because its commands did not come in time: end what else this machine runs, "
            "let the robot stand, and start again"
        )


class DrivenRobot(Protocol):
    """What the loop does around a cycle."""

    @property
    def robot(self) -> Robot:
        """The robot."""
        ...

    @property
    def period(self) -> float:
        """Control period [s]."""
        ...

    @property
    def is_rate_too_low(self) -> bool:
        """Whether the machine is too slow for the robot to go on moving: it has to hold."""
        ...

    @property
    def slowness_words(self) -> str:
        """What is said of the ratio of its rate on a machine that is too slow, in percent."""
        ...

    @property
    def slowness_effect(self) -> str:
        """What comes of that, in words."""
        ...

    @property
    def is_left_standing(self) -> bool:
        """Whether it is to come to rest before a session ends: it outlives that."""
        ...

    @property
    def lag(self) -> float:
        """Wall time that the robot's clock has fallen behind for good [s]."""
        ...

    @property
    def health(self) -> HealthWatch | None:
        """What judges how it is; None where it tells nothing of that."""
        ...

    @property
    def has_ended(self) -> bool:
        """Whether it needs no more cycles once a session is to end."""
        ...

    def begin(self) -> None:
        """Begin the rhythm now."""
        ...

    def wait(self) -> float:
        """Wait until the next cycle may begin, and return the wall clock then [s]."""
        ...

    def follow(self) -> None:
        """Let the robot follow the last command until the next cycle."""
        ...

    def begin_end(self) -> str:
        """Begin to end the session; says to people what happens to the robot, empty for nothing."""
        ...

    def find_truth(self, now: float) -> WorldTruth | None:
        """Return where it and the solids about it truly are, at a time by the host's clock [s].

        None where nobody knows, or where that is what it measures and what the world's file says.
        """
        ...


class SteppedRobot:
    """A simulated robot (see ``DrivenRobot``), whose time is ours: it falls behind the wall clock on a slow machine.

    Cycles over budget are counted and shown, and do no harm.
    """

    slowness_words, slowness_effect = SIMULATION, "the robot is as safe, only slower"
    is_rate_too_low = False
    has_ended, is_left_standing, health = True, False, None

    def __init__(self, robot: SimulatedRobot, clocks: LoopClocks) -> None:
        self.robot = robot
        self.period = robot.period
        self._clocks = clocks
        # It costs a reading of the physics.
        self._differs = not robot.is_truthful or any(solid.mass is not None for solid in robot.world.solids)
        self._pacing = Pacing(self.period, clocks.monotonic, clocks.sleep)

    @property
    def lag(self) -> float:
        """Wall time that the robot's clock has fallen behind for good [s]."""
        return self._pacing.lag

    def begin(self) -> None:
        """Begin the rhythm now."""
        self._pacing = Pacing(self.period, self._clocks.monotonic, self._clocks.sleep)

    def wait(self) -> float:
        """Wait until the next cycle may begin, and return the wall clock then [s]."""
        return self._pacing.wait()

    def follow(self) -> None:
        """Advance the simulation by a period."""
        self.robot.advance(self.period)

    def begin_end(self) -> str:
        """It ends with its process."""
        return ""

    def find_truth(self, now: float) -> WorldTruth | None:
        """Return where it and the solids of its world are; None where it measures that, and none of them can be moved."""
        return WorldTruth(time=now, q=self.robot.truth.q, solids=self.robot.solid_poses()) if self._differs else None


class OwnTimeRobot:
    """A robot that keeps its own time (see ``DrivenRobot``): a cycle begins with each state that it tells.

    Its clock does not wait. Cycles that miss a state now and then are as long as that took, and do no harm; where too many do,
    it has to hold.

    Attributes:
        health: What judges how it is.
    """

    slowness_words, slowness_effect = COMMANDS, f"below {100.0 * MIN_RATIO:.0f} % it holds"
    is_left_standing = True
    lag = 0.0

    def __init__(self, robot: LiveRobot, clocks: LoopClocks) -> None:
        self.robot = robot
        self.period = robot.period
        self._clock = clocks.monotonic
        self._held_until = math.inf
        self._damped_since = math.inf
        self._rate = CommandRate(robot.period)
        self.health = HealthWatch(robot.health_limits)

    @property
    def has_ended(self) -> bool:
        """Whether it is damped, or has been handed back and its maker's controller had the time to take it."""
        return self.robot.is_given_up or self._clock() >= self._held_until

    def begin(self) -> None:
        """Nothing to begin: the rhythm is the robot's."""

    @property
    def is_rate_too_low(self) -> bool:
        """Whether the machine is too slow for the robot to go on moving."""
        return self._rate.is_too_low

    def wait(self) -> float:
        """Wait until the robot tells its state, and return the wall clock then [s].

        Raises:
            DampedRobot: It was damped, because commands did not come in time.
        """
        self.robot.wait()
        now = self._clock()
        self._rate.note(now)
        self._damped_since = min(self._damped_since, now) if self.robot.damped else math.inf
        if now - self._damped_since > DAMPED:
            raise DampedRobot
        if self.health.is_due(now):
            self.health.update(self.robot.health, now)
        if self.robot.returned:
            self._held_until = min(self._held_until, now + HELD)
        return now

    def follow(self) -> None:
        """Nothing to do: it moves by itself."""

    def begin_end(self) -> str:
        """Hand the robot back; one that has been given up stays damped.

        One whose commands were late just now may be held yet: its guard knows, and where it stays damped ``wait`` raises.
        """
        if self.robot.is_given_up:
            return "the robot is damped, and stays so"
        self.robot.hand_back()
        return (
            f"the robot holds its posture for {HELD:g} s: take its weight, or let its maker's controller take it; "
            "then it is damped"
        )

    def find_truth(self, _now: float) -> WorldTruth | None:
        """Nobody knows where it is, nor what is about it."""
        return None
