r"""The centre of mass, driven by a centre of pressure inside the support that steers its divergent component of motion.

.. math::

    \| J_c \ddot q + \dot J_c \dot q - a \|^2_w, \qquad a_{xy} = \omega^2 (c - p), \quad
    a_z = k_c (c^{ref} - c) + k_d (\dot c^{ref} - \dot c), \\
    p = c^{ref} - \ddot c^{ref} / \omega^2 + (1 + k_\xi / \omega) (\xi - \xi^{ref}) + z, \qquad \xi = c + \dot c / \omega,
    \qquad \dot z = k_z (\xi - \xi^{ref})

p is clipped to the support polygon less the reference's ``zmp_shift``, and z goes on only if that changes nothing: what
friction in the joints, wrong masses and payloads take from the centre of pressure is integrated away. Without a polygon a
spring and a damper hold the centre of mass in all directions.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import GRAVITY, MIN_PENDULUM_HEIGHT
from handhold.robots.polygon import clip_to_polygon
from handhold.robots.reference import Reference
from handhold.robots.tasks.center_of_mass import fill_com_rows
from handhold.robots.tasks.task import Task

MAX_DISPLACEMENT = 0.04
"""Largest displacement of the centre of pressure for what the model does not know of [m]."""


class DcmTask(Task):
    """Three rows.

    Attributes:
        displacement: z, shape ``(2,)`` [m]; goes on in place.
    """

    def __init__(
        self,
        kinematics: EffectorKinematics,
        motion: tuple[np.ndarray, np.ndarray],
        feet: np.ndarray,
        displacement: np.ndarray,
        *,
        weight: float,
        stiffness: float,
        gain: float,
    ) -> None:
        r"""Follow the centre of mass of a reference.

        Args:
            kinematics: Position and Jacobian of the centre of mass, and the poses of the effectors.
            motion: Its velocity and its acceleration without joint accelerations, shape ``(3,)`` each, refreshed in place.
            feet: Indices of the feet in contact, shape ``(feet,)``.
            displacement: z to begin with, shape ``(2,)`` [m].
            weight: w.
            stiffness: :math:`k_c` [1/s^2]; the damping is critical.
            gain: :math:`k_\xi` [1/s].
        """
        super().__init__(3)
        self.displacement = displacement
        self._measured = (kinematics.position_com_in_world, *motion, kinematics.jacobian_com)
        self._poses, self._feet, self._gains = kinematics.poses, feet, (weight, stiffness, gain)

    def follow(self, reference: Reference, time: float, learning: float) -> None:
        r"""Follow a reference from now on.

        Args:
            reference: It goes on at its velocity after its own time; a ``natural_frequency`` of 0 stands for that of the
                measured height over the feet.
            time: Of the state [s].
            learning: By how much z goes on for a metre of the error, :math:`k_z dt` [-].
        """
        com = reference.position_com_in_world, reference.velocity_com_in_world, reference.acceleration_com_in_world
        polygon, shift = reference.support_polygon, reference.zmp_shift
        self._reference = (
            com,
            (time - reference.time, reference.natural_frequency),
            polygon if shift is None else polygon - shift,
        )
        self._learning = learning

    def fill(self) -> None:
        """Fill rows and targets."""
        learnt = (self.displacement, self._learning, MAX_DISPLACEMENT)
        costs = (self.rows, self.targets)
        fill_dcm_rows(self._measured, *self._reference, self._poses, self._feet, self._gains, costs, learnt)


@njit(cache=True)
def fill_dcm_rows(
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
    r"""Fill rows and targets (see ``DcmTask``).

    Args:
        measured: Centre of mass in world, its velocity and its acceleration without joint accelerations, shape ``(3,)`` each
            [m], [m/s], [m/s^2], and its Jacobian, shape ``(3, nv)``.
        reference: Position, velocity and acceleration of the reference's, shape ``(3,)`` each.
        plan: Time since the reference, for which it goes on at its velocity [s], and the frequency :math:`\omega` of the
            pendulum by which it was planned [rad/s]; 0 for that of the measured height over the feet.
        support_polygon: Where p may be, counter-clockwise, shape ``(k, 2)`` [m]; empty for no support.
        poses: Poses of the effectors, shape ``(frames, 4, 4)``.
        feet: Indices of the feet in contact, shape ``(feet,)``.
        gains: Weight, stiffness [1/s^2] and gain :math:`k_\xi` [1/s].
        costs: Cost rows and targets.
        learnt: Displacement z of the centre of pressure, shape ``(2,)`` [m], which goes on in place; by how much for a metre
            of the error, :math:`k_z dt` [-], and how large it may become [m].
    """
    com, velocity, drift, jacobian = measured
    com_ref, velocity_ref, acceleration_ref = reference
    weight, stiffness, dcm_gain = gains
    rows, targets = costs
    displacement, learning_gain, max_displacement = learnt
    ahead, omega = plan
    if omega <= 0.0:
        ground = 0.0
        for foot in feet:
            ground += poses[foot, 2, 3] / feet.shape[0]
        omega = np.sqrt(GRAVITY / max(com[2] - ground, MIN_PENDULUM_HEIGHT))
    damping, root = 2.0 * np.sqrt(stiffness), np.sqrt(weight)
    desired = np.empty(3)
    zmp, error = np.empty(2), np.empty(2)
    for i in range(3):
        position_ref = com_ref[i] + ahead * velocity_ref[i]
        desired[i] = stiffness * (position_ref - com[i]) + damping * (velocity_ref[i] - velocity[i])
        if i < 2:
            error[i] = com[i] + velocity[i] / omega - position_ref - velocity_ref[i] / omega
            zmp[i] = position_ref - acceleration_ref[i] / omega**2 + (1.0 + dcm_gain / omega) * error[i] + displacement[i]
    if support_polygon.shape[0] > 0:
        inside = clip_to_polygon(zmp, support_polygon)
        if (inside == zmp).all():
            for i in range(2):
                displacement[i] = min(max_displacement, max(-max_displacement, displacement[i] + learning_gain * error[i]))
        zmp = inside
        for i in range(2):
            desired[i] = omega**2 * (com[i] - zmp[i])
    for i in range(3):
        desired[i] -= drift[i]
    fill_com_rows(jacobian, desired, False, (root, 1.0, 1.0), rows, targets)
