"""The page's button that closes and opens a gripper: a trigger, pulled or released, and the squeeze that it counts with."""

from __future__ import annotations

import threading

import numpy as np

from handhold.devices.browser.page_server import Action

TAKING_UP = 0.2
"""The hand is squeezed this long before its trigger moves [s]."""
PULLING = 0.5
"""Time in which the trigger is pulled or released once [s]."""
STROKE = 3.0
"""Time that the gripper then has to get there [s]; it stays where it is when the hand is let go."""
OPENING, CLOSING = (0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0)
"""Where the trigger goes, one pull after the other [-]: past all of its way first, wherever hand and gripper take it up."""


class GripButton:
    """A button that squeezes a hand where it is and closes or opens its gripper, for whoever has one pointer.

    Clicks meanwhile, and where no gripper is offered, change nothing. Once it is over the trigger is released, but in a hand
    that is dragged only when that is let go: a released trigger would open the gripper of one that is squeezed.
    """

    def __init__(self) -> None:
        # Clicks come on the thread that serves the pages, and so may a drop.
        self._lock = threading.Lock()
        self._offered, self._opens, self._clicked = False, False, False
        self._way: tuple[float, ...] = OPENING
        self._since = -float("inf")
        self._trigger = 0.0

    def offer(self, *, offered: bool, opens: bool) -> None:
        """Take in whether there is a gripper that a click may move now, and whether the click opens it."""
        with self._lock:
            self._opens = opens
            if self._offered and not offered:
                self._end()
            self._offered = offered

    def click(self, _page: int = 0) -> None:
        """Take a click."""
        with self._lock:
            self._clicked = self._offered

    def drop(self) -> None:
        """Forget the click, and open the squeeze at once; the gripper stays as it is."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        self._clicked, self._since, self._trigger = False, -float("inf"), 0.0

    def to_action(self) -> Action:
        """Return what the page asks for to click it."""
        return Action(take=self.click)

    def read_grip(self, now: float, *, dragged: bool) -> tuple[bool, float]:
        """Return whether the hand is squeezed for it at time ``now`` [s], and its trigger.

        Args:
            now: Time [s].
            dragged: Whether the hand is dragged besides.
        """
        with self._lock:
            if self._clicked and not self._is_moving(now):
                self._way, self._since = OPENING if self._opens else CLOSING, now
            self._clicked = False
            if self._is_moving(now):
                pulls = (now - self._since - TAKING_UP) / PULLING
                self._trigger = float(np.interp(pulls, np.arange(len(self._way)), self._way))
                return True, self._trigger
            self._trigger = self._trigger if dragged else 0.0
            return False, self._trigger

    def _is_moving(self, now: float) -> bool:
        return now - self._since < TAKING_UP + PULLING * (len(self._way) - 1) + STROKE
