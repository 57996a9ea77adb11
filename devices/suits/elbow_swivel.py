"""The swivel of one elbow about the line from shoulder to wrist, which turns no faster than an arm does."""

from __future__ import annotations

import math

import numpy as np

from handhold.devices.suits.two_bones import cross

FOLLOWING_TIME = 0.05
"""Time in which the elbow goes to where it should be [s]."""

FASTEST = 3.0
"""How fast it swivels at most [rad/s]: close to the shoulder a hand changes the direction of the arm as fast as one likes."""


class ElbowSwivel:
    """Follows where one elbow should be, from sample to sample."""

    def __init__(self) -> None:
        """Begin with an arm that is not seen."""
        self._pole: np.ndarray | None = None

    def forget(self) -> None:
        """Begin anew: the arm is not seen."""
        self._pole = None

    def follow(self, wanted: np.ndarray, way: np.ndarray, elapsed: float) -> np.ndarray:
        """Return to which side the elbow is, square to the arm, unit, shape ``(3,)``.

        Args:
            wanted: To which side it should be, in the room, shape ``(3,)``.
            way: From shoulder to wrist, shape ``(3,)`` [m].
            elapsed: Time since the last call [s].
        """
        along = way / max(math.sqrt(float(way @ way)), 1e-6)
        aim = _square(wanted, along)
        before = aim if self._pole is None else _square(self._pole, along)
        angle = math.atan2(float(along @ cross(before, aim)), float(before @ aim))
        most = FASTEST * max(elapsed, 0.0)
        turn = min(max((1.0 - math.exp(-max(elapsed, 0.0) / FOLLOWING_TIME)) * angle, -most), most)
        self._pole = math.cos(turn) * before + math.sin(turn) * cross(along, before)
        return self._pole


def _square(vector: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the direction of a vector that is square to a unit one; any such direction where the vector has none."""
    aside = vector - (vector @ along) * along
    length = math.sqrt(float(aside @ aside))
    if length < 1e-6:
        return _square(np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.9 else np.array([1.0, 0.0, 0.0]), along)
    return np.asarray(aside / length)
