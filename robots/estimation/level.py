r"""The vertical as the contacts measure it: a base whose attitude is off stands on forces that seem to lean.

What the contacts exert on a robot is its weight and what accelerates it. What is left of their horizontal part on the average,

.. math::

    \dot\delta = \frac{k}{m g} \Bigl( \sum_i f_i - m \ddot c \Bigr) \times \hat z,

is the rotation vector of the error of the base's measured attitude. The measured state is turned back by it about the centre
of pressure, so that the feet stay where they are and come level; where the robot goes from there is measured as before. The
acceleration is not needed, because the velocity is differenced.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.robot import MAX_PERIOD, RobotState

GAIN = 0.05
"""Rate at which the error is learnt in the end [1/s]: a hand that leans on something unknown for a while teaches little."""

BEGINNING = 0.1
"""Time constant at first [s]: the rate falls as that of a mean does, because at first nothing is known."""

SMOOTHING = 0.05
"""Time constant of the forces' inclination [s]: velocities are noisy."""

MAX_INCLINATION = 0.1
"""Inclination from which on somebody pushes: no attitude is as far off [rad]."""

MAX_TILT = 0.05
"""Largest error that is believed [rad]."""

MIN_LOAD = 0.5
"""Part of the weight under which the contacts say nothing of the vertical [-]."""


class Level:
    """Learns how far the measured attitude is off, and turns measured states back.

    Attributes:
        tilt: Rotation vector by which they are turned, about the horizontal axes of the base's heading, with which a sensor's
            error turns, shape ``(2,)`` [rad].
        offset: What the base is displaced by, so that its feet stayed where they were, shape ``(3,)`` [m].
    """

    def __init__(self, model: RobotModel) -> None:
        self._weight = model.weight
        feet = [k for k, effector in enumerate(model.effectors) if effector.standing and effector.sensed]
        self._sensed = np.array(feet, dtype=np.int64)
        self._velocity = np.zeros(3)
        self._time = -math.inf
        self._learnt_for = 0.0
        # Rotation vector from the vertical to what the contacts exert, filtered [rad].
        self._inclination = np.zeros(2)
        self.tilt = np.zeros(2)
        self.offset = np.zeros(3)

    def correct(self, q: np.ndarray) -> np.ndarray:
        """Return a measured configuration as it is when the robot stands level, shape ``(nq,)``."""
        return turn_base(q, self.tilt, self.offset)

    def update(self, poses: np.ndarray, motion: tuple[np.ndarray, np.ndarray], state: RobotState, *, learns: bool) -> None:
        """Learn from a state.

        Args:
            poses: Of the effectors, as corrected, shape ``(effectors, 4, 4)``.
            motion: Position of the base [m] and velocity of the centre of mass [m/s], as corrected, shape ``(3,)`` each.
            state: What is measured.
            learns: Whether all contacts that support the robot are measured.
        """
        dt, self._time = state.time - self._time, state.time
        if not learns or not 0.0 < dt <= MAX_PERIOD:
            self._velocity[:] = motion[1]
            return
        self._learnt_for += dt
        learn_tilt(
            (self._sensed, poses, state.contact_wrenches),
            motion,
            self._weight,
            (max(GAIN, 1.0 / (BEGINNING + self._learnt_for)), dt, compute_heading(state.q)),
            (self._velocity, self._inclination, self.tilt, self.offset),
        )


@njit(cache=True)
def compute_heading(q: np.ndarray) -> float:
    """Compute the yaw of the base in a configuration, shape ``(nq,)`` [rad]."""
    x, y, z, w = q[3], q[4], q[5], q[6]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@njit(cache=True)
def turn_base(q: np.ndarray, tilt: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Return a configuration with its base turned about the horizontal axes of its heading, and displaced.

    Args:
        q: Configuration, shape ``(nq,)``.
        tilt: Small rotation vector about them, shape ``(2,)`` [rad].
        offset: Displacement, shape ``(3,)`` [m].
    """
    turned = q.copy()
    for i in range(3):
        turned[i] += offset[i]
    half = 0.5 * math.hypot(tilt[0], tilt[1])
    scale = 0.5 if half < 1e-9 else 0.5 * math.sin(half) / half
    heading = compute_heading(q)
    ahead, aside, c = math.cos(heading), math.sin(heading), math.cos(half)
    a, b = scale * (ahead * tilt[0] - aside * tilt[1]), scale * (aside * tilt[0] + ahead * tilt[1])
    x, y, z, w = q[3], q[4], q[5], q[6]
    turned[3] = c * x + a * w + b * z
    turned[4] = c * y + b * w - a * z
    turned[5] = c * z + a * y - b * x
    turned[6] = c * w - a * x - b * y
    return turned


@njit(cache=True)
def learn_tilt(
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray],
    motion: tuple[np.ndarray, np.ndarray],
    weight: float,
    step: tuple[float, float, float],
    learnt: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Learn from one period, in place.

    Args:
        contacts: Sensed effectors; poses of all in world, shape ``(effectors, 4, 4)``; their wrenches in their frames, shape
            ``(effectors, 6)``.
        motion: Position of the base [m] and velocity of the centre of mass [m/s], shape ``(3,)`` each.
        weight: Of the robot [N].
        step: Rate at which the error is learnt [1/s], length of the period [s] and heading of the base [rad].
        learnt: Velocity before, shape ``(3,)``; filtered inclination, shape ``(2,)`` [rad]; tilt and offset (see ``Level``).
    """
    sensed, poses, wrenches = contacts
    (base, velocity), (gain, dt, heading) = motion, step
    before, inclination, tilt, offset = learnt
    change = velocity - before
    before[:] = velocity
    force, pivot = np.zeros(3), np.zeros(3)
    for e in sensed:
        normal_force = 0.0
        for i in range(3):
            component = 0.0
            for j in range(3):
                component += poses[e, i, j] * wrenches[e, j]
            force[i] += component
            normal_force = component
        for i in range(3):
            pivot[i] += normal_force * poses[e, i, 3]
    if force[2] < MIN_LOAD * weight:
        return
    part = dt / (SMOOTHING + dt)
    inclination[0] += part * (force[1] / weight - change[1] / GRAVITY / dt - inclination[0])
    inclination[1] -= part * (force[0] / weight - change[0] / GRAVITY / dt + inclination[1])
    x, y = gain * dt * inclination[0], gain * dt * inclination[1]
    ahead, aside = math.cos(heading), math.sin(heading)
    roll, pitch = tilt[0] + ahead * x + aside * y, tilt[1] - aside * x + ahead * y
    pushed = math.hypot(inclination[0], inclination[1]) > MAX_INCLINATION
    if pushed or math.hypot(roll, pitch) > MAX_TILT:
        return
    tilt[0], tilt[1] = roll, pitch
    # The step's rotation vector times the arm from the pivot to the base.
    arm = base - pivot / force[2]
    offset[0] += y * arm[2]
    offset[1] -= x * arm[2]
    offset[2] += x * arm[1] - y * arm[0]
