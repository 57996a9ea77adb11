r"""Rows that keep a moving reference balanced: its DCM and ZMP stay inside the support polygon or the stability region.

A quasi-static reference may start and stop at once, and its divergent component then leaves the soles. With the centre of mass
:math:`c` moving as a linear inverted pendulum, :math:`\omega^2 = g / h`, one half-plane :math:`n^T p \leq b` of what
holds it (see ``balance``) bounds the velocity from both sides:

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


@njit(cache=True)
def fill_zmp_costs(
    com: tuple[np.ndarray, np.ndarray, np.ndarray],
    omega: float,
    dt: float,
    weight: float,
    first: int,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill the cost of the centre of mass's acceleration: :math:`\|(J \Delta q / dt - v^-) / (\omega^2 dt)\|^2`, three rows.

    Args:
        com: As for ``fill_lip_rows``.
        omega: Natural frequency of the pendulum [rad/s].
        dt: Length of the step [s].
        weight: Weight [1/m^2].
        first: First cost row to fill.
        costs: Cost rows over (dq, y) and targets.
    """
    _, velocity, jacobian = com
    rows, targets = costs
    scale = np.sqrt(weight) / (omega * omega * dt)
    for i in range(3):
        targets[first + i] = scale * velocity[i]
        for j in range(jacobian.shape[1]):
            rows[first + i, j] = scale / dt * jacobian[i, j]


@njit(cache=True)
def fill_lip_rows(
    half_planes: tuple[np.ndarray, np.ndarray],
    com: tuple[np.ndarray, np.ndarray, np.ndarray],
    omega: float,
    room: float,
    dt: float,
    first: int,
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Fill one two-sided row, in m/s, for every half-plane.

    Args:
        half_planes: Outward unit normals, shape ``(k, 2)``, and distances, shape ``(k,)`` [m].
        com: Position in world, shape ``(3,)`` [m]; velocity of the last step, shape ``(3,)`` [m/s]; Jacobian, shape
            ``(3, nv)``.
        omega: Natural frequency of the pendulum [rad/s].
        room: How far beyond the half-planes the ZMP may go [m].
        dt: Length of the step [s].
        first: First limit row to fill.
        limits: Limit rows over (dq, y), lower and upper bounds.
    """
    normals, distances = half_planes
    position, velocity, jacobian = com
    rows, lower, upper = limits
    for k in range(distances.shape[0]):
        nx, ny = normals[k, 0], normals[k, 1]
        slack = distances[k] - nx * position[0] - ny * position[1]
        for j in range(jacobian.shape[1]):
            rows[first + k, j] = (nx * jacobian[0, j] + ny * jacobian[1, j]) / dt
        lower[first + k] = nx * velocity[0] + ny * velocity[1] - omega * omega * dt * (max(0.0, slack) + room)
        upper[first + k] = max(omega * slack, lower[first + k])
