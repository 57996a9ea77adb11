"""What a search finds: a place for a hand on a surface, and what a brace there is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.mode_report import StabilityRegion


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BraceCandidate:
    """The best place that was found for a hand on a surface.

    Attributes:
        hand: Index of the hand among the effectors.
        surface: The surface.
        pose: Pose of the hand's contact frame in world where it touches, shape ``(4, 4)``: the middle of its ball.
        point: Where it touches, in world, shape ``(3,)`` [m].
        q: Posture with the hand there, shape ``(nq,)``.
        region: Stability region of that posture with the hand in contact.
        gain: What that adds to the margin of the present contacts and posture [m].
        area_gain: What it adds to the region's area [m^2].
        torque_ratio: Largest part of its limit that a joint needs with the hand loaded [-].
    """

    hand: int
    surface: Surface
    pose: np.ndarray
    point: np.ndarray
    q: np.ndarray
    region: StabilityRegion
    gain: float
    area_gain: float
    torque_ratio: float
