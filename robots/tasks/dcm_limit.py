r"""A moving reference that stays balanced: its DCM and ZMP stay inside the support polygon or the stability region.

A quasi-static reference may start and stop at once, and its divergent component then leaves the soles. With the centre of mass
:math:`c` moving as a linear inverted pendulum, :math:`\omega^2 = g / h`, one half-plane :math:`n^T p \leq b` of what
holds it bounds the velocity from both sides:

.. math::

    \text{DCM } \xi = c + v / \omega: &\quad n^T v \leq \omega (b - n^T c) \\
    \text{ZMP } p = c - (v - v^-) / (\omega^2 dt): &\quad n^T v \geq n^T v^- - \omega^2 dt \, (\max(0, b - n^T c) + r)

The ZMP has some room :math:`r` more than the DCM: a centre of mass at rest on the edge of what holds them both could never
leave it again, because nothing is left to push itself off from. A DCM that is outside already, because a contact has gone or
the posture took from the region, is brought back as fast as that lets the ZMP do, and no faster.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.tasks.task import Limit


class DcmLimit(Limit):
    """One two-sided row a half-plane, in m/s and soft: a reference that was taken elsewhere need not be able to keep it.

    Attributes:
        normals: Outward unit normals n, shape ``(k, 2)``.
        distances: b, shape ``(k,)`` [m].
        velocity: :math:`v^-`, of the centre of mass over the last step, shape ``(3,)`` [m/s].
        omega: Natural frequency of the pendulum [rad/s].
        room: r, how far beyond the half-planes the ZMP may go [m].
        duration: Length of the step [s].
    """

    def __init__(self, kinematics: EffectorKinematics, row_count: int, name: str) -> None:
        """Keep the balance within up to ``row_count`` half-planes; ``name`` is what people call it."""
        super().__init__(row_count, soft=True)
        self.normals, self.distances = np.zeros((0, 2)), np.zeros(0)
        self.velocity, self.omega, self.room, self.duration = np.zeros(3), 1.0, 0.0, 1.0
        self._position, self._jacobian, self._name = kinematics.position_com_in_world, kinematics.jacobian_com, name

    def fill(self) -> None:
        """Fill rows and bounds."""
        fill_lip_rows(
            (self.normals, self.distances),
            (self._position, self.velocity, self._jacobian),
            (self.omega, self.room, self.duration),
            (self.rows, self.lower, self.upper),
        )

    def name_row(self, _row: int) -> str:
        """Return what people call the balance."""
        return self._name


@njit(cache=True)
def fill_lip_rows(
    half_planes: tuple[np.ndarray, np.ndarray],
    com: tuple[np.ndarray, np.ndarray, np.ndarray],
    step: tuple[float, float, float],
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Fill rows and bounds (see ``DcmLimit``), with position, velocity and Jacobian of the centre of mass."""
    normals, distances = half_planes
    position, velocity, jacobian = com
    omega, room, dt = step
    rows, lower, upper = limits
    for k in range(distances.shape[0]):
        nx, ny = normals[k, 0], normals[k, 1]
        slack = distances[k] - nx * position[0] - ny * position[1]
        for j in range(jacobian.shape[1]):
            rows[k, j] = (nx * jacobian[0, j] + ny * jacobian[1, j]) / dt
        lower[k] = nx * velocity[0] + ny * velocity[1] - omega * omega * dt * (max(0.0, slack) + room)
        upper[k] = max(omega * slack, lower[k])
