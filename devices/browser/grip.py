"""The page's button that closes and opens a gripper: a trigger, pulled or released, and the squeeze that it counts with."""

from __future__ import annotations

from handhold.devices.browser.controls import ClickButton

TAKING_UP = 0.2
"""The hand is squeezed this long before its trigger moves [s]."""
PULLING = 0.5
"""Time in which the trigger is pulled or released [s]: a gripper is taken up where the trigger comes by."""
STROKE = 3.0
"""Time that the gripper then has to get there [s]; it stays where it is when the hand is let go."""


class GripButton(ClickButton):
    """A button that squeezes a hand where it is and closes or opens its gripper, for whoever has one pointer.

    A click in between turns it round. Once it is over the trigger is released, but in a hand that is dragged only when that is
    let go: a released trigger would open the gripper of one that is squeezed.

    Attributes:
        opens: Whether the next click opens the gripper.
    """

    def __init__(self) -> None:
        super().__init__(duration=0.0)
        self.opens = True
        self._opening = True
        self._since = -float("inf")
        self._trigger = 0.0

    def drop(self) -> None:
        """Forget the click, and open the squeeze at once; the gripper stays as it is."""
        super().drop()
        self._since, self._trigger = -float("inf"), 0.0

    def read_grip(self, now: float, *, dragged: bool) -> tuple[bool, float]:
        """Return whether the hand is squeezed for it at time ``now`` [s], and its trigger.

        Args:
            now: Time [s].
            dragged: Whether the hand is dragged besides.
        """
        if self._take_click():
            self._opening = not self._opening if self._is_moving(now) else self.opens
            self._since = now
        if self._is_moving(now):
            elapsed = now - self._since
            pulled = min(max((elapsed - TAKING_UP) / PULLING, 0.0), 1.0)
            self._trigger = 1.0 - pulled if self._opening else pulled
            return True, self._trigger
        self._trigger = self._trigger if dragged else 0.0
        return False, self._trigger

    def _is_moving(self, now: float) -> bool:
        return now - self._since < TAKING_UP + PULLING + STROKE
