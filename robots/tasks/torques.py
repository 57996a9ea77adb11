r"""Small joint torques: :math:`\|\tau(x)\|^2_w`, with :math:`\tau(x)` of the equation of motion [Rouxel2022]_ (eq. 4)."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.task import BASE, FORCE_UNIT, Task


class TorqueTask(Task):
    """One row a joint."""

    def __init__(self, equation: EquationOfMotion, weight: float) -> None:
        """Weigh torques.

        Args:
            equation: Gives the torques; filled before.
            weight: Weight w [1/(Nm)^2].
        """
        super().__init__(len(equation.torque_rows))
        self._equation, self._root = equation, math.sqrt(weight)
        self._torques = equation.offset[BASE.stop :]

    def fill(self) -> None:
        """Fill rows and targets."""
        fill_torque_costs(self._equation.torque_rows, self._torques, self._root, self.rows, self.targets)


@njit(cache=True)
def fill_torque_costs(
    torque_rows: np.ndarray, torques: np.ndarray, root: float, rows: np.ndarray, targets: np.ndarray
) -> None:
    """Fill rows and targets (see ``TorqueTask``), ``root`` the square root of the weight."""
    scale = FORCE_UNIT * root
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = scale * torque_rows[i, j]
        targets[i] = -root * torques[i]
