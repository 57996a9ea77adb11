"""Pacing of the control loop by the wall clock."""

from __future__ import annotations

from collections.abc import Callable

CATCH_UP = 0.02
"""What a loop that was held up may catch up [s]; what is more is left behind, so that the robot never hurries."""


class Pacing:
    """Lets the robot's clock advance with the wall clock: never ahead of it, behind it where the machine is too slow.

    Attributes:
        lag: Wall time that the robot's clock has fallen behind for good [s].
    """

    def __init__(self, dt: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        """Start now.

        Args:
            dt: Control period [s].
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].
        """
        self.lag = 0.0
        self._dt = dt
        self._clock = clock
        self._sleep = sleep
        self._due = clock()

    def wait(self) -> float:
        """Wait until the next cycle may begin, and return the wall clock then [s]."""
        now = self._clock()
        while now < self._due:
            self._sleep(self._due - now)
            now = self._clock()
        late = now - self._due
        if late > CATCH_UP:
            self.lag += late - CATCH_UP
            self._due += late - CATCH_UP
        self._due += self._dt
        return now
