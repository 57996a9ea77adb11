r"""What a held object weighs, and where its centre of mass is, from what it exerts on the hands.

With the sum (f, n) of the hands' wrenches at the first hand's frame A, in its axes, at rest :math:`f = m R_A^T g_0` and
:math:`n = c \times f`:

.. math::

    \dot m = \frac{1}{\tau} \Bigl( \alpha \frac{-e_z^T R_A f}{|g_0|} - m \Bigr), \qquad
    \dot c = \frac{1}{\tau_c} \frac{f \times (n - c \times f)}{\|f\|^2}.

The second moves c only across f: what lies along it shows as soon as the object turns. It waits while more than ``ACROSS`` is
measured across the vertical: the moment of who pushes the object says nothing of its centre. :math:`\alpha` is a little less
than 1: an object on a table would be lifted bit by bit by hands that bear of it as much as is measured.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.grasp import NO_LOAD, Load
from handhold.robots.model import GRAVITY
from handhold.robots.rotation import clip, cross, dot

MASS_TIME, COM_TIME = 0.2, 0.5
"""Time constants of mass and centre of mass [s]."""

PART = 0.97
"""Part of the measured weight that is taken for the object's [-]."""

MIN_MASS = 0.2
"""Mass under which nothing is learnt of where its centre is [kg]."""

ACROSS = 3.0
"""Force across the vertical from which on it is not weight alone that is measured [N]."""

HANGS, SETTLED, SETTLED_TIME = 0.3, 2.0, 0.3
"""Mass from which on an object hangs in the hands at least in part [kg], and change of weight under which it is known [N],
once that has lasted so long [s]."""

MAX_REACH = 0.5
"""Largest distance of the centre of mass from the first hand's frame [m]."""


class LoadEstimate:
    """Learns what is held while it is held.

    Attributes:
        load: As it is known.
        change: Weight that is measured just now and not known yet, or the other way round [N].
        known: Whether the object hangs and has been weighed since it does.
    """

    def __init__(self, com: np.ndarray) -> None:
        """Begin with nothing, its centre at a place in the first hand's frame, shape ``(3,)`` [m]."""
        self.load, self.change, self.known = Load(mass=NO_LOAD.mass, com=com), 0.0, False
        self._settled_for = 0.0

    def update(self, wrench: np.ndarray, rotation: np.ndarray, dt: float) -> Load:
        """Go on for a period and return what is held.

        Args:
            wrench: Sum of what the object exerts on the hands, at the first hand's contact frame and along its axes, force
                before moment, shape ``(6,)`` [N, Nm].
            rotation: Of that frame in world, shape ``(3, 3)``.
            dt: Length of the period [s].
        """
        com = self.load.com.copy()
        mass, self.change = _learn(self.load.mass, com, wrench, rotation, dt)
        self.load = Load(mass=mass, com=com)
        self._settled_for = self._settled_for + dt if mass > HANGS and self.change < SETTLED else 0.0
        self.known = mass > HANGS and (self.known or self._settled_for > SETTLED_TIME)
        return self.load


@njit(cache=True)
def _learn(mass: float, com: np.ndarray, wrench: np.ndarray, rotation: np.ndarray, dt: float) -> tuple[float, float]:
    """Return the mass [kg] and the change of weight that is measured [N]; the centre of mass is changed in place.

    Args:
        mass: As it was known [kg].
        com: Overwritten, in the first hand's frame, shape ``(3,)`` [m].
        wrench: As in ``LoadEstimate.update``.
        rotation: Likewise.
        dt: Likewise [s].
    """
    weighed = 0.0
    for i in range(3):
        weighed -= PART * rotation[2, i] * wrench[i] / GRAVITY
    weighed = max(0.0, weighed)
    change = GRAVITY * abs(weighed - mass)
    mass += dt / (MASS_TIME + dt) * (weighed - mass)
    across = 0.0
    for i in range(2):
        across += dot(rotation[i], wrench[:3]) ** 2
    if mass > MIN_MASS and across < ACROSS**2:
        weight = np.array(
            [-GRAVITY * mass * rotation[2, 0], -GRAVITY * mass * rotation[2, 1], -GRAVITY * mass * rotation[2, 2]]
        )
        moved, ratio = cross(weight, wrench[3:] - cross(com, weight)), dt / (COM_TIME + dt) / dot(weight, weight)
        for i in range(3):
            com[i] += ratio * moved[i]
        clip(com, MAX_REACH)
    return mass, change
