"""A place for a hand and what is known of it so far, estimated or found."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.candidates.region_worth import AREA_WORTH

DOUBT = 0.2
"""Margin that a metre is worth by which an arm does not reach a place, or is within another body [-].

The further, the less likely it is that there is a posture at all.
"""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Trial:
    """A place, and a posture that brings the hand there, found or estimated.

    Attributes:
        local: In the surface's x and y, shape ``(2,)`` [m].
        q: The posture, shape ``(nq,)``.
        gain: What the hand there adds to the margin [m].
        area_gain: What it adds to the region's area [m^2].
        saturated: Whether the margin is limited by an edge for which neither hand nor posture does anything.
        slope: Of the region's worth with the hand's place in world, the posture left as it is, shape ``(3,)`` [-].
        torque_ratio: Largest part of its limit that a joint needs with the hand loaded [-]; not a number of an estimate.
        doubt: How far an estimated posture is from one that can be taken [m]; nothing for one that was found.
    """

    local: np.ndarray
    q: np.ndarray
    gain: float
    area_gain: float
    saturated: bool
    slope: np.ndarray
    torque_ratio: float = math.nan
    doubt: float = 0.0

    @property
    def score(self) -> float:
        """What is ranked by [m]: the margin, a little of the area, and what is doubtful less."""
        return self.gain + AREA_WORTH * self.area_gain - DOUBT * self.doubt
