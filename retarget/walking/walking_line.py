r"""The line that a robot walks along, beside which uneven ground may put its feet.

A point :math:`l` goes along with the centre of mass; across the walking direction it follows little by little,

.. math:: l \mathrel{+}= (I - a a^T) (c - l) + \frac{dt}{\tau + dt} a a^T (c - l),

with the unit vector :math:`a` across, so that the line is forgotten with the time constant :math:`\tau`.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.walking.foothold_choice import find_lateral_offset
from handhold.retarget.walking.timing import PlacedFeet


class WalkingLine:
    """A point on the line, seen from above."""

    def __init__(self, com: np.ndarray, filter_time: float) -> None:
        """Begin at the centre of mass.

        Args:
            com: Its position, shape ``(2,)`` [m].
            filter_time: Time constant with which the line is forgotten [s].
        """
        self._point, self._filter_time = com.copy(), filter_time

    def follow(self, com: np.ndarray, heading: float, direction: np.ndarray, dt: float) -> None:
        """Go along with the robot.

        Args:
            com: Centre of mass, shape ``(2,)`` [m].
            heading: Where the robot is turned to [rad].
            direction: Where it walks to in its own axes, unit or zero, shape ``(2,)``.
            dt: Time [s].
        """
        offset = com - self._point
        across = find_lateral_offset(offset, heading, direction)
        ratio = dt / (self._filter_time + dt) if direction.any() else 1.0
        self._point += offset - across + ratio * across

    def find_lateral_offset(self, placed: PlacedFeet, lateral: float, direction: np.ndarray) -> np.ndarray:
        """Return how far the robot is beside the line, as the foot that supports has it, in world, shape ``(2,)`` [m].

        Args:
            placed: The feet; the second one supports.
            lateral: How far the robot's middle is to the right of that foot [m].
            direction: Where the robot walks to in its own axes, unit or zero, shape ``(2,)``.
        """
        angle = float(placed.angles[1])
        middle = placed.positions[1] + lateral * np.array([math.sin(angle), -math.cos(angle)])
        return find_lateral_offset(middle - self._point, angle, direction)
