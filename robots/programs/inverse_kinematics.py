r"""Inverse kinematics: a motion that best follows tasks within limits, and postures as a series of such steps.

.. math:: u^* = \arg\min_u \sum_{tasks} \|R u - r\|^2 \; \text{s.t. limits}, \qquad q \leftarrow q \oplus u^*

Without limits, and with a small weight on every part of the motion, a step is that of damped least squares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.motion_program import MotionProgram
from handhold.robots.qp import INFINITY, QpSolution, QpSolver
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.posture import BaseDamping, PostureTask
from handhold.robots.tasks.task import DiagonalTask, JointBounds, Limit, Task


class InverseKinematics:
    """Finds motions and postures.

    Attributes:
        kinematics: Of the configuration that was evaluated last.
    """

    def __init__(
        self,
        model: RobotModel,
        kinematics: EffectorKinematics,
        solver: QpSolver,
        tasks: Sequence[Task | DiagonalTask],
        limits: Sequence[Limit | JointBounds] = (),
        *,
        max_base_motion: float = INFINITY,
        within: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        """Lay out tasks and limits.

        Args:
            model: Robot.
            kinematics: What tasks and limits read.
            solver: Solves the quadratic programs.
            tasks: See ``MotionProgram``.
            limits: Likewise.
            max_base_motion: Likewise.
            within: Minimum and maximum positions to which joints are put back after a step of ``solve``, where no limit keeps
                them there, shape ``(n,)`` each [rad].
        """
        self._model, self._solver, self._within = model, solver, within
        self.kinematics = kinematics
        self._program = MotionProgram(model.nv, tasks, limits, max_base_motion=max_base_motion)
        self._of_joints = [part for part in (*tasks, *limits) if isinstance(part, PostureTask | JointLimits)]

    def find_motion(self, q: np.ndarray) -> QpSolution:
        """Find the motion at a configuration, shape ``(nq,)``, to which the kinematics are updated."""
        self._set_configuration(q)
        return self._solver.solve(self._program.build())

    def measure_error(self, q: np.ndarray) -> float:
        """Measure the largest weighted error of the tasks at a configuration, to which the kinematics are updated."""
        self._set_configuration(q)
        self._program.fill()
        return float(np.abs(self._program.cost_targets).max(initial=0.0))

    def solve(self, q: np.ndarray, *, iterations: int, tolerance: float = 0.0, exact: float = 0.0) -> np.ndarray:
        """Take steps until nothing moves; the kinematics are then those of the posture.

        Args:
            q: Where to begin, shape ``(nq,)``.
            iterations: Largest number of steps.
            tolerance: Step that counts as none [rad, m].
            exact: Weighted error of the tasks that counts as none.

        Returns:
            Configuration, shape ``(nq,)``; the last one where a step had no solution.
        """
        self.kinematics.update(q)
        for _ in range(iterations):
            if exact and self.measure_error(q) < exact:
                break
            solution = self.find_motion(q)
            if not solution.solved:
                break
            q = pin.integrate(self._model.pinocchio, q, solution.x)
            if self._within is not None:
                q[7:] = np.clip(q[7:], *self._within)
            self.kinematics.update(q)
            if np.abs(solution.x).max() < tolerance:
                break
        return q

    def _set_configuration(self, q: np.ndarray) -> None:
        for part in self._of_joints:
            part.q = q


def damp_motion(model: RobotModel, weight: float) -> tuple[DiagonalTask, DiagonalTask]:
    """Return tasks that give every part of the motion the same small weight."""
    posture = PostureTask(model, model.q_nominal[7:])
    posture.damping = weight
    return BaseDamping(weight), posture
