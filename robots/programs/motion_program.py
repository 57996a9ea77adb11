r"""Quadratic programs over a motion alone: tasks and limits without contacts, for inverse kinematics.

.. math:: \min_u \tfrac{1}{2} \|R u - r\|^2 + \sum_k \tfrac{1}{2} w_k (u_k - t_k)^2 \quad \text{s.t.} \quad
    l \leq A u \leq h, \quad \text{bounds of the base's and of the joints' motion}
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.robots.qp import INFINITY, QuadraticProgram
from handhold.robots.tasks.layout import Layout
from handhold.robots.tasks.task import BASE, DiagonalTask, JointBounds, Limit, Task


class MotionProgram(Layout):
    """Tasks and limits over a motion u, shape ``(nv,)``: a step or a velocity."""

    def __init__(
        self,
        nv: int,
        tasks: Sequence[Task | DiagonalTask],
        limits: Sequence[Limit | JointBounds],
        *,
        max_base_motion: float = INFINITY,
    ) -> None:
        """Allocate.

        Args:
            nv: Length of the motion.
            tasks: What costs; every part of the motion needs a positive weight of its own, by a diagonal task.
            limits: What holds.
            max_base_motion: Largest motion of the base, in each of its six components.
        """
        super().__init__(nv, nv, tasks, limits)
        size = nv + len(self.limit_rows)
        self._lower, self._upper = np.full(size, -INFINITY), np.full(size, INFINITY)
        self._lower[BASE], self._upper[BASE] = -max_base_motion, max_base_motion
        self._joints, self._rows, self._diagonal = slice(BASE.stop, nv), slice(nv, size), np.arange(nv)

    def build(self) -> QuadraticProgram:
        """Let every part fill its slice, and return the program."""
        self.fill()
        rows, targets = self.cost_rows[: self.cost_count], self.cost_targets[: self.cost_count]
        H = rows.T @ rows
        H[self._diagonal, self._diagonal] += self.weights
        self._lower[self._joints], self._upper[self._joints] = self.joint_lower, self.joint_upper
        self._lower[self._rows], self._upper[self._rows] = self.limit_lower, self.limit_upper
        return QuadraticProgram(
            H=H,
            f=-(rows.T @ targets) - self.weights * self.targets,
            A=self.limit_rows,
            lower=self._lower,
            upper=self._upper,
            equalities=0,
            soft=self.soft,
        )
