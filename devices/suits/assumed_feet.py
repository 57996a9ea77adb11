r"""Where somebody stands whose feet nothing sees: both on the ground, until the weight has left them.

Feet stay where they are as long as somebody could stand on them. Where the weight is beyond that, or the trunk is turned too
far, the person has stepped, and the feet glide after,

.. math:: \ddot x = \omega^2 (x^* - x) - 2 \omega \dot x,

critically damped, until they are below the body again. Neither is ever lifted: which one it was nobody knows. A person who
is followed relative to feet that came along all the time would never lean or put the weight on one leg.
"""

from __future__ import annotations

import math

import numpy as np

STEP_AT, STEPPED_AT = 0.16, 0.02
"""Distance of the weight from the middle of the feet beyond which they step, and at which they have stepped [m]: feet reach
some 15 cm to the side and ahead."""

TURN_AT, TURNED_AT = math.radians(45.0), math.radians(5.0)
"""The same of the chest's turn against the feet [rad]."""

FREQUENCY = 5.0
"""Omega [rad/s]: a step takes half a second."""

MAX_ELAPSED, MAX_STEP = 0.1, 0.01
"""Time that counts between two samples at most, and that of one step of the integration [s]."""


class AssumedFeet:
    """The feet of a person who stands.

    Attributes:
        middle: Of both feet, seen from above, in the room, shape ``(2,)`` [m].
        heading: Where they point, about the vertical from x of the room [rad].
    """

    def __init__(self, middle: np.ndarray, heading: float) -> None:
        """Stand with both feet somewhere."""
        self.place(middle, heading)
        self._steps = self._turns = False

    def place(self, middle: np.ndarray, heading: float) -> None:
        """Stand where the feet are seen, at rest; arguments as the attributes."""
        self.middle, self.heading = np.array(middle, dtype=float), heading
        self._velocity, self._rate = np.zeros(2), 0.0

    def follow(self, weight: np.ndarray, facing: float, elapsed: float) -> None:
        """Step where the body has left the feet.

        Args:
            weight: Where the weight is, seen from above, in the room, shape ``(2,)`` [m].
            facing: Where the trunk faces, about the vertical from x of the room [rad].
            elapsed: Time since the last call [s].
        """
        left = min(max(elapsed, 0.0), MAX_ELAPSED)
        while left > 0.0:
            dt = min(left, MAX_STEP)
            self._walk(weight, dt)
            self._turn(facing, dt)
            left -= dt

    def _walk(self, weight: np.ndarray, dt: float) -> None:
        missing = weight - self.middle
        distance = math.hypot(missing[0], missing[1])
        self._steps = distance > (STEPPED_AT if self._steps else STEP_AT)
        pull = FREQUENCY**2 * missing if self._steps else 0.0
        self._velocity = self._velocity + dt * (pull - 2.0 * FREQUENCY * self._velocity)
        self.middle = self.middle + dt * self._velocity

    def _turn(self, facing: float, dt: float) -> None:
        missing = math.remainder(facing - self.heading, math.tau)
        self._turns = abs(missing) > (TURNED_AT if self._turns else TURN_AT)
        pull = FREQUENCY**2 * missing if self._turns else 0.0
        self._rate += dt * (pull - 2.0 * FREQUENCY * self._rate)
        self.heading = math.remainder(self.heading + dt * self._rate, math.tau)
