"""The motors of a robot behind its guard, a process of its own that alone speaks the maker's protocol."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.errors import GuardSilent
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.shared_motors import GuardedState, SharedMotors, decode_state, encode_command

ARRIVAL = 60.0
"""How long the guard is waited for: it loads the robot's model first [s]."""

MAX_SILENCE = 0.3
"""Time without a word of the guard after which it is taken to hang [s]; it says one each millisecond."""

LOOKING = 0.001
"""How often it is looked for meanwhile [s]."""


class GuardedLink:
    """To the motors of a robot by its guard (see ``MotorLink``).

    Attributes:
        interface: What the link is called, for messages.
        motors: Number of motors that the protocol has for this kind of robot.
    """

    def __init__(
        self,
        interface: str,
        shared: SharedMotors,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Wait until the guard is there.

        Args:
            interface: Name of the network interface that the guard has.
            shared: What is shared with it.
            clock: Monotonic clock of the machine, which the guard has too [s].
            sleep: Waits for a time [s].

        Raises:
            GuardSilent: It does not come.
        """
        self.interface = interface
        self._shared, self._clock, self._sleep = shared, clock, sleep
        self._state = self._await_guard()
        self.motors = self._state.motors
        self._releases = self._state.releases

    def _await_guard(self) -> GuardedState:
        begun = self._clock()
        while (message := self._shared.states.take()) is None:
            if self._clock() - begun > ARRIVAL:
                raise GuardSilent(ARRIVAL)
            self._sleep(LOOKING)
        return decode_state(message)

    def _update(self) -> None:
        if (message := self._shared.states.take()) is not None:
            self._state = decode_state(message)
        elif (silence := self._clock() - self._state.time) > MAX_SILENCE:
            raise GuardSilent(silence)

    @property
    def damped(self) -> bool:
        """Whether the robot is damped because no command came in time; not what was so before it was released."""
        return self._state.damped and self._state.releases == self._releases

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one.

        Raises:
            GuardSilent: The guard says nothing any more.
        """
        self._update()
        return self._state.reading

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, in the model's order, until the next command."""
        self._shared.commands.post(encode_command(command, self._clock()))

    def is_commanded(self) -> bool:
        """Whether somebody else has been heard to command the robot."""
        self._update()
        return self._state.is_commanded

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it has been taken over anew."""
        self._releases += 1
        self._shared.releases.post(struct.pack("<q", self._releases))
        begun = self._clock()
        while self._state.releases != self._releases:
            if self._clock() - begun > ARRIVAL:
                raise GuardSilent(ARRIVAL)
            self._sleep(LOOKING)
            self._update()

    def close(self) -> None:
        """Leave it to the guard, which damps the robot once nobody commands it."""
