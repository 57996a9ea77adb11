r"""Where a robot carries its inertial unit, and how its base moves where the unit does.

With the unit at r in the axes of what carries it, a link that a joint at :math:`\psi` turns about the z axis through the
base's origin, attitude :math:`R_u`, velocity :math:`v_u` and position :math:`p_u` of the unit in world and its angular
velocity :math:`\omega_u` in its own axes

.. math::

    R_b = R_u R_z(\psi)^T, \quad p_b = p_u - R_u r, \quad
    \omega_b = R_z(\psi) \, \omega_u - \dot\psi e_z, \quad
    R_b^T v_b = R_z(\psi) \bigl( R_u^T v_u - \omega_u \times r \bigr) ,

the origin of the base being a point of that link as well. An error :math:`\exp \xi` of the unit's pose in world (see
``contact_aided_filter``) is the same error of the base's; its velocity has those of the rate besides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.rotation import turn_about_vertical


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMount:
    """Where an inertial unit is: on the base, or on a link that a joint turns about the z axis through the base's origin.

    Attributes:
        joint: That joint; empty for the base.
        position: Of the unit in the axes of what carries it, from the base's origin [m].
    """

    joint: str = ""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def place(self, angle: float) -> np.ndarray:
        """Return the pose of the unit in the base's frame, shape ``(4, 4)``, where its joint is at an angle [rad]."""
        pose = np.eye(4)
        pose[:3, :3] = turn_about_vertical(angle)
        pose[:3, 3] = pose[:3, :3] @ self.position
        return pose

    def carry_velocity(self, velocity: np.ndarray, angular_velocity: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        """Return the velocity of the base's origin in the base's axes, shape ``(3,)`` [m/s].

        Args:
            velocity: Of the unit in its own axes, shape ``(3,)`` [m/s].
            angular_velocity: Likewise [rad/s].
            rotation: Attitude of the unit in the base's axes (see ``place``), shape ``(3, 3)``.
        """
        return np.asarray(rotation @ (velocity + pin.skew(np.array(self.position)) @ angular_velocity))

    def carry_angular_velocity(self, angular_velocity: np.ndarray, rotation: np.ndarray, rate: float) -> np.ndarray:
        """Return the angular velocity of the base in its own axes, shape ``(3,)`` [rad/s].

        Args:
            angular_velocity: Of the unit in its own axes, shape ``(3,)`` [rad/s].
            rotation: As in ``carry_velocity``.
            rate: Of the joint [rad/s].
        """
        return np.asarray(rotation @ angular_velocity - [0.0, 0.0, rate])

    def carry_force(
        self, force: np.ndarray, angular_velocity: np.ndarray, angular_acceleration: np.ndarray, rotation: np.ndarray
    ) -> np.ndarray:
        r"""Return the specific force at the base's origin in its axes, shape ``(3,)`` [m/s^2].

        .. math:: f_b = R_z(\psi) \bigl( f_u - \dot\omega_u \times r - \omega_u \times (\omega_u \times r) \bigr)

        Args:
            force: At the unit in its own axes, shape ``(3,)`` [m/s^2].
            angular_velocity: Of the unit, likewise [rad/s].
            angular_acceleration: Likewise [rad/s^2].
            rotation: As in ``carry_velocity``.
        """
        arm = np.array(self.position)
        centripetal = np.cross(angular_velocity, np.cross(angular_velocity, arm))
        return np.asarray(rotation @ (force - np.cross(angular_acceleration, arm) - centripetal))
