"""Keeps a robot held on its way from who holds it to who takes it over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unitree_robot import PERIOD


class KeptLink:
    """A link that sends one command again and again until somebody sends another one (see ``MotorLink``).

    Whoever takes a robot over listens for seconds and sends nothing; its guard would damp it meanwhile.

    Attributes:
        interface: What the link is called, for messages.
        motors: Number of motors.
    """

    def __init__(
        self, link: MotorLink, command: JointCommand, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        """Begin to keep a robot.

        Args:
            link: To the robot.
            command: What holds it.
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].
        """
        self.interface, self.motors = link.interface, link.motors
        self._link, self._clock, self._sleep = link, clock, sleep
        self._sent_at = -PERIOD
        self._command: JointCommand | None = command
        self._lock = threading.Lock()

    @property
    def damped(self) -> bool:
        """Whether the robot is damped because no command came in time."""
        return self._link.damped

    def keep(self) -> None:
        """Send the command once more, if it is time and nobody has sent another one."""
        with self._lock:
            now = self._clock()
            if self._command is not None and now - self._sent_at >= 0.5 * PERIOD:
                self._link.write(self._command)
                self._sent_at = now

    def sleep(self, duration: float) -> None:
        """Wait for a time [s], and keep the robot meanwhile."""
        while duration > 0.0:
            self.keep()
            self._sleep(min(duration, PERIOD))
            duration -= PERIOD

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep the robot by a thread of its own while what is computed takes longer than a period."""
        done = threading.Event()

        def keep_on() -> None:
            while not done.wait(PERIOD):
                self.keep()

        thread = threading.Thread(target=keep_on, name="keeper", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        return self._link.read()

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, in place of what kept them."""
        with self._lock:
            self._command = None
            self._link.write(command)

    def is_commanded(self) -> bool:
        """Whether somebody else has been heard to command the robot."""
        return self._link.is_commanded()

    def release(self) -> None:
        """Nothing to release: the robot is held."""

    def close(self) -> None:
        """Command the robot no more: it is damped."""
        self._link.close()
