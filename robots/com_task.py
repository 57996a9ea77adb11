"""The controller's task of the centre of mass: its divergent component steered by a centre of pressure inside the support."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.model import GRAVITY, LEAST_PENDULUM
from handhold.robots.polygon import clip_to_polygon


@njit(cache=True)
def fill_com_task(
    measured: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    reference: tuple[np.ndarray, np.ndarray, np.ndarray],
    plan: tuple[float, float],
    support_polygon: np.ndarray,
    poses: np.ndarray,
    feet: np.ndarray,
    gains: tuple[float, float, float],
    costs: tuple[np.ndarray, np.ndarray],
    learnt: tuple[np.ndarray, float, float],
) -> None:
    r"""Fill three rows: :math:`J \ddot q + \dot J \dot q = \omega^2 (c - p)` in the plane, a spring and damper upwards.

    .. math::

        p = c^{ref} - \ddot c^{ref} / \omega^2 + (1 + k_\xi / \omega) (\xi - \xi^{ref}) + z, \qquad \xi = c + \dot c / \omega,
        \qquad \dot z = k_z (\xi - \xi^{ref})

    clipped to the support polygon, where z goes on only if that changes nothing: what friction in the joints, wrong masses and
    payloads take from the centre of pressure is integrated away. Without a polygon the spring and the damper hold it in all
    directions.

    Args:
        measured: Centre of mass in world, its velocity and its acceleration without joint accelerations, shape ``(3,)`` each
            [m], [m/s], [m/s^2], and its Jacobian, shape ``(3, nv)``.
        reference: Position, velocity and acceleration of the reference's, shape ``(3,)`` each.
        plan: Time since the reference, for which it goes on at its velocity [s], and the frequency :math:`\omega` of the
            pendulum by which it was planned [rad/s]; 0 for that of the measured height over the feet.
        support_polygon: Where p may be, counter-clockwise, shape ``(k, 2)`` [m]; empty for no support.
        poses: Poses of the effectors, shape ``(frames, 4, 4)``.
        feet: Places of the feet in contact, shape ``(feet,)``.
        gains: Weight, stiffness [1/s^2] and gain :math:`k_\xi` [1/s].
        costs: Cost rows and targets; the first three are filled.
        learnt: Displacement z of the centre of pressure, shape ``(2,)`` [m], which goes on in place; by how much for a metre
            of the error, :math:`k_z dt` [-], and how large it may become [m].
    """
    com, velocity, drift, jacobian = measured
    com_ref, velocity_ref, acceleration_ref = reference
    weight, stiffness, dcm_gain = gains
    rows, targets = costs
    displacement, share, most = learnt
    ahead, omega = plan
    if omega <= 0.0:
        ground = 0.0
        for foot in feet:
            ground += poses[foot, 2, 3] / feet.shape[0]
        omega = np.sqrt(GRAVITY / max(com[2] - ground, LEAST_PENDULUM))
    damping, root = 2.0 * np.sqrt(stiffness), np.sqrt(weight)
    asked = np.empty(3)
    pressure, error = np.empty(2), np.empty(2)
    for i in range(3):
        position_ref = com_ref[i] + ahead * velocity_ref[i]
        asked[i] = stiffness * (position_ref - com[i]) + damping * (velocity_ref[i] - velocity[i])
        if i < 2:
            error[i] = com[i] + velocity[i] / omega - position_ref - velocity_ref[i] / omega
            pressure[i] = position_ref - acceleration_ref[i] / omega**2 + (1.0 + dcm_gain / omega) * error[i] + displacement[i]
    if support_polygon.shape[0] > 0:
        inside = clip_to_polygon(pressure, support_polygon)
        if (inside == pressure).all():
            for i in range(2):
                displacement[i] = min(most, max(-most, displacement[i] + share * error[i]))
        pressure = inside
        for i in range(2):
            asked[i] = omega**2 * (com[i] - pressure[i])
    for i in range(3):
        targets[i] = root * (asked[i] - drift[i])
        for j in range(jacobian.shape[1]):
            rows[i, j] = root * jacobian[i, j]
