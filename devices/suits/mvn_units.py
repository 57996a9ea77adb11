"""Whether a stream's positions are metres or centimetres."""

from __future__ import annotations

import numpy as np

from handhold.devices.suits.skeleton import find_parent
from handhold.devices.tracked_human import Segment

METRE, CENTIMETRE = 1.0, 0.01

_LENGTHS = (
    (Segment.PELVIS, Segment.HEAD),
    (Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG),
    (Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG),
    (Segment.RIGHT_LOWER_LEG, Segment.RIGHT_FOOT),
    (Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT),
    (Segment.RIGHT_UPPER_ARM, Segment.RIGHT_FOREARM),
    (Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM),
    (Segment.RIGHT_FOREARM, Segment.RIGHT_HAND),
    (Segment.LEFT_FOREARM, Segment.LEFT_HAND),
)
"""Pairs of joints 0.15 to 0.8 m apart in whoever wears a suit."""

BETWEEN = 3.0
"""What no such length exceeds in metres, and every one does in centimetres."""

LONGEST_REACH = 2.5
"""How far from the pelvis anything of a person is at most [m]."""


def find_unit(positions: np.ndarray, tracked: np.ndarray) -> float:
    """Return the unit of positions [m]: ``METRE`` or ``CENTIMETRE``, by the median of a person's lengths.

    The protocol says centimetres and MVN's manual metres, and senders do either; a median, so that one wrong number in the
    first sample does not decide.

    Args:
        positions: Origins of the segments, shape ``(23, 3)``, in the unit that is looked for.
        tracked: Which segments are known, shape ``(23,)``, bool.
    """
    pairs = [pair for pair in _LENGTHS if tracked[pair[0]] and tracked[pair[1]]]
    if not pairs:
        parents = ((find_parent(int(segment), tracked), int(segment)) for segment in np.flatnonzero(tracked))
        lengths = [float(np.linalg.norm(positions[one] - positions[other])) for one, other in parents if one >= 0]
        # any two joints of a person: rather metres than not
        return CENTIMETRE if lengths and np.median(lengths) > BETWEEN else METRE
    lengths = [float(np.linalg.norm(positions[one] - positions[other])) for one, other in pairs]
    return CENTIMETRE if np.median(lengths) > BETWEEN else METRE
