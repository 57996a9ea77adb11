"""When, at the earliest, something happened at the other side of a link."""

from __future__ import annotations

import math

from handhold.app.link.messages import Heard

MAX_DRIFT = 1e-4
"""How fast two clocks may drift apart [s/s]; quartz crystals keep within half of it."""


ROUNDING = 1e-3
"""How far ahead of now rounding may put what has just happened [s]."""


class ClockBound:
    """A lower bound of the difference of two clocks, from what the other side heard of this one.

    The other side heard at its time b what was sent here at time a. Its clock showed b at a or later, so that

        here >= there + floor,  floor = max over all heard of (a - b)

    holds for what it reports. The floor is too low by what the fastest message took on its way there, so that an age that is
    computed from it is too old by no more than the shortest round trip, and never too young. It sinks by the clocks' drift.
    """

    def __init__(self) -> None:
        self._floor = -math.inf
        self._updated = 0.0

    def earliest(self, time: float, heard: Heard, now: float) -> float:
        """Return the earliest time here at which the other side's clock can have shown ``time``.

        Args:
            time: Clock of the other side [s].
            heard: What it had heard of this side by then.
            now: Clock here [s].

        Returns:
            That time by the clock here [s], at most ``now``; minus infinity where nothing is known: this clock stood still,
            because its machine slept, since what the other side has heard last was sent.
        """
        # it held when it was heard, which was after it was sent here; since then the clocks may have drifted apart
        bound = heard.time - heard.at - MAX_DRIFT * max(0.0, now - heard.time)
        drift = MAX_DRIFT * max(0.0, now - self._updated)
        self._floor = max(self._floor - drift, bound)
        self._updated = now
        if time + self._floor > now:
            # what happened cannot lie ahead: this clock stood still, and the floor is not true any more
            self._floor = bound
        earliest = time + self._floor
        return min(earliest, now) if earliest <= now + ROUNDING else -math.inf
