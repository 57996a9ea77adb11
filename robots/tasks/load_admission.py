r"""A change of a held object's load, admitted into the balance as far as it allows.

.. math:: w \, \Delta g^2 (s - 1)^2, \qquad 0 \leq s \leq 1

The ratio s of the change :math:`\Delta g` of its weight is the last unknown of a program (see ``ObjectRows``): the grip may
have to grow first, or the arms to go where they can bear it.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.tasks.task import DiagonalTask, Limit

FULL = 1.0
"""Ratio at which all of the change is admitted [-]."""

EXACT = 0.1
"""Change under which its weight falls no further [N]: nothing is left over."""


class LoadAdmissionTask(DiagonalTask):
    r"""Admits all of it.

    Attributes:
        change: :math:`\Delta g` [N].
        eagerness: Part of w that counts [-].
    """

    def __init__(self, column: int, weight: float) -> None:
        """Weigh the unknown of a column by w [1/N^2]."""
        super().__init__(slice(column, column + 1))
        self.change, self.eagerness, self._weight = 0.0, 1.0, weight

    def fill(self) -> None:
        """Fill weight and target."""
        self.weights[:], self.targets[:] = self.eagerness * self._weight * max(EXACT, self.change) ** 2, FULL


class LoadAdmissionLimits(Limit):
    """Admits neither more than that nor less than nothing."""

    def __init__(self, column: int) -> None:
        """Limit the unknown of a column."""
        super().__init__(1)
        self._column = column

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program; nothing of it ever changes."""
        super().lay(rows, lower, upper)
        rows[0, self._column], lower[0], upper[0] = 1.0, 0.0, FULL

    def fill(self) -> None:
        """Leave it as it is."""

    def name_row(self, _row: int) -> str:
        """Return nothing: what is weighed holds nobody back."""
        return ""
