r"""When a frame was exposed, by the clock of whoever takes it.

A camera stamps frames by the wall clock, whose difference to any other clock is read; or by a counter of its own. Nothing is
known of that but that frames arrive after they are stamped: the offset is the least delay seen,

.. math:: \hat o_k = \min(\hat o_{k-1} + r \, (t_k - t_{k-1}), \; a_k - t_k),

with the stamps :math:`t`, the arrivals :math:`a`, and a rate :math:`r` by which the camera's clock may be slower.
"""

from __future__ import annotations

import math
from collections.abc import Callable

DRIFT = 1e-4
"""Rate by which a camera's clock may be off [-]: crystals are within 50 ppm."""

MAX_AGE = 1.0
"""Age of a frame above which it is looked whether the wall clock was set since it was stamped [s]."""

MAX_AHEAD = 0.05
"""How far a stamp by the wall clock may lie ahead [s]: librealsense fits the camera's clock to it, with some error."""


class FrameClock:
    """Converts the stamps of one camera.

    Args:
        clock: Clock of whoever takes the frames [s].
        wall_clock: The system's clock, seconds since the epoch.
    """

    def __init__(self, clock: Callable[[], float], wall_clock: Callable[[], float]) -> None:
        self._clock, self._wall_clock = clock, wall_clock
        self._wall_offset = clock() - wall_clock()
        self._offset = math.inf
        self._stamp = -math.inf

    def convert(self, stamp: float, *, is_wall_time: bool) -> float:
        """Return when a frame that has just arrived was stamped [s].

        Args:
            stamp: By the camera [s].
            is_wall_time: Whether the camera stamps by the system's clock.
        """
        arrival = self._clock()
        offset = self._convert_wall_time(stamp, arrival) if is_wall_time else self._follow(stamp, arrival)
        return min(stamp + offset, arrival)

    def _convert_wall_time(self, stamp: float, arrival: float) -> float:
        before, self._wall_offset = self._wall_offset, arrival - self._wall_clock()
        for offset in (self._wall_offset, before):
            if -MAX_AHEAD <= arrival - stamp - offset <= MAX_AGE:
                return offset
        return self._wall_offset

    def _follow(self, stamp: float, arrival: float) -> float:
        since, self._stamp = stamp - self._stamp, stamp
        # a stamp of before the last one: the camera has begun to count anew
        drifted = math.inf if since < 0.0 else self._offset + DRIFT * since
        self._offset = min(arrival - stamp, drifted)
        return self._offset
