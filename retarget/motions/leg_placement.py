r"""Legs that reach where feet stand, a little off where a motion has them; the rest of the body keeps to the motion.

With the Jacobian of a foot split into its leg's columns and the others, :math:`J = (J_l, J_o)`, and the motion's leg
:math:`\bar\theta_l`,

.. math::

    \theta_l \leftarrow \theta_l + J_l^\# \begin{pmatrix} p^* - p \\ \log(R^* R^T) \end{pmatrix}
        - N_l (\theta_l - \bar\theta_l), \\
    v_l = \bar v_l + J_l^\# (V^* - J \bar v), \qquad a_l = \bar a_l + J_l^\# (A^* - \dot J v - J a),

the first until hardly anything moves, from the correction of before on: one step does while feet stand still. With the
singular values :math:`s_i` of :math:`J_l = U S V^T`

.. math::

    J_l^\# = \sum_i \frac{s_i}{s_i^2 + \lambda_i} v_i u_i^T, \quad
    N_l = \sum_i \frac{\lambda_i}{s_i^2 + \lambda_i} v_i v_i^T, \quad
    \lambda_i = \lambda \max\bigl(0, 1 - (s_i / s_0)^2\bigr) :

a bent leg reaches its target; of a straight one what it cannot reach is left, and its joints stay at those of the motion. So
they do where a leg has more joints than it needs. A foot that is a point is placed without its attitude.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.retarget.motions.chart import BodyState
from handhold.robots.contact_kind import ContactKind
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.limb_joints import find_leg_joints
from handhold.robots.model import RobotModel

STRAIGHT, DAMPING = 0.04, 4e-4
"""Singular value under which a leg is damped, and the damping of one that is straight [m/rad], [m^2]: legs that stand bent
have 0.05 to 0.12, and 1 mm that is out of reach moves no joint by more than 25 mrad."""

MAX_ITERATIONS, TOLERANCE = 8, 1e-6
"""Most steps of a correction, and the step after which it ends [rad]: what is left then goes with its square."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FootTarget:
    """Where a foot is to be and how it is to move, in world axes.

    Attributes:
        pose: Its pose in world, shape ``(4, 4)``.
        velocity: Linear and angular, shape ``(6,)`` [m/s, rad/s].
        acceleration: Likewise, shape ``(6,)`` [m/s^2, rad/s^2].
    """

    pose: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


class LegPlacement:
    """Corrects the legs of postures, one after the other."""

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._kinematics, self._data = EffectorKinematics(model), model.pinocchio.createData()
        legs = find_leg_joints(model)
        self._legs = {k: np.flatnonzero(legs[k]) for k, effector in enumerate(model.effectors) if effector.is_foot}
        self._rows = {k: 3 if model.effectors[k].contact is ContactKind.POINT else 6 for k in self._legs}
        self._correction = np.zeros(model.n)

    def reset(self) -> None:
        """Forget the correction of before."""
        self._correction[:] = 0.0

    def place(self, state: BodyState, targets: dict[int, FootTarget]) -> BodyState:
        """Return the state with the legs of some feet, by their effectors' indices, corrected so that they meet their targets.

        Within the joints' limits; a target that is out of reach is met as nearly as the damping lets it.
        """
        q, inverses = self._correct_positions(state.q, targets)
        v, a = state.v.copy(), state.a.copy()
        for foot, target in targets.items():
            lack = target.velocity - self._kinematics.jacobians[foot] @ state.v
            v[6 + self._legs[foot]] += inverses[foot] @ lack[: self._rows[foot]]
        pin.forwardKinematics(self._model.pinocchio, self._data, q, v, state.a)
        for foot, target in targets.items():
            lack = target.acceleration - self._measure_acceleration(foot)
            a[6 + self._legs[foot]] += inverses[foot] @ lack[: self._rows[foot]]
        return BodyState(q=q, v=v, a=a)

    def _correct_positions(
        self, desired: np.ndarray, targets: dict[int, FootTarget]
    ) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """Return the configuration in which the feet are at their targets, and the inverses a last small step before."""
        limits = np.minimum(self._model.lower, desired[7:]), np.maximum(self._model.upper, desired[7:])
        q = np.concatenate([desired[:7], np.clip(desired[7:] + self._correction, *limits)])
        inverses: dict[int, np.ndarray] = {}
        self._kinematics.update(q)
        for _ in range(MAX_ITERATIONS):
            joints = q[7:].copy()
            for foot, target in targets.items():
                leg, (inverses[foot], null_space) = self._legs[foot], self._invert(foot)
                error = self._measure_error(foot, target.pose)
                joints[leg] += inverses[foot] @ error - null_space @ (joints[leg] - desired[7 + leg])
            joints = np.clip(joints, *limits)
            step = float(np.abs(joints - q[7:]).max())
            q[7:] = joints
            if step < TOLERANCE:
                break
            self._kinematics.update(q)
        self._correction = q[7:] - desired[7:]
        return q, inverses

    def _measure_error(self, foot: int, target: np.ndarray) -> np.ndarray:
        pose = self._kinematics.poses[foot]
        error = np.concatenate([target[:3, 3] - pose[:3, 3], pin.log3(target[:3, :3] @ pose[:3, :3].T)])
        return error[: self._rows[foot]]

    def _measure_acceleration(self, foot: int) -> np.ndarray:
        frame, axes = self._model.effector_frames[foot], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.updateFramePlacement(self._model.pinocchio, self._data, frame)
        return np.asarray(pin.getFrameClassicalAcceleration(self._model.pinocchio, self._data, frame, axes).vector)

    def _invert(self, foot: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the damped inverse of the leg's Jacobian, and what draws its joints to the motion's."""
        jacobian = self._kinematics.jacobians[foot][: self._rows[foot], 6 + self._legs[foot]]
        inverse, null_space = invert_damped(np.ascontiguousarray(jacobian), STRAIGHT, DAMPING)
        return inverse, null_space


@njit(cache=True)
def invert_damped(jacobian: np.ndarray, straight: float, damping: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the damped inverse of a Jacobian and the damped projector on its null space, shape ``(n, m)`` and ``(n, n)``.

    Args:
        jacobian: Shape ``(m, n)``, m at most n.
        straight: Singular value under which it is damped.
        damping: Of one that is 0.
    """
    left, values, right = np.linalg.svd(jacobian)
    inverse = np.zeros((jacobian.shape[1], jacobian.shape[0]))
    null_space = np.eye(jacobian.shape[1])
    for i in range(values.size):
        damped = damping * max(0.0, 1.0 - (values[i] / straight) ** 2)
        gain = values[i] / (values[i] ** 2 + damped)
        for j in range(inverse.shape[0]):
            for k in range(inverse.shape[1]):
                inverse[j, k] += gain * right[i, j] * left[k, i]
            for k in range(inverse.shape[0]):
                null_space[j, k] -= gain * values[i] * right[i, j] * right[i, k]
    return inverse, null_space


def find_min_singular_value(model: RobotModel, configurations: np.ndarray) -> float:
    """Return the smallest singular value of a leg's Jacobian in configurations, shape ``(k, nq)`` [m/rad].

    It is 0 where a leg is straight; infinity for a robot whose feet have no legs of their own.
    """
    kinematics, legs = EffectorKinematics(model), find_leg_joints(model)
    smallest = np.inf
    for q in configurations:
        kinematics.update(q)
        for foot in np.flatnonzero(legs.any(axis=1)):
            jacobian = kinematics.jacobians[foot][:, 6 + np.flatnonzero(legs[foot])]
            smallest = min(smallest, float(np.linalg.svd(jacobian, compute_uv=False)[-1]))
    return smallest
