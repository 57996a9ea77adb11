r"""An inertial unit beside the base's origin, or one that a joint turns about z: what one at that origin would have told.

With the joint at :math:`\psi`, the unit at r in the axes of its link, which turns about a line through the base's origin, and
what it tells of the time since it told last, :math:`\tilde\omega, \tilde f`,

.. math::

    \omega_b = R_z(\bar\psi) \, \tilde\omega - \frac{\psi_k - \psi_{k-1}}{dt} e_z, \qquad
    f_b = R_z(\bar\psi) \Bigl( \tilde f - \dot{\bar\omega} \times r - \tilde\omega \times (\tilde\omega \times r) \Bigr),
    \qquad R_b = R_u R_z(\psi_k)^T, \qquad \dot{\bar\omega} = \frac{\tilde\omega - \bar\omega}{T},

the origin being a point of that link as well; of a unit on the base :math:`\psi = 0`. Differences of the joint's positions,
because what is integrated of them is then exact: an error of one sample is taken back by the next one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.robots.rotation import turn_about_vertical
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unit_mount import UnitMount

MAX_GAP = 0.1
"""Time between two states after which differences say nothing [s]."""

FILTERING = 0.01
"""Time constant T with which the rate is filtered before it is differentiated [s].

Unfiltered, the noise of a rate in two states was an acceleration of 0.3 m/s^2 at 9 cm, and torques at rest swung by 2.4 % of
their limits in place of 0.7.
"""

MIN_GAP = 1e-4
"""Time between two states, at least, by which differences are divided [s]."""


class CarriedUnit:
    """Follows the unit of one robot, state by state."""

    def __init__(self, mount: UnitMount, joint: int | None) -> None:
        """Begin.

        Args:
            mount: Where the unit is.
            joint: Index of the joint that turns it, in a reading; None for a unit that is on the base.
        """
        self._joint, self._position = joint, np.array(mount.position)
        self._is_at_origin = joint is None and not self._position.any()
        self._rate = np.zeros(3)
        self._told: MotorReading | None = None
        self._carried: MotorReading | None = None

    def carry_to_base(self, reading: MotorReading) -> MotorReading:
        """Return a reading as of a unit at the base's origin, along its axes; one that is told again is the same again."""
        told, carried = self._told, self._carried
        if self._is_at_origin or not reading.is_finite:
            return reading
        if told is not None and carried is not None and reading.repeats(told):
            return replace(carried, time=reading.time)
        is_new = told is None or reading.time - told.time > MAX_GAP
        self._told = reading
        if is_new:
            self._rate = reading.angular_velocity
        self._carried = self._carry(reading, reading if is_new or told is None else told)
        return self._carried

    def _carry(self, reading: MotorReading, before: MotorReading) -> MotorReading:
        dt = max(reading.time - before.time, MIN_GAP)
        angle, angle_before = (0.0 if self._joint is None else told.positions[self._joint] for told in (reading, before))
        turned = angle - angle_before
        rate, arm = reading.angular_velocity, self._position
        acceleration = (rate - self._rate) / (FILTERING + dt)
        self._rate = self._rate + dt * acceleration
        force = reading.specific_force - np.cross(acceleration, arm) - np.cross(rate, np.cross(rate, arm))
        half_way = turn_about_vertical(angle - 0.5 * turned)
        attitude = pin.Quaternion(reading.quaternion).normalized().toRotationMatrix() @ turn_about_vertical(angle).T
        return replace(
            reading,
            angular_velocity=half_way @ rate - np.array([0.0, 0.0, turned / dt]),
            specific_force=half_way @ force,
            quaternion=pin.Quaternion(attitude).coeffs(),
        )
