"""Decides what a robot is sent: what it is commanded, or damping once nobody commands it any more."""

from __future__ import annotations

import math

import numpy as np

from handhold.robots.robot import JointCommand

LATCH = 0.1
"""How long a robot is damped before it stays so until it is taken over anew [s]: it has gone down by then."""


class CommandGuard:
    """A state machine without a clock, a link or a thread; its process has all three (``app/guard``).

    A maker's library repeats the last command as long as its process lives: what drives a robot must not be able to hang in
    the process that sends.

    Attributes:
        damping: Whether the robot is damped because no command came.
    """

    def __init__(self, gains: np.ndarray, timeout: float) -> None:
        """Begin with a robot that nobody has commanded yet: nothing is sent before the first command.

        Args:
            gains: Damping of its motors, shape ``(n,)`` [Nms/rad].
            timeout: Time after which a command is too old [s].
        """
        nothing = np.zeros(len(gains))
        self.damp = JointCommand(
            time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=gains
        )
        self.damping = False
        self._timeout = timeout
        self._sent_at, self._damped_at = math.inf, math.inf

    def update(self, command: JointCommand | None, sent_at: float, now: float) -> JointCommand | None:
        """Return what is to be sent now, or None where that of before goes on.

        Args:
            command: A new command; None where there is none.
            sent_at: When it was sent, by the same clock [s].
            now: The present time [s].
        """
        if command is not None and now - sent_at <= self._timeout and now - self._damped_at < LATCH:
            self._sent_at, self._damped_at, self.damping = sent_at, math.inf, False
            return command
        if not self.damping and now - self._sent_at > self._timeout:
            self._damped_at, self.damping = now, True
            return self.damp
        return None

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it has been taken over anew."""
        self._sent_at, self._damped_at, self.damping = math.inf, math.inf, False
