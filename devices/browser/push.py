"""The page's button that pushes: a trigger, and the closed squeeze that it counts with."""

from __future__ import annotations

from collections.abc import Callable

from handhold.devices.browser.controls import HoldButton

PUSHING = 0.5
"""Trigger while the button is held."""
TAKING_UP = 0.2
"""The hand is squeezed this long before its trigger is pulled [s]: a trigger counts from where it was when it was lost."""
RETURNING = 1.0
"""And this long after it was released [s]: a force goes back at a tenth of the robot's weight a second."""


class PushButton(HoldButton):
    """A button that squeezes a hand where it is and pulls its trigger, for whoever has one pointer.

    While nothing is squeezed the robot holds, and a trigger changes nothing.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._since: float | None = None
        self._until = -float("inf")

    def drop(self) -> None:
        """Release the button and open the squeeze at once."""
        super().drop()
        self._since, self._until = None, -float("inf")

    def read_push(self, now: float) -> tuple[bool, float]:
        """Return whether the hand is squeezed at time ``now`` [s], and its trigger."""
        if not self.read(now):
            self._since = None
            return now < self._until, 0.0
        self._since = now if self._since is None else self._since
        self._until = now + RETURNING
        return True, PUSHING if now - self._since >= TAKING_UP else 0.0
