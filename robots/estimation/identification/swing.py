r"""A joint swings fast and a little way: what it takes beyond what its links weigh is the inertia of its rotor.

.. math:: q = a(t) \sum_k \frac{w}{2 \pi f_k} \sin 2 \pi f_k t

with velocities w and an envelope a that rises from 0 and falls back to it.
"""

from __future__ import annotations

import math

from handhold.robots.joint_target import JointTarget

FREQUENCIES = (2.3, 3.7)
"""Of the swing [Hz]: above what a hoist swings with, and no multiples of each other."""

RISE = 0.5
"""Time in which it begins, and ends [s]."""


class Swing:
    """See ``Excitation``.

    Attributes:
        duration: How long it takes [s].
    """

    def __init__(self, velocity: float, duration: float) -> None:
        """Take the velocity of each of its sines [rad/s] and how long it takes [s]."""
        self._velocity, self.duration = velocity, duration

    @property
    def reach(self) -> float:
        """How far the joint goes to a side, at most [rad]."""
        return sum(self._velocity / (2.0 * math.pi * f) for f in FREQUENCIES)

    @property
    def acceleration(self) -> float:
        """Its largest acceleration [rad/s^2]."""
        return sum(self._velocity * 2.0 * math.pi * f for f in FREQUENCIES)

    def at(self, time: float) -> JointTarget:
        """Return where the joint is to be at a time [s]."""
        if not 0.0 <= time < self.duration:
            return JointTarget()
        edge = min(time, self.duration - time)
        part = min(edge / RISE, 1.0)
        envelope = part * part * (3.0 - 2.0 * part)
        slope = 6.0 * part * (1.0 - part) / RISE * (1.0 if time < 0.5 * self.duration else -1.0)
        rates = [2.0 * math.pi * f for f in FREQUENCIES]
        shape = sum(self._velocity / rate * math.sin(rate * time) for rate in rates)
        change = sum(self._velocity * math.cos(rate * time) for rate in rates)
        return JointTarget(displacement=envelope * shape, velocity=envelope * change + slope * shape)
