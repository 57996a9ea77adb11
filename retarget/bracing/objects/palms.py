"""Two palms that close on what is between them, each until it touches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

SPEED = 0.03
"""Speed of each palm [m/s]."""

MAX_DISTANCE = 0.12
"""Largest distance that each goes [m]."""

TOUCH = 4.0
"""Force along its normal from which on a palm touches [N]."""


class ClosingPalms:
    """Moves palms along their own normals, and stops each where it touches.

    Attributes:
        touching: Whether each palm has touched.
        distances: How far each has gone [m].
    """

    def __init__(self, poses: Sequence[np.ndarray]) -> None:
        """Begin where the palms are, their contact frames in world, shape ``(4, 4)`` each."""
        self._starts = [pose.copy() for pose in poses]
        self.touching = [False] * len(poses)
        self.distances = [0.0] * len(poses)

    @property
    def missed(self) -> bool:
        """Whether a palm has gone as far as it may, and touches nothing."""
        return any(far >= MAX_DISTANCE and not touches for far, touches in zip(self.distances, self.touching, strict=True))

    @property
    def closed(self) -> bool:
        """Whether all of them touch."""
        return all(self.touching)

    def step(self, normal_forces: Sequence[float], dt: float) -> list[np.ndarray]:
        """Go on for a period and return the targets of the palms, shape ``(4, 4)`` each.

        Args:
            normal_forces: What presses against each [N].
            dt: Length of the period [s].
        """
        self.touching = [done or force > TOUCH for done, force in zip(self.touching, normal_forces, strict=True)]
        for k, touches in enumerate(self.touching):
            if not touches:
                self.distances[k] = min(MAX_DISTANCE, self.distances[k] + SPEED * dt)
        targets = [start.copy() for start in self._starts]
        for target, distance in zip(targets, self.distances, strict=True):
            target[:3, 3] -= distance * target[:3, 2]
        return targets


def face_each_other(first: np.ndarray, second: np.ndarray, friction: float) -> bool:
    """Whether two palms could press on something between them without slipping: along the line from one to the other.

    Args:
        first: Contact frame of one in world, shape ``(4, 4)``.
        second: That of the other.
        friction: Friction coefficient that counts [-].
    """
    between = second[:3, 3] - first[:3, 3]
    distance = float(np.linalg.norm(between))
    least = distance * math.cos(math.atan(friction))
    return distance > 0.0 and -float(between @ first[:3, 2]) >= least <= float(between @ second[:3, 2])
