"""Controls of the page's own interface: a click that is never missed, a press that ends by itself."""

from __future__ import annotations

from collections.abc import Callable

from handhold.devices.browser.page_server import Action

HOLD_TIMEOUT = 0.3
"""A control is released when the page has not said so for this long [s]: three of its messages."""


class ClickButton:
    """A click that counts as a button pressed for a while.

    The while begins when the device is next read, so that a click between two slow reads is not missed. Clicks during
    it and for ``pause`` [s] after it are ignored.
    """

    def __init__(self, duration: float, pause: float = 0.0) -> None:
        self._duration = duration
        self._pause = pause
        self._waiting = False
        self._until = -float("inf")

    def click(self, _page: int = 0) -> None:
        """Take a click, on the thread that serves the pages."""
        self._waiting = True

    def drop(self) -> None:
        """Forget a click that was not read yet, and release the button."""
        self._waiting, self._until = False, -float("inf")

    def read(self, now: float) -> bool:
        """Return whether the button counts as pressed at time ``now`` [s]."""
        if self._waiting and now >= self._until + self._pause:
            self._until = now + self._duration
        self._waiting = False
        return now < self._until

    def to_action(self) -> Action:
        """Return what the page asks for to click it."""
        return Action(take=self.click)


class HoldButton:
    """A button that is pressed as long as the page keeps saying so; a page that falls silent releases it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = -float("inf")

    def hold(self, _page: int = 0) -> None:
        """Take in that it is held, on the thread that serves the pages."""
        self._last = self._clock()

    def drop(self) -> None:
        """Release the button until the page says anew that it is held."""
        self._last = -float("inf")

    def read(self, now: float) -> bool:
        """Return whether the button is held at time ``now`` [s]."""
        return now - self._last < HOLD_TIMEOUT

    def to_action(self) -> Action:
        """Return what the page asks for while it is held."""
        return Action(take=self.hold, held=True)
