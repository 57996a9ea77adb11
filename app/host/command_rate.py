r"""How often a robot that keeps its own time is commanded, against how often it is to be.

.. math:: r = \frac{n T}{W}

with the n cycles that began in a window of length W and the robot's period T. CPU time does not tell it: a loop that gets half
a core is as late as one that takes two, and so is one that hears of every other state only.
"""

from __future__ import annotations

from collections import deque

WINDOW = 1.0
"""Length of the window [s]: a machine that stands still for a moment is not too slow."""

MIN_RATIO = 0.5
"""Ratio under which a robot must not go on moving [-].

Ten sessions of a G1 that stands in had 0.56 and more in each second, and did not fall; one that had 0.4 for some seconds while
it stood, and then 0.3, fell as it began to walk.
"""

RESUME_RATIO = 0.6
"""Ratio from which on it may move again [-]."""


class CommandRate:
    """Measures the rate from one cycle to the next.

    Attributes:
        ratio: Cycles of the last window, as a part of those there should have been; 1 until a whole window has passed [-].
        is_too_low: Whether the robot has to hold.
    """

    def __init__(self, period: float) -> None:
        """Begin with no cycle.

        Args:
            period: Of the robot [s].
        """
        self.ratio, self.is_too_low = 1.0, False
        self._period, self._is_whole = period, False
        self._cycle_starts: deque[float] = deque()

    def note(self, now: float) -> None:
        """Note that a cycle begins, by the host's clock [s]."""
        starts = self._cycle_starts
        starts.append(now)
        while now - starts[0] > WINDOW:
            starts.popleft()
            self._is_whole = True
        if self._is_whole:
            self.ratio = len(starts) * self._period / WINDOW
            self.is_too_low = self.ratio < (RESUME_RATIO if self.is_too_low else MIN_RATIO)
