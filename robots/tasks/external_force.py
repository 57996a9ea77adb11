r"""Forces that others exert on free effectors, admitted into the balance as far as it allows.

.. math::

    \min \sum_i w_i (\Delta f_i - \Delta f^*_i)^2, \qquad \Delta f^* = Clamp(\hat f - f, \pm d), \qquad
    \min(0, \Delta f^*) \leq \Delta f \leq \max(0, \Delta f^*)

with the measured force :math:`\hat f`, the one that is balanced so far, f, and its largest change d, all along each axis of
the world by itself. A force is measured, not chosen: the bounds keep the program from making one up that would help. What
cannot be balanced is not admitted, along one axis or another. Where little is missing its weight rises,

.. math:: w_i = w \min(100, \max(1, f_1 / |\hat f_i - f_i|)),

so that the price of torques leaves no remainder. The unknowns :math:`\Delta f`, three for each effector that is pushed, come
after those of the contacts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.robots.tasks.task import FORCE_UNIT, DiagonalTask, Limit

EXACT, MAX_INCREASE = 0.1, 100.0
"""Missing force under which its weight rises, as it falls [N], and by how much at most [-]."""


class ExternalForceTask(DiagonalTask):
    r"""Follows measured forces.

    Attributes:
        missing: :math:`\hat f - f`, stacked, shape ``(3 pushed,)`` [N].
        max_change: d [N].
    """

    def __init__(self, first: int, weights: Sequence[float]) -> None:
        """Follow the forces on all that is pushed.

        Args:
            first: Their first column.
            weights: w of each that is pushed [1/N^2].
        """
        count = 3 * len(weights)
        super().__init__(slice(first, first + count))
        self.missing, self.max_change = np.zeros(count), np.inf
        self._weights = [FORCE_UNIT**2 * weight for weight in weights for _ in range(3)]

    def fill(self) -> None:
        """Fill weights and targets."""
        # Three numbers an effector: numpy takes several times as long.
        missing, change = self.missing.tolist(), self.max_change
        self.targets[:] = [min(max(force, -change), change) / FORCE_UNIT for force in missing]
        self.weights[:] = [
            weight * (EXACT / min(max(abs(force), EXACT / MAX_INCREASE), EXACT))
            for weight, force in zip(self._weights, missing, strict=True)
        ]


class ExternalForceLimits(Limit):
    """Keeps the forces of a task between what they are and what is measured."""

    def __init__(self, task: ExternalForceTask) -> None:
        """Limit the unknowns of a task."""
        super().__init__(len(task.missing))
        self._task = task

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program; the rows never change."""
        super().lay(rows, lower, upper)
        np.fill_diagonal(rows[:, self._task.columns], 1.0)

    def fill(self) -> None:
        """Fill the bounds, once the task is filled."""
        changes = self._task.targets
        np.minimum(changes, 0.0, out=self.lower)
        np.maximum(changes, 0.0, out=self.upper)

    def name_row(self, _row: int) -> str:
        """Return nothing: what a force is measured to be holds nobody back."""
        return ""
