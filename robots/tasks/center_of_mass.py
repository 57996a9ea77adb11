r"""The centre of mass: :math:`w \, \|J_c u / T - h \, a\|^2`, a row an axis of world.

With :math:`T = h = 1` the motion of the centre of mass is to be a. A step :math:`\Delta q` is to move it at the velocity a for
the time :math:`h = dt`; in one of :math:`T = dt` it is the step's velocity that counts.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.tasks.task import Task


class CenterOfMassTask(Task):
    """Three rows.

    Attributes:
        desired: The motion a, shape ``(3,)``; with a target what it is without any error.
        target: Where the centre of mass is to be, shape ``(3,)`` [m]; None where only its motion is given.
        gain: Ratio of the error to the target that the motion makes up for, k in :math:`a = a_0 + k (c^* - c)` [1, 1/s].
        root: Square root of the weight w.
        period: T [s].
        duration: h [s].
    """

    def __init__(self, kinematics: EffectorKinematics, root: float = 1.0, *, partial: bool = True) -> None:
        """Follow nothing yet.

        Args:
            kinematics: Position and Jacobian of the centre of mass.
            root: See the attribute.
            partial: Whether an axis whose motion is not a number is free; else it makes the program unsolvable.
        """
        super().__init__(3)
        self._position, self._jacobian = kinematics.position_com_in_world, kinematics.jacobian_com
        self.desired = np.full(3, np.nan)
        self.target: np.ndarray | None = None
        self.gain, self.root, self.period, self.duration = 1.0, root, 1.0, 1.0
        self._partial = partial

    def fill(self) -> None:
        """Fill rows and targets."""
        scales = (self.root, self.period, self.duration)
        desired = self.desired
        if self.target is not None:
            desired = desired + self.gain * (self.target - self._position)
        fill_com_rows(self._jacobian, desired, self._partial, scales, self.rows, self.targets)


@njit(cache=True)
def fill_com_rows(
    jacobian: np.ndarray,
    desired: np.ndarray,
    partial: bool,
    scales: tuple[float, float, float],
    rows: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Fill rows and targets (see ``CenterOfMassTask``): whether axes may be free, and the root of the weight, T and h."""
    root, period, duration = scales
    for i in range(3):
        held = not partial or np.isfinite(desired[i])
        targets[i] = root * desired[i] * duration if held else 0.0
        scale = root / period if held else 0.0
        for j in range(jacobian.shape[1]):
            rows[i, j] = scale * jacobian[i, j]
