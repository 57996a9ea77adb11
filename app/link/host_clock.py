"""What the robot host's clock says on the station's, without a question ever being asked."""

from __future__ import annotations

import math

from handhold.app.link.config import is_loopback

SHARED_WITHIN = 1.0
"""Transit [s] up to which a host that is reached by the loopback is taken to share the station's clock.

Two processes of one machine do. One that is behind a tunnel does not: its clock began when its machine did.
"""

MAX_DRIFT = 1e-4
"""How fast two clocks may drift apart [s/s]; quartz crystals keep within half of it."""


class HostClock:
    """Converts times of measurement on the host to the station's clock.

    On one machine both have the same clock. Between two machines the difference of their clocks is not known apart from the
    time a message takes: the shortest transit seen is taken for the difference, so that the part of it that no message
    is spared does not count as age.
    """

    def __init__(self, address: str) -> None:
        """Begin knowing nothing of the clock of the host at an address."""
        self._is_near = is_loopback(address)
        self._floor = math.inf
        self._measured = self._arrived = -math.inf

    def convert(self, measured: float, arrived: float) -> float:
        """Return when something was measured, by the station's clock [s]; at the latest when it arrived.

        Args:
            measured: By the host's clock [s], in the order in which it was measured; not a number where it was not reported.
            arrived: When it arrived, by the station's clock [s].
        """
        if not math.isfinite(measured):
            return arrived
        transit = arrived - measured
        # A clock that has gone back is another one: the host's machine was started again.
        restarted = measured < self._measured
        drift = 0.0 if restarted or math.isinf(self._floor) else MAX_DRIFT * max(0.0, arrived - self._arrived)
        self._floor = transit if restarted else min(transit, self._floor + drift)
        self._measured, self._arrived = measured, arrived
        shared = self._is_near and 0.0 <= self._floor < SHARED_WITHIN
        return measured if shared else min(measured + self._floor, arrived)
