r"""Whole postures from targets: inverse kinematics as a series of quadratic programs.

.. math:: \min_{\delta} \sum_k w_k \|J_k \delta - e_k\|^2 + \|\theta + \delta - \theta^*\|_W^2 \quad \text{s.t.} \quad
    \text{joints within limits,}

:math:`e_k` the error of a part of the robot from its target; repeated until nothing moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics
from handhold.robots.qp import DaqpSolver
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.pose import FrameTargets, PoseTask
from handhold.robots.tasks.posture import BaseDamping, PostureTask

MAX_STEP = 0.1
"""Largest change of a joint, or of the base, in one step [rad, m]."""

LIMIT_MARGIN = 0.03
"""How far inside their limits joints stay [rad]."""

FOOT, HAND, COM, DAMPING = 1e5, 300.0, 1e4, 1e-3
"""Weights of the poses of feet, of the positions of hands, of the centre of mass, and of everything."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PostureTargets:
    """Targets of a posture.

    Attributes:
        effectors: Poses of effectors by their indices: feet take all of it, hands the position.
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
        self._model = model
        self.kinematics = EffectorKinematics(model, with_trunk=True)
        self._base = len(model.effectors)
        self._targets = FrameTargets.at_rest(self.kinematics)
        count = len(model.effectors)
        self._effectors = PoseTask(self.kinematics, np.arange(count), self._targets, weights=np.zeros(6))
        self._pelvis = PoseTask(self.kinematics, np.array([count]), self._targets, weights=np.zeros(6))
        self._com = CenterOfMassTask(self.kinematics, math.sqrt(COM))
        self._com.desired = np.array([0.0, 0.0, np.nan])
        self._posture = PostureTask(model, model.q_nominal[7:])
        self._posture.damping = DAMPING
        inner = np.minimum(LIMIT_MARGIN, 0.25 * (model.upper - model.lower))
        joints = JointLimits(model, model.lower + inner, model.upper - inner, returning=False)
        joints.max_change[:] = MAX_STEP
        tasks = (self._effectors, self._com, self._pelvis, self._posture, BaseDamping(DAMPING))
        self._inverse = InverseKinematics(model, self.kinematics, DaqpSolver(), tasks, (joints,), max_base_motion=MAX_STEP)

    @property
    def base_pose(self) -> np.ndarray:
        """Pose of the base in the last posture found, homogeneous."""
        return self.kinematics.poses[self._base].copy()

    def solve(self, q: np.ndarray, targets: PostureTargets, *, iterations: int = 150, tolerance: float = 1e-9) -> np.ndarray:
        """Find the posture nearest to the targets, beginning at configuration ``q``, shape ``(nq,)``.

        Args:
            q: Where to begin, shape ``(nq,)``.
            targets: What it is to be.
            iterations: Largest number of steps.
            tolerance: Step that counts as none [rad, m].
        """
        self._aim(targets)
        return self._inverse.solve(q, iterations=iterations, tolerance=tolerance)

    def _aim(self, targets: PostureTargets) -> None:
        """Pass the targets to the tasks."""
        self._effectors.weights[:] = 0.0
        for effector, pose in targets.effectors.items():
            foot = self._model.effectors[effector].is_foot
            self._targets.poses[effector] = pose
            self._effectors.weights[effector] = [FOOT] * 6 if foot else [HAND] * 3 + [0.0] * 3
        height, attitude = targets.base_weights
        self._targets.poses[self._base] = targets.base
        self._pelvis.weights[0] = [0.0, 0.0, height, attitude, attitude, attitude]
        self._com.target = np.array([*targets.com, 0.0])
        self._posture.desired = targets.joints
        self._posture.stiffness[:] = targets.joint_weights
