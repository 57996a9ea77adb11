r"""A simulated inertial unit at a robot's base: what its poses say, with noise and biases that walk.

.. math::

    \tilde\omega = \frac{\log(R_{k-1}^T R_k)}{dt} + b_g + n_g, \qquad
    \tilde f = \bar R^T \Bigl( \frac{v_k - v_{k-1}}{dt} - g \Bigr) + b_a + n_a, \qquad v_k = \frac{p_k - p_{k-1}}{dt}

with the attitude half-way :math:`\bar R`: means over a period, as a unit gives that samples faster than it is read. Physics
engines step velocities first, so that these are theirs.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.model import GRAVITY

GYROSCOPE_BIAS, ACCELEROMETER_BIAS = 5e-3, 5e-2
"""Standard deviations of the biases in the beginning [rad/s], [m/s^2]."""

_UP = np.array([0.0, 0.0, GRAVITY])


class InertialUnit:
    """Measures one base, period by period.

    Attributes:
        biases: Of gyroscope [rad/s] and accelerometer [m/s^2] now, shape ``(2, 3)``.
    """

    def __init__(self, pose: np.ndarray, noise: InertialNoise, random: np.random.Generator) -> None:
        """Begin at rest at a pose in world, shape ``(4, 4)``; biases and noise are drawn."""
        self._pose, self._velocity = pose.copy(), np.zeros(3)
        self._noise, self._random = noise, random
        self.biases = random.normal(size=(2, 3)) * [[GYROSCOPE_BIAS], [ACCELEROMETER_BIAS]]

    def measure(self, time: float, pose: np.ndarray, dt: float) -> InertialSample:
        """Return what is measured of the way from the last pose to this one.

        Args:
            time: Clock of the robot [s].
            pose: Of the base in world, shape ``(4, 4)``.
            dt: Time since the last pose [s].
        """
        before, self._pose = self._pose, pose.copy()
        velocity = (pose[:3, 3] - before[:3, 3]) / dt
        turn = pin.log3(before[:3, :3].T @ pose[:3, :3])
        mean = before[:3, :3] @ pin.exp3(0.5 * turn)
        force = mean.T @ ((velocity - self._velocity) / dt + _UP)
        self._velocity = velocity
        noise, root = self._noise, math.sqrt(dt)
        drifts = np.array([[noise.gyroscope_drift], [noise.accelerometer_drift]])
        self.biases = self.biases + root * drifts * self._random.normal(size=(2, 3))
        densities = np.array([[noise.gyroscope], [noise.accelerometer]])
        off = self.biases + densities / root * self._random.normal(size=(2, 3))
        return InertialSample(time, turn / dt + off[0], force + off[1])
