"""What recordings of joints have in common: which way is up, and how long a metre is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.devices.suits.suit_errors import RecordingUnreadable
from handhold.devices.tracked_human import Segment

Z_UP_FROM_Y = [2, 0, 1]
"""Columns of (x, y, z) with y up, z ahead and x left, as x ahead, y left and z up."""

UNITS = (1.0, 0.01, 0.001, 0.0254, 0.0254 / 0.45)
"""Units of files [m]: metres, centimetres, millimetres, inches, and those of an old and large collection."""

THIGH = (0.3, 0.6)
"""How long a thigh is [m]."""


def is_y_up(points: np.ndarray, joints: Mapping[Segment, int]) -> bool:
    """Return whether y is up, and not z: along it the chest is farther from the feet, over all frames."""
    feet = 0.5 * (points[:, joints[Segment.LEFT_FOOT]] + points[:, joints[Segment.RIGHT_FOOT]])
    upwards = (points[:, joints[Segment.T8]] - feet).mean(axis=0)
    return bool(abs(upwards[1]) > abs(upwards[2]))


def find_length_unit(title: str, thigh: float) -> float:
    """Return the unit of a file [m] in which a thigh is as long as a person's.

    Raises:
        RecordingUnreadable: It is in none.
    """
    for unit in UNITS:
        if THIGH[0] <= unit * thigh <= THIGH[1]:
            return unit
    raise RecordingUnreadable(title, f"a thigh is {thigh:.4g} long, a person's in no unit known here; give --unit in metres")
