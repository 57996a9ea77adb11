r"""Legs that reach where feet stand, a little off where a motion has them; the rest of the body keeps to the motion.

With the Jacobian J of a foot split into its leg's columns and the others, :math:`J = (J_l, J_o)`,

.. math::

    \theta_l \leftarrow \theta_l + J_l^\dagger \begin{pmatrix} p^* - p \\ \log(R^* R^T) \end{pmatrix}, \qquad
    v_l = J_l^\dagger (V^* - J_o v_o), \qquad a_l = J_l^\dagger (A^* - \dot J v - J_o a_o),

the first until nothing is left of the error, from the correction of before on: one step does while feet stand still. A foot
that is a point is placed without its attitude. :math:`J^\dagger = J^T (J J^T + \lambda I)^{-1}` stays bounded where a leg is
straight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.chart import BodyState
from handhold.robots.contact_kind import ContactKind
from handhold.robots.control.drive_targets import find_leg_joints
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

DAMPING = 1e-8
"""Of the pseudoinverse, beside squares of 0.1 m and more where a leg is bent [m^2]."""

MAX_ITERATIONS, TOLERANCE = 8, 1e-9
"""Most steps of a correction, and the error at which it ends [m, rad]."""


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

        Within the joints' limits; a target that is out of reach is met as nearly as Newton's steps come.
        """
        q = self._correct_positions(state.q, targets)
        v, a = state.v.copy(), state.a.copy()
        inverses = {foot: self._invert(foot) for foot in targets}
        for foot, target in targets.items():
            v[6 + self._legs[foot]] = 0.0
            moved = self._kinematics.jacobians[foot] @ v
            v[6 + self._legs[foot]] = inverses[foot] @ (target.velocity - moved)[: self._rows[foot]]
            a[6 + self._legs[foot]] = 0.0
        pin.forwardKinematics(self._model.pinocchio, self._data, q, v, a)
        for foot, target in targets.items():
            frame = self._model.effector_frames[foot]
            pin.updateFramePlacement(self._model.pinocchio, self._data, frame)
            axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            moved = pin.getFrameClassicalAcceleration(self._model.pinocchio, self._data, frame, axes).vector
            a[6 + self._legs[foot]] = inverses[foot] @ (target.acceleration - moved)[: self._rows[foot]]
        return BodyState(q=q, v=v, a=a)

    def _correct_positions(self, desired: np.ndarray, targets: dict[int, FootTarget]) -> np.ndarray:
        """Return the configuration in which the feet are at their targets; the kinematics are updated to it."""
        limits = np.minimum(self._model.lower, desired[7:]), np.maximum(self._model.upper, desired[7:])
        q = np.concatenate([desired[:7], np.clip(desired[7:] + self._correction, *limits)])
        self._kinematics.update(q)
        for _ in range(MAX_ITERATIONS):
            errors = {foot: self._measure_error(foot, target.pose) for foot, target in targets.items()}
            if all(np.abs(error).max() < TOLERANCE for error in errors.values()):
                break
            for foot, error in errors.items():
                q[7 + self._legs[foot]] += self._invert(foot) @ error
            q[7:] = np.clip(q[7:], *limits)
            self._kinematics.update(q)
        self._correction = q[7:] - desired[7:]
        return q

    def _measure_error(self, foot: int, target: np.ndarray) -> np.ndarray:
        pose = self._kinematics.poses[foot]
        error = np.concatenate([target[:3, 3] - pose[:3, 3], pin.log3(target[:3, :3] @ pose[:3, :3].T)])
        return error[: self._rows[foot]]

    def _invert(self, foot: int) -> np.ndarray:
        jacobian = self._kinematics.jacobians[foot][: self._rows[foot], 6 + self._legs[foot]]
        return np.asarray(np.linalg.solve(jacobian @ jacobian.T + DAMPING * np.eye(len(jacobian)), jacobian).T)
