"""At which rate a headset shows frames (``XR_FB_display_refresh_rate``)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any


def choose_rate(offered: Sequence[float], max_rate: float) -> float:
    """Return the highest of the rates that a headset offers [Hz], or the highest up to ``max_rate`` where that is not 0.

    The lowest serves where all are above it; nothing offered gives 0.
    """
    within = [rate for rate in offered if not max_rate or rate <= max_rate + _ROUNDING]
    return max(within, default=min(offered, default=0.0))


def request_rate(session: Any, max_rate: float) -> None:
    """Ask the runtime for the highest rate up to ``max_rate`` [Hz] (0: as high as it goes); it reports that by an event.

    Args:
        session: The ``xr.Session``, which runs.
        max_rate: The operator's choice.
    """
    import xr

    offered = [float(rate) for rate in xr.enumerate_display_refresh_rates_fb(session)]
    chosen = choose_rate(offered, max_rate)
    if chosen and abs(chosen - read_rate(session)) > _ROUNDING:
        # A runtime may refuse what it has just offered, as on battery: then it stays as it is.
        with contextlib.suppress(xr.exception.XrException):
            xr.request_display_refresh_rate_fb(session, chosen)


def read_rate(session: Any) -> float:
    """Return the rate at which a session's headset shows frames [Hz]."""
    import xr

    return float(xr.get_display_refresh_rate_fb(session).value)


_ROUNDING = 0.1
"""Rates are reported as 72 and as 71.97 [Hz]."""
