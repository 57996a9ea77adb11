"""A place on a surface where a hand could brace, with what it is worth: an annotation of the surface."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

MAX_CORNERS = 64
"""Corners of the region that a brace would make, at most."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BracePlace:
    """The best place of a surface for one hand.

    Attributes:
        surface: Identity of the surface.
        hand: Index of the hand among the effectors.
        point: Where it touches, in world, shape ``(3,)`` [m].
        axis: Where the x axis of the hand points to in the posture that was found, in world, unit, shape ``(3,)``.
        gain: What a brace there adds to the stability margin [m].
        torque_ratio: Largest part of its limit that a joint needs with the hand loaded [-].
        region: Stability region with the hand loaded there, counter-clockwise, in world seen from above, shape ``(k, 2)`` [m].
        margin: Distance of the centre of mass from the edge of the region that is nearest [m].
        edge: That edge, by the index of its first vertex.
        limit: What limits that edge, in words.
        pair_gain: What this place and one for the other hand add together [m]; not a number where it is of no pair.
    """

    surface: int
    hand: int
    point: np.ndarray
    axis: np.ndarray
    gain: float
    torque_ratio: float
    region: np.ndarray
    margin: float
    edge: int
    limit: str
    pair_gain: float = math.nan


def find_place_fault(place: BracePlace) -> str:
    """Find what is wrong with a place that came from elsewhere, in words; empty for nothing."""
    vectors = (place.point, (3,)), (place.axis, (3,)), (place.region, (len(place.region), 2))
    if any(array.dtype != np.float64 or array.shape != shape for array, shape in vectors) or len(place.region) > MAX_CORNERS:
        return "a place to brace is no point, or its region no polygon"
    if not 0 <= place.edge < max(1, len(place.region)):
        return "a region that a brace would make has no such edge"
    pair_gain = 0.0 if math.isnan(place.pair_gain) else place.pair_gain
    scalars = [place.gain, place.torque_ratio, place.margin, pair_gain]
    if not all(np.isfinite(numbers).all() for numbers in (place.point, place.axis, place.region, scalars)):
        return "a place to brace has a number in it that is none"
    return ""
