r"""With what people push an object that two hands hold, from what it exerts on the hands.

With the sum w of the hands' wrenches at the first hand's frame A, in world axes, and the mass m at c, which moves with the
velocity v that is measured of the hand,

.. math::

    f = w_f + m a, \qquad \dot{\bar v} = a = \frac{v - \bar v}{T}, \qquad
    \text{push} = \min(1, \max(0, 2 |f_{xy}| / f_0 - 2)) \, (f_x, f_y, 0, \; w_n - c \times (w_f - f_{xy})) ,

smoothed. The wrenches are estimated with the time constant T, so that both terms are late alike: with the acceleration of the
reference instead the object swung by itself at 5 Hz, as what it takes to move it was taken for a push; with differences of
measured poses the steps of encoders were a push of 60 N, and the object wandered by 5 cm. Along the vertical
nothing counts: there a person cannot be told from a weight, nor from a table.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.estimation.external_force import GAIN
from handhold.robots.grasp import NO_PUSH, Load

DEAD_ZONE = 3.0
"""Force across the vertical that is no push [N]: noise, an estimate's error, the object's acceleration."""

DELAY = 1.0 / GAIN
"""Time constant T with which the wrenches are estimated [s]."""

SMOOTHING_TIME = 0.03
"""Time constant of what the balance reckons with [s]."""

FADED = 0.1
"""Force under which a push that has ended is gone [N]."""


class ObjectPush:
    """The push on a held object.

    Attributes:
        force: Measured across the vertical just now, in world, shape ``(3,)`` [N]: what is within the dead zone as well.
        wrench: What the balance is to reckon with, in world axes about the first hand's contact frame, shape ``(6,)`` [N, Nm];
            ``NO_PUSH`` where there is none.
    """

    def __init__(self) -> None:
        """Begin without a push, at rest."""
        self.force, self.wrench = np.zeros(3), NO_PUSH
        # Velocity of the centre of mass, smoothed; NaN before it is known [m/s].
        self._velocity, self._beyond = np.full(3, np.nan), np.zeros(6)

    @property
    def active(self) -> bool:
        """Whether it has been looked for since it began."""
        return not np.isnan(self._velocity[0])

    def update(self, total: np.ndarray, load: Load, pose: np.ndarray, motion: np.ndarray, dt: float) -> None:
        """Go on for a period.

        Args:
            total: Sum of what the object exerts on the hands, at the first hand's contact frame and along its axes, force
                before moment, shape ``(6,)`` [N, Nm].
            load: What is known of the object.
            pose: Of that frame in world as measured, shape ``(4, 4)``.
            motion: Its velocity as measured, linear before angular, shape ``(6,)`` [m/s, rad/s].
            dt: Length of the period [s].
        """
        moved = pose, motion, self._velocity
        pushed = _measure(total, load.mass, load.com, moved, dt, self.force, self._beyond) > 0.0
        gain = dt / (SMOOTHING_TIME + dt)
        if self.wrench is NO_PUSH and not pushed:
            return
        wrench = self.wrench + gain * (self._beyond - self.wrench)
        self.wrench = wrench if pushed or math.hypot(wrench[0], wrench[1]) > FADED else NO_PUSH


@njit(cache=True)
def _measure(
    total: np.ndarray,
    mass: float,
    com: np.ndarray,
    motion: tuple[np.ndarray, np.ndarray, np.ndarray],
    dt: float,
    force: np.ndarray,
    beyond: np.ndarray,
) -> float:
    """Fill what is measured of a push, and return the part of it that counts [-].

    Args:
        total: As in ``ObjectPush.update``.
        mass: Of the object [kg].
        com: Its centre in the first hand's frame, shape ``(3,)`` [m].
        motion: Pose of that frame, shape ``(4, 4)``, its velocity, shape ``(6,)``, and the centre's smoothed velocity,
            overwritten, shape ``(3,)`` [m/s].
        dt: Length of the period [s].
        force: Filled, shape ``(3,)`` [N].
        beyond: Filled: what of the wrench is beyond the dead zone, in world axes, shape ``(6,)`` [N, Nm].
    """
    pose, moved, velocity = motion
    wrench, lever = np.zeros(6), np.zeros(3)
    for i in range(3):
        for j in range(3):
            wrench[i] += pose[i, j] * total[j]
            wrench[3 + i] += pose[i, j] * total[3 + j]
            lever[i] += pose[i, j] * com[j]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        present = moved[i] + moved[3 + j] * lever[k] - moved[3 + k] * lever[j]
        if math.isnan(velocity[i]):
            # What moves already when it is first seen is not accelerated from rest.
            velocity[i] = present
        acceleration = (present - velocity[i]) / (DELAY + dt)
        velocity[i] += dt * acceleration
        force[i] = wrench[i] + mass * acceleration if i < 2 else 0.0
    part = min(1.0, max(0.0, 2.0 * math.hypot(force[0], force[1]) / DEAD_ZONE - 2.0))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        of_weight = lever[j] * (wrench[k] - force[k]) - lever[k] * (wrench[j] - force[j])
        beyond[i], beyond[3 + i] = part * force[i], part * (wrench[3 + i] - of_weight)
    return part
