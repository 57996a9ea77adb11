"""When samples were taken, from when they arrive and what their sender's clock says."""

from __future__ import annotations

from collections import deque

WINDOW = 10.0
"""Time over which the shortest way is remembered [s]: two clocks drift by less than 1 ms in it."""

LONGEST = 0.1
"""Age that a sample has at most when it arrives [s]: what is later than that is called this late."""

DISAGREEMENT = 0.5
"""What the clocks' difference may change by from sample to sample [s]; more is a wrong time, or another clock."""

INSISTENCE = 8
"""Samples in a row that must tell a changed difference before it is believed."""


class SampleStamps:
    """Stamps samples with the receiver's clock.

    Sample k was taken at ``s_k`` on the sender's clock and arrives at ``a_k``. The delay is ``a_k - s_k`` up to the unknown
    difference of the clocks, and never negative; so the smallest of the last ten seconds bounds that difference, and

        t_k = s_k + min_j (a_j - s_j),    a_k - 0.1 s <= t_k <= a_k

    is when it was taken, too late by the shortest delay alone. Jitter of the network falls out of it.
    """

    def __init__(self) -> None:
        self._ways: deque[tuple[float, float]] = deque()
        self._disagreed = 0

    def stamp(self, sent: float, arrived: float) -> float:
        """Return when a sample was taken.

        Args:
            sent: The sender's clock [s].
            arrived: The receiver's clock [s].
        """
        way, ways = arrived - sent, self._ways
        if ways and abs(way - ways[0][1]) > DISAGREEMENT:
            self._disagreed += 1
            if self._disagreed < INSISTENCE:
                return arrived
            ways.clear()
        self._disagreed = 0
        # the queue's ways grow, so that the first one is the smallest
        while ways and ways[-1][1] >= way:
            ways.pop()
        ways.append((arrived, way))
        while ways[0][0] < arrived - WINDOW:
            ways.popleft()
        return max(arrived - LONGEST, sent + ways[0][1])
