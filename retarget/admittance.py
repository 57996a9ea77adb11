r"""What touches an effector moves it: the admittance of [Rouxel2023]_, Fig. 3.

An external force becomes a velocity, which is integrated into a displacement of the commanded pose:

.. math::

    \dot x = v, \qquad \tau \dot v = v^* - v, \qquad v^* = \frac{d(f)}{D} - \frac{x}{T}, \qquad
    d(f) = \max(0, |f| - f_0) \frac{f}{|f|}

The dead zone :math:`f_0` keeps what is no touch (noise, an estimate's error) from moving anything: beyond it each newton is
worth T / D in the end, 20 cm. The leak brings back, in the time T, what nobody pushes any more; speed and displacement are
capped. What comes of it is a command like any other: it is retargeted with the operator's, so that a push beyond what is
feasible meets a robot that stays where it may be.

.. [Rouxel2023] Q. Rouxel, R. Wen, Z. Li, C. Tiseo, J.-B. Mouret, S. Ivaldi, Feasibility retargeting for multi-contact
   teleoperation and physical interaction, 2nd Workshop Toward Robot Avatars, ICRA 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittanceParameters:
    """How an effector gives way.

    Attributes:
        damping: D [Ns/m].
        dead_zone: Force that moves nothing, f_0 [N].
        return_time: Time constant T with which it goes back [s].
        response_time: Time constant tau of its velocity [s].
        max_speed: Largest speed of the displacement [m/s].
        max_displacement: Largest displacement [m].
        max_lag: How far the commanded pose may be ahead of the reached one by it [m]: a push at the edge of what is feasible
            winds nothing up.
    """

    damping: float = 25.0
    dead_zone: float = 3.0
    return_time: float = 5.0
    response_time: float = 0.03
    max_speed: float = 0.3
    max_displacement: float = 0.4
    max_lag: float = 0.05


class Admittance:
    """The displacement of one effector.

    Attributes:
        displacement: x, in world, shape ``(3,)`` [m].
        velocity: v, likewise [m/s].
    """

    def __init__(self, parameters: AdmittanceParameters) -> None:
        """Begin without a displacement."""
        self._parameters = parameters
        self.displacement, self.velocity = np.zeros(3), np.zeros(3)

    def update(self, force: np.ndarray, lag: np.ndarray, dt: float, *, dead_zone: float = 0.0) -> np.ndarray:
        """Go on by a period and return the displacement.

        Args:
            force: What pushes the effector, in world, shape ``(3,)`` [N].
            lag: From where the effector has come to, to where it is commanded with the displacement, shape ``(3,)`` [m].
            dt: Length of the period [s].
            dead_zone: Of this force, where it is known with less certainty than the parameters' [N].
        """
        about = self._parameters
        desired = _shorten(force, max(dead_zone, about.dead_zone)) / about.damping - self.displacement / about.return_time
        desired = _cap(desired, about.max_speed)
        self.velocity = self.velocity + (1.0 - math.exp(-dt / about.response_time)) * (desired - self.velocity)
        ahead = _shorten(lag, about.max_lag)
        if ahead.dot(self.displacement) > 0.0:
            # Back to where the effector can follow, no faster than it may go.
            self.velocity = self.velocity - _project(self.velocity, ahead)
            self.displacement = self.displacement - _cap(ahead, about.max_speed * dt)
        self.displacement = _cap(self.displacement + dt * self.velocity, about.max_displacement)
        return self.displacement

    def stop(self) -> None:
        """Stay where it is, at rest."""
        self.velocity = np.zeros(3)


def _shorten(vector: np.ndarray, length: float) -> np.ndarray:
    """Return a vector shortened by a length; nothing of one that is shorter."""
    norm = math.sqrt(float(vector.dot(vector)))
    return vector * (1.0 - length / norm) if norm > length else np.zeros(3)


def _cap(vector: np.ndarray, length: float) -> np.ndarray:
    norm = math.sqrt(float(vector.dot(vector)))
    return vector * (length / norm) if norm > length else vector


def _project(vector: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Return the part of a vector that points along another, none where it points against it."""
    squared = float(along.dot(along))
    return max(0.0, float(vector.dot(along))) / squared * along if squared > 0.0 else np.zeros(3)
