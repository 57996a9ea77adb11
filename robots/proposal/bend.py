r"""How far the knees bend: as far as long steps need, and no further than one leg supports the robot.

With the thigh a, the shank b and the knee at the angle :math:`\beta` from straight, the hip is over the ankle by

.. math:: h(\beta) = \sqrt{a^2 + b^2 + 2 a b \cos\beta},

and on one leg, the ankle under the hip, the torque of the knee is :math:`m g` times its distance from the line between both,
:math:`a b \sin\beta / h(\beta)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

MAX_BEND = 0.8
"""Angle of a knee in standing [rad]."""

MIN_BEND = 0.2
"""Angle below which a knee has no room for a step [rad]."""

KNEE_LOAD = 0.7
"""Part of the knee's torque that the robot's weight may take on one leg that walks [-]: the rest is for its acceleration."""

STANDING = 0.85
"""Angle of a knee in standing, as a part of that in walking [-]."""

STRETCHED = 0.99
"""Part of a leg's length from which it counts as stretched [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Legs:
    """Sizes of a leg, and how it bends.

    Attributes:
        thigh: From the hip to the knee [m].
        shank: From the knee to the ankle [m].
        foot: Height of the ankle over the sole [m].
        knee_torque: Torque of the knee in use [Nm].
        weight: Of the robot [N].
    """

    thigh: float
    shank: float
    foot: float
    knee_torque: float
    weight: float

    @property
    def length(self) -> float:
        """From the hip to the sole with a straight knee [m]."""
        return self.thigh + self.shank + self.foot

    @property
    def walking_bend(self) -> float:
        """Angle of the knees in walking [rad]."""
        allowed = KNEE_LOAD * self.knee_torque
        max_bend = MAX_BEND / STANDING
        if self._load_knee(max_bend) <= allowed:
            return max_bend
        if self._load_knee(MIN_BEND) >= allowed:
            return MIN_BEND
        return float(brentq(lambda bend: self._load_knee(bend) - allowed, MIN_BEND, max_bend))

    @property
    def standing_bend(self) -> float:
        """Angle of the knees in the nominal posture [rad]."""
        return STANDING * self.walking_bend

    @property
    def drop(self) -> float:
        """How much lower the hips are in walking than in standing [m]."""
        return self.compute_height(self.standing_bend) - self.compute_height(self.walking_bend)

    @property
    def longest_step(self) -> float:
        """Distance of the feet, one behind and one ahead of the hips, at which both legs are stretched [m]."""
        height = self.compute_height(self.walking_bend)
        return 2.0 * float(np.sqrt(max(0.0, (STRETCHED * (self.thigh + self.shank)) ** 2 - height**2)))

    def compute_height(self, bend: float) -> float:
        """Compute the height of the hip over the ankle under it [m]."""
        return float(np.sqrt(self.thigh**2 + self.shank**2 + 2.0 * self.thigh * self.shank * np.cos(bend)))

    def _load_knee(self, bend: float) -> float:
        """Return the torque that the weight takes of a knee on one leg [Nm]."""
        return float(self.weight * self.thigh * self.shank * np.sin(bend) / self.compute_height(bend))
