"""The words of the operator's stop."""

from __future__ import annotations

from enum import StrEnum


class Stop(StrEnum):
    """What is asked about the robot's stop, or which stop is latched; false only where nothing is.

    The words travel over the link and stand in logs. Of two that are asked for at once the later one counts (``choose_stop``).
    """

    NONE = ""
    """Nothing is asked for, or latched."""

    RESUME = "resume"
    """Ends a hold, once; never latched."""

    HOLD = "hold"
    """The robot comes to rest and stays."""

    DAMP = "damp"
    """The joints brake and give way."""


_ORDER = tuple(Stop)


def choose_stop(*asked: Stop) -> Stop:
    """Return the stop that counts of those that are asked for at once."""
    return max(asked, key=_ORDER.index)
