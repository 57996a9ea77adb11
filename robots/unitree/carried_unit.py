r"""An inertial unit that a joint turns about z: what one at the base's origin would have told.

With the joint at :math:`\psi`, the unit at r in the axes of its link, which turns about a line through the base's origin, and
what it tells of the time since it told last, :math:`\tilde\omega, \tilde f`,

.. math::

    \omega_b = R_z(\bar\psi) \, \tilde\omega - \frac{\psi_k - \psi_{k-1}}{dt} e_z, \qquad
    f_b = R_z(\bar\psi) \Bigl( \tilde f - \dot{\tilde\omega} \times r - \tilde\omega \times (\tilde\omega \times r) \Bigr),
    \qquad R_b = R_u R_z(\psi_k)^T,

the origin being a point of that link as well. Differences of the joint's positions, and of the rates, because what is
integrated of them is then exact: an error of one sample is taken back by the next one.
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
        self._told: MotorReading | None = None
        self._carried: MotorReading | None = None

    def carry_to_base(self, reading: MotorReading) -> MotorReading:
        """Return a reading as of a unit at the base's origin, along its axes; one that is told again is the same again."""
        told, carried, joint = self._told, self._carried, self._joint
        if joint is None or not reading.is_finite:
            return reading
        if told is not None and carried is not None and reading.repeats(told):
            return replace(carried, time=reading.time)
        is_new = told is None or reading.time - told.time > MAX_GAP
        self._told = reading
        self._carried = self._carry(reading, reading if is_new or told is None else told, joint)
        return self._carried

    def _carry(self, reading: MotorReading, before: MotorReading, joint: int) -> MotorReading:
        dt = max(reading.time - before.time, MIN_GAP)
        angle, turned = reading.positions[joint], reading.positions[joint] - before.positions[joint]
        rate, arm = reading.angular_velocity, self._position
        acceleration = (rate - before.angular_velocity) / dt
        force = reading.specific_force - np.cross(acceleration, arm) - np.cross(rate, np.cross(rate, arm))
        half_way = turn_about_vertical(angle - 0.5 * turned)
        attitude = pin.Quaternion(reading.quaternion).normalized().toRotationMatrix() @ turn_about_vertical(angle).T
        return replace(
            reading,
            angular_velocity=half_way @ rate - np.array([0.0, 0.0, turned / dt]),
            specific_force=half_way @ force,
            quaternion=pin.Quaternion(attitude).coeffs(),
        )
