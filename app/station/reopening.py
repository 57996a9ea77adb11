"""When a headset that is gone is asked for again, and what is reported to people."""

from __future__ import annotations

from collections.abc import Callable

FIRST_PAUSE = 1.0
"""How long after a headset is lost it is asked for again [s]; the pause doubles with each failure in a row."""

MAX_PAUSE = 10.0
"""The longest pause [s]: asking costs a look at a socket or two, and an operator who waits for it should not wait for long."""

PROVEN_AFTER = 10.0
"""A headset that was back for so long is lost anew [s], and not once more."""


class Reopening:
    """Paces the attempts to open a headset; reads no clock.

    Attributes:
        is_open: A session is open; otherwise the headset is asked for when it ``is_due``.
        pause: The last pause [s], 0 before the first.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """Begin with a session that is open; ``say`` tells people."""
        self._say = say
        self.is_open = True
        self.pause = 0.0
        self._due = 0.0
        self._back: float | None = 0.0
        self._reported: set[str] = set()

    def is_due(self, now: float) -> bool:
        """Return whether the headset is to be asked for at a time [s]."""
        return not self.is_open and now >= self._due

    def note_loss(self, error: Exception, now: float) -> None:
        """Note that the headset was lost, or could not be had, at a time [s]; each reason is said once until it is back."""
        proven = self._back is not None and now - self._back >= PROVEN_AFTER
        self.pause = FIRST_PAUSE if proven else min(MAX_PAUSE, max(FIRST_PAUSE, 2.0 * self.pause))
        self.is_open = False
        self._due = now + self.pause
        self._back = None
        reason = str(error)
        if reason not in self._reported:
            self._reported.add(reason)
            self._say(
                f"station: no headset now ({reason}); it is asked for in {self.pause:.0f} s, "
                f"then ever more rarely, down to every {MAX_PAUSE:.0f} s"
            )

    def note_opened(self) -> None:
        """Note that a session was opened; whether it shows anything is still to be seen."""
        self.is_open = True

    def note_shown(self, now: float) -> None:
        """Note that the operator sees something, at a time [s]."""
        if self._back is None:
            self._back = now
            self._reported.clear()
            self._say("station: the headset is back; squeeze again before anything moves")
