"""What the host takes of an observer's messages, such as a camera's: of one run at a time, in order, and of its own time."""

from __future__ import annotations

import math

from handhold.app.link.messages import Stamp

SILENCE = 2.0
"""Time without a message after which another run is listened to [s]."""

MAX_AGE = 10.0
"""Age of what was observed, on arrival, beyond which its clock is not the host's [s]."""


class ObserverInbox:
    """Judges messages; pure: it is given the time, and knows of no network."""

    def __init__(self) -> None:
        self._run: int | None = None
        self._sequence = 0
        self._heard = -math.inf

    def admit(self, stamp: Stamp, now: float) -> bool:
        """Judge an authenticated message by its stamp: of the run that is heard, and newer than its last.

        Args:
            stamp: Who sent it, and in which order.
            now: Clock of the host when it arrived [s].
        """
        if stamp.run != self._run:
            if now - self._heard < SILENCE:
                return False
            self._run, self._sequence = stamp.run, 0
        if stamp.sequence <= self._sequence:
            return False
        self._sequence, self._heard = stamp.sequence, now
        return True


def is_timely(time: float, now: float) -> bool:
    """Whether what is of a time [s] is no younger than now and not older than any camera's delay."""
    return 0.0 <= now - time <= MAX_AGE
