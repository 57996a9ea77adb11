r"""Whole postures from wishes: inverse kinematics as a series of quadratic programs.

.. math:: \min_{\delta} \sum_k w_k \|J_k \delta - e_k\|^2 + \|\theta + \delta - \theta^*\|_W^2 \quad \text{s.t.} \quad
    \text{joints within limits,}

:math:`e_k` the way of a part of the robot to where it should be; repeated until nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver, QuadraticProgram

LONGEST_STEP = 0.1
"""Largest change of a joint, or of the base, in one step [rad, m]."""

LIMIT_MARGIN = 0.03
"""How far inside their limits joints stay [rad]."""

FOOT, HAND, COM, DAMPING = 1e5, 300.0, 1e4, 1e-3
"""Weights of the poses of feet, of the positions of hands, of the centre of mass, and of everything."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Wishes:
    """What a posture is to be.

    Attributes:
        effectors: Poses of effectors by their places: feet take all of it, hands the position.
        com: Centre of mass seen from above, shape ``(2,)`` [m].
        base: Pose of the base, homogeneous; seen from above it goes where the rest takes it.
        base_weights: Weights of its height and of its attitude.
        joints: Joint positions, shape ``(n,)`` [rad].
        joint_weights: Their weights, shape ``(n,)``, each more than 0.
    """

    effectors: dict[int, np.ndarray]
    com: np.ndarray
    base: np.ndarray
    base_weights: tuple[float, float]
    joints: np.ndarray
    joint_weights: np.ndarray


class PostureSolver:
    """Finds postures.

    Attributes:
        kinematics: Of the last posture found; the base comes after the effectors in its arrays.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model, self._solver = model, DaqpSolver()
        self.kinematics = EffectorKinematics(model, with_trunk=True)
        self._base = len(model.effectors)
        inner = np.minimum(LIMIT_MARGIN, 0.25 * (model.upper - model.lower))
        self._lower, self._upper = model.lower + inner, model.upper - inner

    @property
    def base_pose(self) -> np.ndarray:
        """Pose of the base in the last posture found, homogeneous."""
        return self.kinematics.poses[self._base].copy()

    def solve(self, q: np.ndarray, wishes: Wishes, *, iterations: int = 150, tolerance: float = 1e-9) -> np.ndarray:
        """Find the posture nearest to the wishes, beginning at configuration ``q``, shape ``(nq,)``.

        Args:
            q: Where to begin, shape ``(nq,)``.
            wishes: What it is to be.
            iterations: Largest number of steps.
            tolerance: Step that counts as none [rad, m].
        """
        for _ in range(iterations):
            self.kinematics.update(q)
            solution = self._solver.solve(self._build(q, wishes))
            if not solution.solved:
                break
            q = pin.integrate(self._model.pinocchio, q, solution.x)
            if np.abs(solution.x).max() < tolerance:
                break
        self.kinematics.update(q)
        return q

    def _build(self, q: np.ndarray, wishes: Wishes) -> QuadraticProgram:
        model = self._model
        J, errors, w = self._stack(wishes)
        H, f = (J.T * w) @ J, -(J.T * w) @ errors
        joints = np.arange(6, model.nv)
        H[np.diag_indices(model.nv)] += DAMPING
        H[joints, joints] += wishes.joint_weights
        f[6:] -= wishes.joint_weights * (wishes.joints - q[7:])
        lower, upper = np.full(model.nv, -LONGEST_STEP), np.full(model.nv, LONGEST_STEP)
        lower[6:] = np.clip(self._lower - q[7:], -LONGEST_STEP, 0.0)
        upper[6:] = np.clip(self._upper - q[7:], 0.0, LONGEST_STEP)
        return QuadraticProgram(H=H, f=f, A=np.zeros((0, model.nv)), lower=lower, upper=upper, equalities=0)

    def _stack(self, wishes: Wishes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return Jacobians, ways to go and weights of all that is wished of parts of the robot."""
        kinematics = self.kinematics
        rows, errors, weights = [], [], []
        for effector, pose in wishes.effectors.items():
            size, weight = (6, FOOT) if self._model.effectors[effector].is_foot else (3, HAND)
            rows.append(kinematics.jacobians[effector][:size])
            errors.append(compute_pose_error(kinematics.poses[effector], pose)[:size])
            weights.append(np.full(size, weight))
        rows += [kinematics.jacobian_com[:2], kinematics.jacobians[self._base, 2:]]
        base = compute_pose_error(kinematics.poses[self._base], wishes.base)
        errors += [wishes.com - kinematics.position_com_in_world[:2], base[2:]]
        height, attitude = wishes.base_weights
        weights += [np.full(2, COM), np.array([height, attitude, attitude, attitude])]
        return np.vstack(rows), np.concatenate(errors), np.concatenate(weights)


def compute_pose_error(pose: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Compute the way from a pose to another, in world axes, shape ``(6,)`` [m, rad]."""
    turn = pin.log3(wanted[:3, :3] @ pose[:3, :3].T)
    return np.concatenate([wanted[:3, 3] - pose[:3, 3], turn])
