r"""The base's velocity between what is measured and what the controller's accelerations make of the one before.

.. math::

    \hat v^- = \hat v + \ddot q^*_B \, dt, \qquad \hat v = \hat v^- + (1 - e^{-2 \pi f dt}) (v - \hat v^-)

A low pass alone would be late by 1 / (2 pi f), as much as the whole loop may be; carried on by the accelerations that were
asked for, only what the controller did not intend is.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.robot import MAX_PERIOD, RobotState

BANDWIDTH = 10.0
"""Frequency above which the accelerations asked for are believed more than the measured velocity [Hz]."""


class BaseVelocityFilter:
    """Takes the noise out of the base's linear velocity."""

    def __init__(self, bandwidth: float = BANDWIDTH) -> None:
        self._bandwidth = bandwidth
        self._velocity = np.zeros(3)
        self._time = -math.inf

    def correct(self, state: RobotState, acceleration: np.ndarray) -> np.ndarray:
        """Return the velocity of a state with its base's one filtered, shape ``(nv,)``.

        Args:
            state: What is measured.
            acceleration: Of the base's linear velocity in its own axes, as asked for since the state before, ``(3,)`` [m/s^2].
        """
        dt, self._time = state.time - self._time, state.time
        if not 0.0 <= dt <= MAX_PERIOD:
            self._velocity = state.v[:3].copy()
            return state.v.copy()
        believed = -math.expm1(-2.0 * math.pi * self._bandwidth * dt)
        v = state.v.copy()
        correct_velocity(self._velocity, acceleration, v, believed, dt)
        return v


@njit(cache=True)
def correct_velocity(before: np.ndarray, acceleration: np.ndarray, v: np.ndarray, believed: float, dt: float) -> None:
    """Predict the base's velocity from the one before, correct it by the measured one, and put it into both, in place.

    Args:
        before: The velocity before, shape ``(3,)`` [m/s].
        acceleration: What was asked for since, shape ``(3,)`` [m/s^2].
        v: Measured velocity, the base's linear one first, shape ``(nv,)``.
        believed: Part of the difference that is taken over [-].
        dt: Time between them [s].
    """
    for i in range(3):
        predicted = before[i] + dt * acceleration[i]
        before[i] = predicted + believed * (v[i] - predicted)
        v[i] = before[i]
