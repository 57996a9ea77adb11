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
from numba import njit

from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.model import GRAVITY
from handhold.robots.rotation import fill_exponential, rotation_log

GYROSCOPE_BIAS, ACCELEROMETER_BIAS = 5e-3, 5e-2
"""Standard deviations of the biases in the beginning [rad/s], [m/s^2]."""


class InertialUnit:
    """Measures one base, period by period.

    Attributes:
        biases: Of gyroscope [rad/s] and accelerometer [m/s^2] now, shape ``(2, 3)``.
    """

    def __init__(self, pose: np.ndarray, noise: InertialNoise, random: np.random.Generator) -> None:
        """Begin at rest at a pose in world, shape ``(4, 4)``; biases and noise are drawn."""
        self._pose, self._velocity = pose.copy(), np.zeros(3)
        self._random = random
        self._drifts = np.array([[noise.gyroscope_drift], [noise.accelerometer_drift]])
        self._densities = np.array([[noise.gyroscope], [noise.accelerometer]])
        self.biases = random.normal(size=(2, 3)) * [[GYROSCOPE_BIAS], [ACCELEROMETER_BIAS]]

    def measure(self, time: float, pose: np.ndarray, dt: float) -> InertialSample:
        """Return what is measured of the way from the last pose to this one.

        Args:
            time: Clock of the robot [s].
            pose: Of the base in world, shape ``(4, 4)``.
            dt: Time since the last pose [s].
        """
        before, self._pose = self._pose, pose.copy()
        rate, force = np.empty(3), np.empty(3)
        measure_motion(before, self._pose, self._velocity, dt, rate, force)
        root, normals = math.sqrt(dt), self._random.normal(size=(4, 3))
        self.biases = self.biases + root * self._drifts * normals[:2]
        off = self.biases + self._densities / root * normals[2:]
        return InertialSample(time, rate + off[0], force + off[1])


@njit(cache=True)
def measure_motion(
    before: np.ndarray, pose: np.ndarray, velocity: np.ndarray, dt: float, rate: np.ndarray, force: np.ndarray
) -> None:
    """Measure the way from a pose to another one without noise.

    Args:
        before: The pose a period ago, shape ``(4, 4)``.
        pose: The pose now, likewise.
        velocity: In the period before, in world, shape ``(3,)`` [m/s]; filled with that in this one.
        dt: Length of the period [s].
        rate: Filled with the angular velocity in the unit's frame, shape ``(3,)`` [rad/s].
        force: Filled with the specific force there, shape ``(3,)`` [m/s^2].
    """
    start, turn = np.ascontiguousarray(before[:3, :3]), np.empty(3)
    rotation_log(start.T @ np.ascontiguousarray(pose[:3, :3]), turn)
    half, push = np.empty((3, 3)), np.empty(3)
    fill_exponential(0.5 * turn, half, np.empty((3, 3)))
    mean = start @ half
    for i in range(3):
        moved = (pose[i, 3] - before[i, 3]) / dt
        push[i] = (moved - velocity[i]) / dt
        velocity[i] = moved
    push[2] += GRAVITY
    for i in range(3):
        rate[i] = turn[i] / dt
        force[i] = mean[0, i] * push[0] + mean[1, i] * push[1] + mean[2, i] * push[2]
