r"""Velocity of the centre of mass that a stick asks for, without steps.

.. math:: |\dot v| \leq a_{max}

A step of the velocity is a step of the acceleration in the reference, and one of the forces on all contacts: a hand that
is in contact with little force takes a part of it along the surface before it presses any harder.
"""

from __future__ import annotations

import numpy as np

MAX_ACCELERATION = 0.15
"""How fast the velocity changes at most [m/s^2]."""


class ComVelocityRamp:
    """Follows a stick; axes that are not asked for are free, once they have come to rest."""

    def __init__(self) -> None:
        self._velocity = np.full(3, np.nan)

    def forget(self) -> None:
        """Let all axes be free at once."""
        self._velocity[:] = np.nan

    def follow(self, desired: np.ndarray, present: np.ndarray, dt: float) -> np.ndarray:
        """Go on by a step, and return the velocity to ask for, shape ``(3,)`` [m/s]; NaN where nothing is.

        Args:
            desired: By the stick; 0 where it is centred, shape ``(3,)`` [m/s].
            present: Of the reference, where an axis begins, shape ``(3,)`` [m/s].
            dt: Length of the step [s].
        """
        begins = np.isnan(self._velocity) & (desired != 0.0)
        self._velocity[begins] = present[begins]
        change = MAX_ACCELERATION * dt
        self._velocity += np.clip(desired - self._velocity, -change, change)
        self._velocity[(self._velocity == 0.0) & (desired == 0.0)] = np.nan
        return self._velocity.copy()
