r"""Joints that stay within their range a horizon ahead.

.. math:: \theta_{min} \leq \theta + \dot\theta T + \ddot\theta T^2 / 2 \leq \theta_{max}

One that will be past its limit is brought back with no more than an acceleration m: no faster than the rest of the body can
follow.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import JointBounds


class JointAccelerationLimits(JointBounds):
    """All joints.

    Attributes:
        present: Configuration and velocity of the robot, shapes ``(nq,)`` and ``(nv,)``.
    """

    def __init__(self, model: RobotModel, horizon: float, recovery: float) -> None:
        """Keep joints within the model's limits a horizon ahead [s], by no more than a recovery m [rad/s^2]."""
        super().__init__(tuple(f"{name} motion" for name in model.joint_names))
        self.present = (model.q_nominal, np.zeros(model.nv))
        self._range, self._avoidance = (model.lower, model.upper), (horizon, recovery)

    def fill(self) -> None:
        """Fill the bounds."""
        fill_acceleration_limits(self.present, self._range, self._avoidance, self.lower, self.upper)


@njit(cache=True)
def fill_acceleration_limits(
    present: tuple[np.ndarray, np.ndarray],
    positions: tuple[np.ndarray, np.ndarray],
    avoidance: tuple[float, float],
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Fill the bounds (see ``JointAccelerationLimits``), with horizon and recovery."""
    q, v = present
    min_positions, max_positions = positions
    horizon, max_acceleration = avoidance
    scale = 2.0 / horizon**2
    for j in range(lower.shape[0]):
        ahead = q[7 + j] + horizon * v[6 + j]
        lower[j] = min(scale * (min_positions[j] - ahead), max_acceleration)
        upper[j] = max(scale * (max_positions[j] - ahead), -max_acceleration)
