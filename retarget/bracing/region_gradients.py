r"""How a stability region changes with the contacts' positions and with the robot's configuration [McCrory2024]_ (eq. 4-12).

At the optimum of a program whose rows :math:`r = A x` are held at bounds with prices :math:`y`, the optimum changes by

.. math::

    d a^* = a^T dC \, x^* + y^T db - y^T dA \, x^* \quad (5)

For the contacts' positions, dC and dA are the moments of the forces. For the configuration the torque rows count:
:math:`-y^T dA x^* + y^T db = y^T \, d(g(q) - J_c^T f)`, the forces f fixed in the world. The paper keeps the first part
(``gravity=False``).

What holds of a vertex holds of an edge as well, with the forces at the place that is asked about: the rate of the margin is
that of the edge at the point nearest to the centre of mass, the rate of the area that of all edges at their middles times
their lengths.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.contact_points import ContactPoints
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

_YAW_MOMENT = 3
"""Row of the moment about the vertical in a region's program."""


def compute_position_gradient(direction: np.ndarray, forces: np.ndarray, prices: np.ndarray, weight: float) -> np.ndarray:
    r"""Compute the gradient of a boundary place, along its direction, with respect to the contact points' positions.

    :math:`\partial (a^T c) / \partial p_k = (a_x f_z - y f_y, \; a_y f_z + y f_x, \; -a_x f_x - a_y f_y) / m g`, y the price
    of the moment about the vertical.

    Args:
        direction: a, shape ``(2,)``.
        forces: Contact forces at the place, shape ``(k, 3)`` [N].
        prices: Of the program's rows there, shape ``(rows,)``.
        weight: Of the robot [N].

    Returns:
        Shape ``(k, 3)`` [-].
    """
    x, y, z = forces.T / weight
    turning = prices[_YAW_MOMENT]
    along = direction[0] * x + direction[1] * y
    return np.stack([direction[0] * z - turning * y, direction[1] * z + turning * x, -along], axis=1)


class ConfigurationGradients:
    """Gradients with respect to the configuration, at one configuration after another."""

    def __init__(self, model: RobotModel, *, gravity: bool = True) -> None:
        """Make room.

        Args:
            model: Robot.
            gravity: Whether the change of the gravity's torques counts, too; the paper leaves it out.
        """
        self._model = model
        self._gravity = gravity
        self._data = model.pinocchio.createData()
        self._external = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.pinocchio.njoints)])

    def compute(
        self,
        kinematics: EffectorKinematics,
        q: np.ndarray,
        bearing: np.ndarray,
        points: ContactPoints,
        forces: np.ndarray,
        torque_prices: np.ndarray,
    ) -> np.ndarray:
        """Compute the gradient of a place on the boundary, along its direction, with the contact points where they are.

        Args:
            kinematics: At the configuration.
            q: The configuration, shape ``(nq,)``.
            bearing: Which effectors bear, shape ``(effectors,)``, bool.
            points: The contact points.
            forces: Contact forces at the place, shape ``(k, 3)`` [N].
            torque_prices: Prices of the torque rows there, shape ``(n,)``, of torques in units of the weight times a metre.

        Returns:
            With respect to velocities of the model, shape ``(nv,)`` [m/rad].
        """
        model = self._model
        if not torque_prices.any():
            return np.zeros(model.nv)
        prices = np.concatenate([np.zeros(6), torque_prices / model.weight])
        effectors = np.flatnonzero(bearing)[points.owners]
        rotations = self._apply(effectors, points.positions, forces, kinematics)
        derivative = pin.computeStaticTorqueDerivatives(model.pinocchio, self._data, q, self._external)
        gradient = prices @ derivative
        # Pinocchio's forces turn with the links: df = omega x f, where ours stay as they are in the world.
        arms = points.positions - kinematics.poses[effectors, :3, 3]
        velocities = kinematics.jacobians[effectors] @ prices
        moved = velocities[:, :3] + np.cross(velocities[:, 3:], arms)
        gradient -= np.einsum("ki,kij->j", np.cross(moved, forces), rotations)
        if not self._gravity:
            gradient -= prices @ pin.computeGeneralizedGravityDerivatives(model.pinocchio, self._data, q)
        return np.asarray(gradient)

    def _apply(
        self, effectors: np.ndarray, positions: np.ndarray, forces: np.ndarray, kinematics: EffectorKinematics
    ) -> np.ndarray:
        """Put the contact forces on the joints; return the angular Jacobians of the links they act on, ``(k, 3, nv)``."""
        for force in self._external:
            force.setZero()
        for effector, position, force in zip(effectors.tolist(), positions, forces, strict=True):
            joint = self._model.effector_joints[effector]
            placement = kinematics.data.oMi[joint]
            local = placement.rotation.T @ force
            arm = placement.rotation.T @ (position - placement.translation)
            self._external[joint] = self._external[joint] + pin.Force(local, np.cross(arm, local))
        return kinematics.jacobians[effectors, 3:]
