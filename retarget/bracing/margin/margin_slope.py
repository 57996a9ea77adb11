r"""The slope of a predicted margin along a surface, by central differences.

.. math:: \nabla m = \sum_{i=1,2} \frac{m(h t_i) - m(-h t_i)}{2 h} t_i

with the tangents :math:`t_1, t_2` of the surface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from handhold.retarget.bracing.margin.predicted_margin import PredictedMargin
from handhold.retarget.stability.support_region import NoRegion


class MarginSlope:
    """Follows the slope under a hand: one prediction after the other, a step an update.

    Attributes:
        gradient: The slope in world, shape ``(3,)`` [-]; zero along a tangent until both its probes have been predicted.
    """

    def __init__(self, margin: PredictedMargin, probe: float) -> None:
        """Begin with nothing known.

        Args:
            margin: Predicts.
            probe: Distance h of the probes that are compared [m].
        """
        self._margin = margin
        self._probe = probe
        self._normal = np.zeros(3)
        self.reset()

    def reset(self) -> None:
        """Begin anew, for another hand or another surface."""
        self.gradient = np.zeros(3)
        self._values = np.full(4, math.nan)
        self._next = 0
        self._prediction: Iterator[float | None] | None = None

    def update(self, hand: int, normal: np.ndarray, approach: np.ndarray) -> None:
        """Advance the prediction of one of the probes; where nothing would hold the robot up there is no slope on that axis.

        Args:
            hand: Index of the hand.
            normal: Outward normal of the surface in world, unit, shape ``(3,)``.
            approach: From the hand to its contact, shape ``(3,)`` [m].
        """
        tangents = find_tangents(normal)
        if not np.array_equal(normal, self._normal):
            self.reset()
            self._normal = normal.copy()
        if self._prediction is None:
            axis, sign = self._next // 2, 1.0 if self._next % 2 == 0 else -1.0
            self._prediction = self._margin.predict(hand, normal, approach + sign * self._probe * tangents[axis])
        try:
            value = next(self._prediction)
        except NoRegion:
            value = math.nan
        if value is not None:
            self._take(value, tangents)

    def _take(self, value: float, tangents: np.ndarray) -> None:
        self._values[self._next] = value
        self._next, self._prediction = (self._next + 1) % 4, None
        slopes = (self._values[0::2] - self._values[1::2]) / (2.0 * self._probe)
        self.gradient = np.nan_to_num(slopes) @ tangents


def find_tangents(normal: np.ndarray) -> np.ndarray:
    """Return two unit vectors along a surface, shape ``(2, 3)``, the same for the same normal."""
    across = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.7 else np.array([0.0, 1.0, 0.0])
    first = np.cross(across, normal)
    first /= math.sqrt(first.dot(first))
    return np.stack([first, np.cross(normal, first)])
