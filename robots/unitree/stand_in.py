"""A robot that stands in for a real one, behind the maker's protocol.

It holds itself until it is commanded, and damps itself when commands cease.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.beat import BEAT
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD

WATCHDOG = 0.02
"""Time without a new command by which it is damped [s]; it looks once a period, and the next look would be too late."""

GIVING_WAY = 0.5
"""Time without a command after which its maker's controller leaves it to the next one [s]."""

LOWERING = 1.0
"""Time in which the hoist lets it go once it is commanded [s]."""

HOLDING, HOLDING_DAMPING, DAMPING = 200.0, 5.0, 5.0
"""Gains of its maker's controller, which keeps a posture [Nm/rad], [Nms/rad], and of a robot that damps itself [Nms/rad]."""


class Condition(StrEnum):
    """Who moves the robot."""

    HELD = "held by its maker's controller"
    COMMANDED = "commanded"
    DAMPED = "damped"


class RobotLink(Protocol):
    """The robot's side of a link to who drives it.

    Attributes:
        motors: Number of motors that the protocol has for this kind of robot.
    """

    motors: int

    def publish(self, reading: MotorReading) -> None:
        """Tell the robot's state."""
        ...

    def read(self) -> JointCommand:
        """Return the newest command; zeros before the first one."""
        ...


class StandIn:
    """The robot: body, link, watchdog, and a maker's controller that holds its posture.

    Attributes:
        body: Its physics.
        condition: Who moves it.
        silence: How long it had heard nothing new when it was last damped, by its watchdog or its driver's guard [s]; NaN
            before.
    """

    def __init__(self, body: StandInBody, link: RobotLink, clock: Callable[[], float]) -> None:
        """Begin held by its maker's controller, in the posture in which it is.

        Args:
            body: Its physics.
            link: To who drives it.
            clock: Monotonic clock, which its watchdog goes by [s].
        """
        self.body, self._link, self._clock = body, link, clock
        self.silence = float("nan")
        self._heard = link.read()
        self._heard_at = -np.inf
        nothing, gains = np.zeros(link.motors), np.full(link.motors, DAMPING)
        self._damping = _make_command(nothing, nothing, nothing, gains)
        self._hold()

    def _hold(self) -> None:
        """Hold the posture, with the torques that the motors have."""
        count = self._link.motors
        gains = np.full(count, HOLDING), np.full(count, HOLDING_DAMPING)
        self.condition, self._is_listening = Condition.HELD, False
        self.body.obey(_make_command(self.body.joint_positions.copy(), self.body.motors.told.copy(), *gains))

    def take_back(self) -> None:
        """Let its maker's controller take it, whoever commands it: what its remote does."""
        self._hold()

    def step(self) -> None:
        """Go on for a period: hear, move, and tell."""
        command, now = self._link.read(), self._clock()
        if _is_finite(command) and not _is_nothing(command) and not _repeats(command, self._heard):
            silence, self._heard, self._heard_at = now - self._heard_at, command, now
            if self._is_listening:
                self._obey(command, silence)
        elif self.condition is Condition.COMMANDED and now + PERIOD - self._heard_at > WATCHDOG:
            self.condition, self.silence = Condition.DAMPED, now - self._heard_at
            self.body.obey(self._damping)
        # Its maker's controller does not leave it to who commanded it already, or has not ended yet.
        self._is_listening = self._is_listening or now - self._heard_at >= GIVING_WAY
        if self.condition is not Condition.HELD and not self.body.hangs:
            self.body.hoisted = max(0.0, self.body.hoisted - PERIOD / LOWERING)
        self.body.advance(PERIOD)
        self._link.publish(self.body.read())

    def _obey(self, command: JointCommand, silence: float) -> None:
        """Do what is commanded; who sends nothing but damping has given the robot up."""
        condition = Condition.DAMPED if _is_damping(command) else Condition.COMMANDED
        if condition is Condition.DAMPED and self.condition is Condition.COMMANDED:
            self.silence = silence
        self.condition = condition
        self.body.command(command)


def _make_command(positions: np.ndarray, torques: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> JointCommand:
    nothing = np.zeros(len(positions))
    return JointCommand(
        time=0.0, positions=positions, velocities=nothing, torques=torques, stiffness=stiffness, damping=damping
    )


def _list_parts(command: JointCommand) -> tuple[np.ndarray, ...]:
    return command.torques, command.positions, command.velocities, command.stiffness, command.damping


def _repeats(command: JointCommand, other: JointCommand) -> bool:
    """Whether a command is another one over again, to the last bit."""
    return all(np.array_equal(mine, others) for mine, others in zip(_list_parts(command), _list_parts(other), strict=True))


def _is_finite(command: JointCommand) -> bool:
    return all(np.isfinite(part).all() for part in _list_parts(command))


def _is_damping(command: JointCommand) -> bool:
    """Whether it only brakes; a driver's beat is no torque."""
    return not command.stiffness.any() and bool(np.abs(command.torques).max() <= 2.0 * BEAT)


def _is_nothing(command: JointCommand) -> bool:
    """Whether it is what there is before the first one."""
    return not (command.stiffness.any() or command.damping.any() or command.torques.any())
