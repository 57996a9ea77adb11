"""Torques that change at random between two values: how late and how slowly a drive follows shows in what it tells."""

from __future__ import annotations

import numpy as np

from handhold.robots.joint_target import JointTarget

HOLD = 6e-3
"""Time for which a torque stays as it is, at least [s]: three periods of the protocol."""


class TorqueSteps:
    """See ``Excitation``.

    Attributes:
        duration: How long it takes [s].
        amplitude: Of the torque [Nm].
    """

    def __init__(self, amplitude: float, duration: float, random: np.random.Generator) -> None:
        """Draw the steps."""
        self.amplitude, self.duration = amplitude, duration
        self._torques = amplitude * random.choice([-1.0, 1.0], size=int(duration / HOLD) + 1)

    def at(self, time: float) -> JointTarget:
        """Return the torque at a time [s]."""
        if not 0.0 <= time < self.duration:
            return JointTarget()
        return JointTarget(torque=float(self._torques[int(time / HOLD)]))
