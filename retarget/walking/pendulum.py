r"""The linear inverted pendulum under a ZMP that moves at constant velocity.

.. math:: \ddot c = \omega^2 (c - z), \quad \dot z = u
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.robots.model import GRAVITY, MIN_PENDULUM_HEIGHT


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PendulumState:
    """Where a pendulum is, seen from above; world axes.

    Attributes:
        com: Centre of mass, shape ``(2,)`` [m].
        velocity: Its velocity, shape ``(2,)`` [m/s].
        zmp: Zero moment point, shape ``(2,)`` [m].
    """

    com: np.ndarray
    velocity: np.ndarray
    zmp: np.ndarray

    def compute_dcm(self, omega: float) -> np.ndarray:
        r"""Compute the divergent component of motion :math:`\xi = c + \dot c / \omega`, shape ``(2,)`` [m]."""
        return self.com + self.velocity / omega

    def compute_acceleration(self, omega: float) -> np.ndarray:
        r"""Compute :math:`\ddot c = \omega^2 (c - z)`, shape ``(2,)`` [m/s^2]."""
        return omega**2 * (self.com - self.zmp)

    def advance(self, zmp_velocity: np.ndarray, dt: float, omega: float) -> PendulumState:
        """Return the state after a time in which the ZMP moves at constant velocity; exact.

        Args:
            zmp_velocity: Shape ``(2,)`` [m/s].
            dt: Time [s].
            omega: Natural frequency [1/s].
        """
        cosh, sinh = math.cosh(omega * dt), math.sinh(omega * dt)
        arm, speed = self.com - self.zmp, self.velocity - zmp_velocity
        zmp = self.zmp + dt * zmp_velocity
        return PendulumState(
            com=zmp + cosh * arm + sinh / omega * speed,
            velocity=zmp_velocity + omega * sinh * arm + cosh * speed,
            zmp=zmp,
        )

    def shift_dcm(self, shift: np.ndarray, omega: float) -> PendulumState:
        """Return the state whose divergent component is elsewhere by ``shift``, shape ``(2,)`` [m], by its velocity alone."""
        return PendulumState(com=self.com, velocity=self.velocity + omega * shift, zmp=self.zmp)


def compute_natural_frequency(height: float) -> float:
    r"""Compute :math:`\omega = \sqrt{g / h}` [1/s] of a pendulum whose mass is ``height`` [m] above its ZMP.

    From ``MIN_PENDULUM_HEIGHT`` down it rises no further.
    """
    return math.sqrt(GRAVITY / max(height, MIN_PENDULUM_HEIGHT))
