"""Whether the operator looks at a hand, by where the head faces."""

from __future__ import annotations

import math

import numpy as np

SHOWS_WITHIN = math.radians(22.0)
"""Angle between gaze and hand within which the hand is looked at [rad]."""

HIDES_BEYOND = math.radians(30.0)
"""Angle from which on it no longer is [rad]: between the two it stays as it was, so that nothing flickers."""

DOWNWARD = math.radians(10.0)
"""How far below the head's axis eyes rest that look at what hands hold [rad]."""


def step_gaze(looked_at: bool, head: np.ndarray | None, hand: np.ndarray | None) -> bool:
    """Say whether a hand is looked at.

    Args:
        looked_at: Whether it was in the sample before.
        head: Pose of the head, x to where it faces, z up, shape ``(4, 4)``; None where it is not tracked.
        hand: Pose of the hand in the same frame, likewise.
    """
    if head is None or hand is None:
        return False
    # in plain numbers, which are quicker than arrays of three; where one is not a number, nothing is looked at
    (x, y, z), eye = hand[:3, 3].tolist(), head[:3].tolist()
    direction = (x - eye[0][3], y - eye[1][3], z - eye[2][3])
    down, ahead = math.sin(DOWNWARD), math.cos(DOWNWARD)
    along = sum(w * (ahead * row[0] - down * row[2]) for w, row in zip(direction, eye, strict=True))
    return along >= math.cos(HIDES_BEYOND if looked_at else SHOWS_WITHIN) * max(math.hypot(*direction), 1e-6)
