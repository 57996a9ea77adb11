r"""Joint torques within limits: :math:`-\beta (\tau_{max} + \tau_0) \leq \tau(x) - \tau_0 \leq \beta (\tau_{max} - \tau_0)`.

:math:`\tau_0` is what the equation of motion has without motion and forces, or changes of those. With :math:`\beta = 1` the
torques stay within their limits; a smaller one lets a step use up that part of the distance to them, and takes back that part
of a violation [Rouxel2022]_ (eq. 16).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.tasks.equation_of_motion import EquationOfMotion
from handhold.robots.tasks.task import BASE, FORCE_UNIT, Limit


class TorqueLimits(Limit):
    """One row a joint, in units of ``FORCE_UNIT``.

    Attributes:
        barrier: Part of the distance to a limit that may be used up [-].
    """

    def __init__(self, equation: EquationOfMotion, limits: np.ndarray, joint_names: tuple[str, ...]) -> None:
        """Limit torques.

        Args:
            equation: Gives the torques; filled before, straight into this limit's rows.
            limits: Largest torques, shape ``(n,)`` [Nm].
            joint_names: Of the joints.
        """
        super().__init__(len(limits))
        self.barrier = 1.0
        self._equation, self._limits = equation, limits
        self._names = tuple(f"{name} torque" for name in joint_names)
        self._torques = equation.offset[BASE.stop :]

    def lay(self, rows: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        """Take the slice of the program, whose rows the equation of motion fills."""
        super().lay(rows, lower, upper)
        self._equation.write_torques_to(rows)

    def fill(self) -> None:
        """Fill the bounds."""
        fill_torque_bounds(self._torques, self._limits, self.barrier, self.lower, self.upper)

    def name_row(self, row: int) -> str:
        """Return the joint's name."""
        return self._names[row]


@njit(cache=True)
def fill_torque_bounds(torques: np.ndarray, limits: np.ndarray, barrier: float, lower: np.ndarray, upper: np.ndarray) -> None:
    """Fill the bounds (see ``TorqueLimits``)."""
    for i in range(limits.shape[0]):
        upper[i] = barrier * (limits[i] - torques[i]) / FORCE_UNIT
        lower[i] = barrier * (-limits[i] - torques[i]) / FORCE_UNIT
