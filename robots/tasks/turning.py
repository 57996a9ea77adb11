r"""The base's commanded turn about the vertical in a step: :math:`w \, (e_z^T R \, \Delta\phi_B - \dot\psi \, dt)^2`.

R is the base's rotation: its angular velocity is in its own axes.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.robots.tasks.task import Task


class TurningTask(Task):
    r"""One row.

    Attributes:
        rate: :math:`\dot\psi` [rad/s]; not a number where none is commanded.
        duration: Length of the step [s].
    """

    def __init__(self, base_rotation: np.ndarray, weight: float) -> None:
        """Turn the base.

        Args:
            base_rotation: R, shape ``(3, 3)``, refreshed in place.
            weight: Weight w [1/rad^2].
        """
        super().__init__(1)
        self._vertical, self._root = base_rotation[2], math.sqrt(weight)
        self.rate, self.duration = math.nan, 1.0

    def lay(self, rows: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program."""
        super().lay(rows, targets)
        self._turn = rows[0, 3:6]

    def fill(self) -> None:
        """Fill row and target."""
        commanded = math.isfinite(self.rate)
        np.multiply(self._root if commanded else 0.0, self._vertical, out=self._turn)
        self.targets[0] = self._root * self.rate * self.duration if commanded else 0.0
