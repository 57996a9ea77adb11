"""A robot that stands in for a real one, behind the maker's protocol.

It holds itself until it is commanded, and damps itself when commands cease.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

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
        damped_at: When it was last damped by its watchdog, by its clock [s]; NaN before.
    """

    def __init__(self, body: StandInBody, link: StandInLink) -> None:
        """Begin held by its maker's controller, in the posture in which it is."""
        self.body, self._link = body, link
        self.condition = Condition.HELD
        self.damped_at = float("nan")
        self._heard = link.read()
        self._heard_at = body.time
        count = len(body.joint_names)
        nothing, hold = np.zeros(count), body.joint_positions
        self._holding = _make_command(hold, np.full(count, HOLDING), np.full(count, HOLDING_DAMPING))
        self._damping = _make_command(nothing, nothing, np.full(count, DAMPING))
        body.command(self._holding)

    def step(self) -> None:
        """Go on for a period: hear, move, and tell."""
        command, now = self._link.read(), self.body.time
        if not command.is_nothing and not command.repeats(self._heard):
            self._heard, self._heard_at = command, now
            self.condition = Condition.COMMANDED
            self.body.command(command)
        elif self.condition is Condition.COMMANDED and now - self._heard_at > WATCHDOG:
            self.condition, self.damped_at = Condition.DAMPED, now
            self.body.command(self._damping)
        if self.condition is not Condition.HELD:
            self.body.hoisted = max(0.0, self.body.hoisted - PERIOD / LOWERING)
        self.body.advance(PERIOD)
        self._link.publish(self.body.read())


def _make_command(positions: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> MotorCommand:
    nothing = np.zeros(len(positions))
    return MotorCommand(positions=positions, velocities=nothing, torques=nothing, stiffness=stiffness, damping=damping)
