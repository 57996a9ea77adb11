"""A robot that stands in for a real one, behind the maker's protocol.

It holds itself until it is commanded, and damps itself when commands cease.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np

from handhold.robots.errors import DescriptionError
from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.stand_in_link import MotorCommand, StandInLink

PERIOD = 2e-3
"""How often it tells its state [s]."""

WATCHDOG = 0.02
"""Time without a new command after which it damps [s]."""

LOWERING = 1.0
"""Time in which the hoist lets it go once it is commanded [s]."""

HOLDING, HOLDING_DAMPING, DAMPING = 200.0, 5.0, 5.0
"""Gains of its maker's controller, which keeps a posture [Nm/rad], [Nms/rad], and of a robot that damps itself [Nms/rad]."""


class Condition(StrEnum):
    """Who moves the robot."""

    HELD = "held by its maker's controller"
    COMMANDED = "commanded"
    DAMPED = "damped"


class StandIn:
    """The robot: body, link and watchdog.

    Attributes:
        body: Its physics.
        condition: Who moves it.
        silence: How long it had heard nothing new when it was last damped by its watchdog [s]; NaN before.
    """

    def __init__(self, body: StandInBody, link: StandInLink, clock: Callable[[], float]) -> None:
        """Begin held by its maker's controller, in the posture in which it is.

        Args:
            body: Its physics.
            link: To who drives it.
            clock: Monotonic clock, which its watchdog goes by [s].

        Raises:
            DescriptionError: The model has another number of motors than the protocol.
        """
        if len(body.joint_names) != link.motors:
            problem = f"{len(body.joint_names)} joints, where the protocol has {link.motors} motors"
            raise DescriptionError("the model that stands in", "", problem, "take a model of that robot")
        self.body, self._link, self._clock = body, link, clock
        self.condition = Condition.HELD
        self.silence = float("nan")
        self._heard = link.read()
        self._heard_at = clock()
        count = len(body.joint_names)
        nothing, hold = np.zeros(count), body.joint_positions
        holding = _make_command(hold, np.full(count, HOLDING), np.full(count, HOLDING_DAMPING))
        self._damping = _make_command(nothing, nothing, np.full(count, DAMPING))
        body.obey(holding)

    def step(self) -> None:
        """Go on for a period: hear, move, and tell."""
        command, now = self._link.read(), self._clock()
        if command.is_finite and not command.is_nothing and not command.repeats(self._heard):
            self._heard, self._heard_at = command, now
            self.condition = Condition.COMMANDED
            self.body.command(command)
        elif self.condition is Condition.COMMANDED and now - self._heard_at >= WATCHDOG:
            self.condition, self.silence = Condition.DAMPED, now - self._heard_at
            self.body.obey(self._damping)
        if self.condition is not Condition.HELD:
            self.body.hoisted = max(0.0, self.body.hoisted - PERIOD / LOWERING)
        self.body.advance(PERIOD)
        self._link.publish(self.body.read())


def _make_command(positions: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> MotorCommand:
    nothing = np.zeros(len(positions))
    return MotorCommand(positions=positions, velocities=nothing, torques=nothing, stiffness=stiffness, damping=damping)
