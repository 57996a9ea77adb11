"""Pacing of the control loop by the wall clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CATCH_UP = 0.02
"""What a loop that was held up may catch up [s]; what is more is left behind, so that the robot never hurries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PacingRules:
    """What is done about a machine that is too slow.

    A simulated robot's clock waits for us: cycles over budget make it lag behind the wall clock, are counted and shown, and
    do no harm. A real robot's clock does not wait. Cycles that miss a state now and then are as long as that took, and do no
    harm either; after a run of such as take twice their budget the robot has to hold.

    Attributes:
        hold_after_late: Late cycles in a row (see ``Cadence``) after which the robot holds, or None where its clock waits.
    """

    hold_after_late: int | None

    def must_hold(self, late_in_a_row: int) -> bool:
        """Return whether the robot has to hold after so many late cycles in a row."""
        return self.hold_after_late is not None and late_in_a_row >= self.hold_after_late


SIMULATED_ROBOT = PacingRules(hold_after_late=None)
REAL_ROBOT = PacingRules(hold_after_late=20)
"""With cycles over their budget, in place of twice that, a walk of G1 ended after 40 ms of a busy machine, at 464 Hz."""


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
