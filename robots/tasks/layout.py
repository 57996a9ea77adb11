"""Lays the rows of tasks and limits out in arrays that are allocated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from handhold.robots.qp import INFINITY
from handhold.robots.tasks.task import BASE, DiagonalTask, JointBounds, Limit, Task


class Layout:
    r"""The arrays of a program, and who fills which slice of them.

    Attributes:
        cost_rows: Rows :math:`R` of :math:`\|R x - r\|^2 / 2`, already weighted, shape ``(costs, size)``.
        cost_targets: Targets :math:`r`, shape ``(costs,)``.
        cost_count: How many of the rows count, from the first on: those after them cost nothing, and no time.
        weights: Diagonal weights :math:`w` of :math:`\sum w_k (x_k - t_k)^2 / 2`, shape ``(size,)``.
        targets: Their targets :math:`t`, shape ``(size,)``.
        limit_rows: Inequality rows, soft ones last, shape ``(limits, size)``.
        limit_lower: Their lower bounds, shape ``(limits,)``.
        limit_upper: Their upper bounds, shape ``(limits,)``.
        joint_lower: Lower bounds of the joints' part of the motion, shape ``(n,)``.
        joint_upper: Their upper bounds.
        soft: How many of the limits' rows, the last ones, may be violated at a price.
    """

    def __init__(
        self,
        size: int,
        nv: int,
        tasks: Sequence[Task | DiagonalTask],
        limits: Sequence[Limit | JointBounds],
    ) -> None:
        """Allocate, and give each part its slice; parts stay in their order, but soft limits come after all others.

        Args:
            size: Number of unknowns.
            nv: How many of them, the first ones, are the motion.
            tasks: What costs.
            limits: What holds.
        """
        self._tasks = [task for task in tasks if isinstance(task, Task)]
        rows = [limit for limit in limits if isinstance(limit, Limit)]
        self._limits = sorted(rows, key=lambda limit: limit.soft)
        self._bounds = [limit for limit in limits if isinstance(limit, JointBounds)]
        costs = sum(task.row_count for task in self._tasks)
        limited = sum(limit.row_count for limit in self._limits)
        self.soft = sum(limit.row_count for limit in self._limits if limit.soft)
        self.cost_rows = np.zeros((costs, size))
        self.cost_targets = np.zeros(costs)
        self.cost_count = costs
        self.weights = np.zeros(size)
        self.targets = np.zeros(size)
        self.limit_rows = np.zeros((limited, size))
        self.limit_lower = np.full(limited, -INFINITY)
        self.limit_upper = np.full(limited, INFINITY)
        self.joint_lower = np.full(nv - BASE.stop, -INFINITY)
        self.joint_upper = np.full(nv - BASE.stop, INFINITY)
        diagonals = [task for task in tasks if isinstance(task, DiagonalTask)]
        ends = self._lay_tasks()
        self._lay_limits()
        self._row_owners = [(limit, row) for limit in self._limits for row in range(limit.row_count)]
        for diagonal in diagonals:
            diagonal.lay(self.weights[diagonal.columns], self.targets[diagonal.columns])
        for bounds in self._bounds:
            bounds.lay(self.joint_lower, self.joint_upper)
        constant = [task for task in self._tasks if type(task).active is Task.active]
        self._occasional = [(task, end) for task, end in zip(self._tasks, ends, strict=True) if task not in constant]
        self._last_constant = max((end for task, end in zip(self._tasks, ends, strict=True) if task in constant), default=0)
        parts: list[Task | DiagonalTask | JointBounds | Limit] = [*constant, *diagonals, *self._bounds, *self._limits]
        self._fills: tuple[Callable[[], None], ...] = tuple(part.fill for part in parts)

    def _lay_tasks(self) -> list[int]:
        end, ends = 0, []
        for task in self._tasks:
            first, end = end, end + task.row_count
            task.lay(self.cost_rows[first:end], self.cost_targets[first:end])
            ends.append(end)
        return ends

    def _lay_limits(self) -> None:
        end = 0
        for limit in self._limits:
            first, end = end, end + limit.row_count
            limit.lay(self.limit_rows[first:end], self.limit_lower[first:end], self.limit_upper[first:end])

    def fill(self) -> None:
        """Let every part fill its slice."""
        for fill in self._fills:
            fill()
        if self._occasional:
            self._fill_occasional()

    def _fill_occasional(self) -> None:
        """Fill what is not always active; what of it is not, and comes last, does not count."""
        self.cost_count = self._last_constant
        idle = []
        for task, end in self._occasional:
            if task.active:
                task.fill()
                self.cost_count = max(self.cost_count, end)
            else:
                idle.append((task, end))
        for task, end in idle:
            if end < self.cost_count:
                task.rows[:], task.targets[:] = 0.0, 0.0

    def name_joint_bound(self, joint: int) -> str:
        """Return what people call the bound of a joint's motion."""
        return self._bounds[0].names[joint] if self._bounds else ""

    def name_limit_row(self, row: int) -> str:
        """Return what people call a row of the limits."""
        limit, own_row = self._row_owners[row]
        return limit.name_row(own_row)

    def make_rest_feasible(self) -> None:
        """Ask of no limit more than to be no further violated: staying as it is satisfies all of them."""
        for lower, upper in ((self.limit_lower, self.limit_upper), (self.joint_lower, self.joint_upper)):
            np.minimum(lower, 0.0, out=lower)
            np.maximum(upper, 0.0, out=upper)
