"""Lets a robot damp itself when nobody commands it, where the maker's library would go on with the last command."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_link import MotorLink

PERIOD = 0.005
"""How often it is looked whether a command is missing [s]."""

LATCH = 0.1
"""How long a robot is damped before it stays so until it is taken over anew [s]: it has gone down by then."""


class CommandGuard:
    """Sends commands, and in their place one that damps once the last is too old.

    A process that dies or stands still sends nothing at all, and the robot's own watchdog damps it. This is for a program that
    hangs while its process lives, and hangs in Python: compiled code that never returns keeps this thread waiting too.

    Attributes:
        damping: Whether the robot is damped because no command came.
    """

    def __init__(self, link: MotorLink, gains: np.ndarray, timeout: float, clock: Callable[[], float]) -> None:
        """Watch over a link; nothing is sent before the first command.

        Args:
            link: To the robot.
            gains: Damping of its motors, shape ``(n,)`` [Nms/rad].
            timeout: Time after which a command is too old [s].
            clock: Monotonic clock [s].
        """
        self._link, self._timeout, self._clock = link, timeout, clock
        nothing = np.zeros(len(gains))
        self._damp = JointCommand(
            time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=gains
        )
        self.damping = False
        self._sent_at, self._damped_at = math.inf, math.inf
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="command guard", daemon=True)
        self._thread.start()

    def send(self, command: JointCommand) -> None:
        """Send a command; a robot that has been damped for a while, or for good, stays so."""
        with self._lock:
            now = self._clock()
            if self._stopped.is_set() or now - self._damped_at >= LATCH:
                return
            self._link.write(command)
            self._sent_at, self._damped_at, self.damping = now, math.inf, False

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it has been taken over anew."""
        with self._lock:
            self._sent_at, self._damped_at, self.damping = math.inf, math.inf, False

    def stop(self) -> None:
        """Damp the robot, for good."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
        self._thread.join()
        with self._lock:
            self._link.write(self._damp)
            self.damping = True

    def _watch(self) -> None:
        while not self._stopped.wait(PERIOD):
            with self._lock:
                now = self._clock()
                if not self.damping and now - self._sent_at > self._timeout:
                    self._link.write(self._damp)
                    self._damped_at, self.damping = now, True
