r"""How a stability region changes with the contacts' positions and with the robot's configuration [McCrory2024]_ (eq. 4-12).

At the optimum of a program whose rows :math:`r = A x` are held at bounds with prices :math:`y`, the optimum changes by

.. math::

    d a^* = a^T dC \, x^* + y^T db - y^T dA \, x^* \quad (5)

For the contacts' positions, dC and dA are the moments of the forces. For the configuration the torque rows count:
:math:`y^T db - y^T dA x^* = y^T \, d(g(q) - J_c^T f)`, the forces f fixed in the world. The paper keeps the second part
(``gravity=False``).

What holds of a vertex holds of an edge as well, with the forces at the position that is queried: the rate of the margin is
that of the edge at the point nearest to the centre of mass.

Where the rows that limit change with the next step, however small, there is no gradient but one to either side: a kink.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.stability.support_region import YAW_MOMENT
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import GRAVITY, RobotModel

_FIRST_JOINT = 2
"""Pinocchio's id of the first joint after the free flyer; a joint's velocity index is its id and 4 more."""

_TO_VELOCITY = 4


def compute_position_gradient(direction: np.ndarray, forces: np.ndarray, prices: np.ndarray, weight: float) -> np.ndarray:
    r"""Compute the gradient of a boundary position, along its direction, with respect to the contact points' positions.

    :math:`\partial (a^T c) / \partial p_k = (a_x f_z - y f_y, \; a_y f_z + y f_x, \; -a_x f_x - a_y f_y) / m g`, y the price
    of the moment about the vertical.

    How a sole's force is shared among its corners is not unique: only the sum over a contact's points is.

    Args:
        direction: a, shape ``(2,)``.
        forces: Contact forces at the position, shape ``(k, 3)`` [N].
        prices: Of the program's rows there, shape ``(rows,)``.
        weight: Of the robot [N].

    Returns:
        Shape ``(k, 3)`` [-].
    """
    x, y, z = forces.T / weight
    turning = prices[YAW_MOMENT]
    along = direction[0] * x + direction[1] * y
    return np.stack([direction[0] * z - turning * y, direction[1] * z + turning * x, -along], axis=1)


class ConfigurationGradients:
    """Gradients with respect to the configuration, at one configuration after another.

    How a sole's force is shared among its corners is not unique, and motions that turn the sole make a kink of it: along
    motions that keep the contacts, which alone are meant, there is none.

    Attributes:
        size: Length of a gradient, nv.
    """

    def __init__(self, model: RobotModel, kinematics: EffectorKinematics, *, gravity: bool = True) -> None:
        """Make room.

        Args:
            model: Robot.
            kinematics: Its kinematics, updated before every use.
            gravity: Whether the change of the gravity's torques counts, too; the paper leaves it out.
        """
        self.size = model.nv
        self._weight = model.weight
        self._gravity = GRAVITY if gravity else 0.0
        self._jacobian = kinematics.data.J
        self._poses = kinematics.joint_poses
        self._parents = np.array([int(parent) for parent in model.pinocchio.parents])
        self._masses = np.array([0.0, *(inertia.mass for inertia in list(model.pinocchio.inertias)[1:])])
        self._levers = np.array([np.zeros(3), *(inertia.lever for inertia in list(model.pinocchio.inertias)[1:])])

    def compute(self, joints: np.ndarray, positions: np.ndarray, forces: np.ndarray, torque_prices: np.ndarray) -> np.ndarray:
        """Compute the gradient of a position on the boundary, along its direction, with the contact points where they are.

        Args:
            joints: Pinocchio's ids of the joints that carry the contact points, shape ``(k,)``.
            positions: Contact points in world, shape ``(k, 3)`` [m].
            forces: Contact forces at the position, shape ``(k, 3)`` [N].
            torque_prices: Prices of the torque rows there, shape ``(n,)``, of torques in units of the weight times a metre.

        Returns:
            With respect to velocities of the model, shape ``(nv,)`` [m/rad].
        """
        gradient = np.zeros(self.size)
        if not torque_prices.any():
            return gradient
        _differentiate(
            self._jacobian, self._poses, self._parents, self._gravity * self._masses, self._levers, joints, positions,
            forces, torque_prices / self._weight, gradient,
        )  # fmt: skip
        return gradient


@njit(cache=True)
def _differentiate(
    jacobian: np.ndarray,
    poses: np.ndarray,
    parents: np.ndarray,
    weights: np.ndarray,
    levers: np.ndarray,
    point_joints: np.ndarray,
    positions: np.ndarray,
    forces: np.ndarray,
    prices: np.ndarray,
    gradient: np.ndarray,
) -> None:
    r"""Add the derivative of :math:`y^T (g(q) - J_c^T f)` with respect to q, in one pass over the joints.

    With forces F fixed in the world at places p fixed to the links (weights upwards, contact forces negative), the torque on
    joint t is :math:`\sum F^T (\omega_t \times p + v_t)` over what t carries, the columns of pinocchio's Jacobian being the
    twists :math:`(v_t, \omega_t)` at the world's origin. Joint s, before t or t itself, turns that velocity:
    :math:`\partial \tau_t / \partial q_s = \omega_s^T u_t` with
    :math:`u_t = \sum (\omega_t \times p + v_t) \times F = M_t \omega_t - \mathrm{tr}(M_t) \omega_t + v_t \times F_t`,
    :math:`M_t = \sum p F^T`. A gravity or a force has a potential: the other way round it is the same.
    """
    count = len(parents)
    total = np.zeros((count, 12))  # M row by row, then F
    for j in range(1, count):
        for i in range(3):
            coordinate = (
                poses[j, 3, i] + poses[j, 0, i] * levers[j, 0] + poses[j, 1, i] * levers[j, 1] + poses[j, 2, i] * levers[j, 2]
            )
            total[j, 3 * i + 2] = weights[j] * coordinate
        total[j, 11] = weights[j]
    for k in range(len(point_joints)):
        j = point_joints[k]
        for i in range(3):
            total[j, 9 + i] -= forces[k, i]
            for c in range(3):
                total[j, 3 * i + c] -= positions[k, i] * forces[k, c]
    turned = np.zeros((count, 3))  # u
    carried = np.zeros((count, 3))  # y u, of all that a joint carries
    for j in range(count - 1, 0, -1):
        if j >= _FIRST_JOINT:
            v = j + _TO_VELOCITY
            a, b, c = jacobian[3, v], jacobian[4, v], jacobian[5, v]
            x, y, z = jacobian[0, v], jacobian[1, v], jacobian[2, v]
            m = total[j]
            trace = m[0] + m[4] + m[8]
            turned[j, 0] = m[0] * a + m[1] * b + m[2] * c - trace * a + y * m[11] - z * m[10]
            turned[j, 1] = m[3] * a + m[4] * b + m[5] * c - trace * b + z * m[9] - x * m[11]
            turned[j, 2] = m[6] * a + m[7] * b + m[8] * c - trace * c + x * m[10] - y * m[9]
            carried[j] += prices[v - 6] * turned[j]
        if parents[j] > 0:
            total[parents[j]] += total[j]
            carried[parents[j]] += carried[j]
    for v in range(6):
        gradient[v] += jacobian[3, v] * carried[1, 0] + jacobian[4, v] * carried[1, 1] + jacobian[5, v] * carried[1, 2]
    before = np.zeros((count, 3))  # y omega, of the joints that carry a joint
    for j in range(_FIRST_JOINT, count):
        v, parent = j + _TO_VELOCITY, parents[j]
        before[j] = before[parent]
        for i in range(3):
            if parent >= _FIRST_JOINT:
                before[j, i] += prices[parent - 2] * jacobian[3 + i, parent + _TO_VELOCITY]
            gradient[v] += jacobian[3 + i, v] * carried[j, i] + before[j, i] * turned[j, i]
