"""A person of average proportions: where segments are, from how they are turned."""

from __future__ import annotations

import numpy as np

from handhold.devices.suits.skeleton import PARENTS, rotate
from handhold.devices.tracked_human import Segment

DEFAULT_HEIGHT = 1.75

_OFFSETS: dict[Segment, tuple[float, float, float]] = {
    Segment.L5: (0.0, 0.0, 0.056),
    Segment.L3: (0.0, 0.0, 0.06),
    Segment.T12: (0.0, 0.0, 0.055),
    Segment.T8: (0.0, 0.0, 0.055),
    Segment.NECK: (0.0, 0.0, 0.077),
    Segment.HEAD: (0.0, 0.0, 0.052),
    Segment.RIGHT_SHOULDER: (0.0, -0.017, 0.045),
    Segment.RIGHT_UPPER_ARM: (0.0, -0.085, 0.0),
    Segment.RIGHT_FOREARM: (0.0, -0.172, 0.0),
    Segment.RIGHT_HAND: (0.0, -0.145, 0.0),
    Segment.RIGHT_UPPER_LEG: (0.0, -0.048, 0.0),
    Segment.RIGHT_LOWER_LEG: (0.0, 0.0, -0.245),
    Segment.RIGHT_FOOT: (0.0, 0.0, -0.246),
    Segment.RIGHT_TOE: (0.09, 0.0, -0.03),
}
"""Where segments begin from the one on which they hang, of the right side and the middle, as shares of a person's height."""

_SOLE = -0.009
"""How far the sole lies below the ball of the foot, as a share of the height; the heel lies level with it."""

_ANKLE = _OFFSETS[Segment.RIGHT_TOE][2] + _SOLE


def make_offsets(height: float) -> np.ndarray:
    """Return where segments begin from the one on which they hang, in its axes, shape ``(23, 3)`` [m].

    Args:
        height: Of the person [m].
    """
    offsets = np.zeros((len(Segment), 3))
    for segment, share in _OFFSETS.items():
        offsets[segment] = share
        if segment.name.startswith("RIGHT_"):
            offsets[Segment[segment.name.replace("RIGHT_", "LEFT_")]] = np.array(share) * (1.0, -1.0, 1.0)
    return height * offsets


def place_segments(orientations: np.ndarray, offsets: np.ndarray, height: float) -> np.ndarray:
    """Return where segments begin, shape ``(23, 3)`` [m]: the pelvis above the origin, the lower foot on the ground.

    Args:
        orientations: Unit quaternions (x, y, z, w), shape ``(23, 4)``.
        offsets: As of ``make_offsets``.
        height: Of the person [m].
    """
    positions = np.zeros((len(Segment), 3))
    for segment in range(1, len(Segment)):
        parent = PARENTS[segment]
        positions[segment] = positions[parent] + rotate(orientations[parent], offsets[segment])
    feet = [Segment.LEFT_FOOT, Segment.RIGHT_FOOT]
    toes = [Segment.LEFT_TOE, Segment.RIGHT_TOE]
    lowest = min((positions[feet, 2] + height * _ANKLE).min(), (positions[toes, 2] + height * _SOLE).min())
    positions[:, 2] -= lowest
    return positions
