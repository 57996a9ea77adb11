"""How the stability margin goes: what it was in the last seconds, and how fast it grows or shrinks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.render.snapshot import Snapshot

TREND_DURATION = 5.0
"""Time that is kept [s]."""

SPACING = 0.1
"""Minimum time between two margins that are kept [s]."""

RATE_OVER = 1.0
"""Time over which the rate is taken [s]: shorter, a step of the robot's hand would look like a fall."""

MIN_SPAN = 0.3
"""Minimum time over which a rate is computed [s]."""


@dataclass(frozen=True, slots=True)
class MarginTrend:
    """Margins of the last seconds, the oldest first.

    Attributes:
        times: When, by the robot's clock [s].
        margins: The margins [m].
    """

    times: tuple[float, ...] = ()
    margins: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        r"""How fast the margin grows [m/s], not a number before that is known.

        The slope of the line with the least squared errors over the last ``RATE_OVER`` seconds,
        :math:`\sum (t - \bar t)(m - \bar m) / \sum (t - \bar t)^2`.
        """
        times, margins = np.array(self.times), np.array(self.margins)
        recent = times >= times[-1] - RATE_OVER if len(times) else np.zeros(0, dtype=bool)
        times, margins = times[recent], margins[recent]
        if len(times) < 2 or times[-1] - times[0] < MIN_SPAN:
            return float("nan")
        centred = times - times.mean()
        return float(centred @ (margins - margins.mean()) / (centred @ centred))


def step_trend(trend: MarginTrend, snapshot: Snapshot | None) -> MarginTrend:
    """Follow the margin of the newest snapshot, which may have been seen before.

    A robot that has begun anew, one that reports no region, and one that was not heard of for a while have no past.
    """
    if (
        snapshot is None
        or snapshot.report.region is None
        or not np.isfinite([snapshot.time, snapshot.report.region.margin]).all()
    ):
        return trend if snapshot is not None and trend == NO_TREND else NO_TREND
    time, margin = snapshot.time, snapshot.report.region.margin
    elapsed = time - trend.times[-1] if trend.times else np.inf
    if 0.0 <= elapsed < SPACING:
        return trend
    if not 0.0 <= elapsed <= TREND_DURATION:
        return MarginTrend((time,), (margin,))
    first = next((k for k, then in enumerate(trend.times) if then >= time - TREND_DURATION), len(trend.times))
    return MarginTrend((*trend.times[first:], time), (*trend.margins[first:], margin))


NO_TREND = MarginTrend()
"""Nothing known yet."""
