"""Passes on what a robot tells and what it is commanded, and damps it once nobody commands it any more."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Protocol

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.command_guard import CommandGuard
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.shared_motors import GuardedState, SharedMotors, decode_command, encode_state

GUARD_TIMEOUT = 0.016
"""Time without a command after which the robot is damped [s]: what damps it is there within 20 ms."""


class MakersLink(Protocol):
    """The side of the maker's protocol that drives.

    Attributes:
        motors: Number of motors that the protocol has for this kind of robot.
    """

    motors: int

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        ...

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do until the next command."""
        ...

    def is_commanded(self) -> bool:
        """Whether somebody has been heard to command the robot."""
        ...


class MotorGuard:
    """One step of it after the other; its process has clock and loop.

    Attributes:
        is_driving: Whether anything has been sent.
    """

    def __init__(self, link: MakersLink, shared: SharedMotors, gains: np.ndarray, clock: Callable[[], float]) -> None:
        """Begin to guard; nothing is sent before the first command.

        Args:
            link: To the robot.
            shared: What is shared with who drives it.
            gains: Damping of the motors, shape ``(n,)`` [Nms/rad].
            clock: Monotonic clock of the machine, which who drives has too [s].
        """
        self._link, self._shared, self._clock = link, shared, clock
        self._guard = CommandGuard(gains, GUARD_TIMEOUT)
        self.is_driving = self._is_commanded = False
        self._releases = 0
        self._reading: MotorReading | None = None

    @property
    def damping(self) -> bool:
        """Whether the robot is damped because no command came."""
        return self._guard.damping

    def step(self) -> None:
        """Tell what is new, and send what is commanded, or that nobody commands."""
        reading = self._link.read()
        if reading is not None and (self._reading is None or not reading.repeats(self._reading)):
            self._reading = reading
        if not self.is_driving:
            self._is_commanded = self._link.is_commanded()
        if (message := self._shared.releases.take()) is not None:
            (self._releases,) = struct.unpack("<q", message)
            self._guard.release()
        message = self._shared.commands.take()
        command, sent_at = (None, 0.0) if message is None else decode_command(message)
        sent = self._guard.update(command, sent_at, self._clock())
        if sent is not None:
            self.is_driving = True
            self._link.write(sent)
        self._shared.states.post(encode_state(self._describe()))

    def _describe(self) -> GuardedState:
        return GuardedState(
            motors=self._link.motors,
            damped=self._guard.damping,
            is_commanded=self._is_commanded,
            releases=self._releases,
            time=self._clock(),
            reading=self._reading,
        )

    def stop(self) -> None:
        """Damp a robot that has been commanded, for good."""
        if self.is_driving:
            self._link.write(self._guard.damp)
