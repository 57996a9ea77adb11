r"""A calm zero moment point: :math:`w \, \|(J_c \Delta q / dt - v^-) / (\omega^2 dt)\|^2`.

A centre of mass c that moves as a linear inverted pendulum puts its zero moment point at :math:`c - \ddot c / \omega^2`; the
task keeps that near to it, in a step of which :math:`v^-` is the velocity before.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.robots.tasks.center_of_mass import CenterOfMassTask


class ZmpTask(CenterOfMassTask):
    """Three rows."""

    def update(self, velocity: np.ndarray, omega: float, dt: float, weight: float) -> None:
        """Begin a step.

        Args:
            velocity: Of the centre of mass over the last step, shape ``(3,)`` [m/s].
            omega: Natural frequency of the pendulum [rad/s].
            dt: Length of the step [s].
            weight: Weight w [1/m^2].
        """
        self.desired, self.period = velocity, dt
        self.root = math.sqrt(weight) / (omega * omega * dt)
