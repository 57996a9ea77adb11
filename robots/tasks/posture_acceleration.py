r"""Joints that are drawn to a moving posture, by a spring and a damper.

.. math:: w_p (\ddot\theta - a)^2 + w_r \ddot\theta^2, \qquad
    a = k_p (\theta^* - \theta) + 2 \sqrt{k_p} (\dot\theta^* - \dot\theta)

But for a constant that is :math:`(w_p + w_r)(\ddot\theta - w_p a / (w_p + w_r))^2`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import BASE, DiagonalTask


class PostureAccelerationTask(DiagonalTask):
    """All joints.

    Attributes:
        desired: Configuration and velocity of the posture, shapes ``(nq,)`` and ``(nv,)``.
        present: The same of the robot.
    """

    def __init__(self, model: RobotModel, weight: float, regularisation: float, stiffness: float) -> None:
        r"""Follow a posture.

        Args:
            model: Robot.
            weight: :math:`w_p`.
            regularisation: :math:`w_r`.
            stiffness: :math:`k_p` [1/s^2].
        """
        super().__init__(slice(BASE.stop, model.nv))
        self.desired = self.present = (model.q_nominal, np.zeros(model.nv))
        self._total = weight + regularisation
        self._gains = (stiffness, weight / self._total)

    def lay(self, weights: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program; its weights never change."""
        super().lay(weights, targets)
        weights[:] = self._total

    def fill(self) -> None:
        """Fill the targets."""
        fill_posture_accelerations(self.desired, self.present, self._gains, self.targets)


@njit(cache=True)
def fill_posture_accelerations(
    desired: tuple[np.ndarray, np.ndarray],
    present: tuple[np.ndarray, np.ndarray],
    gains: tuple[float, float],
    targets: np.ndarray,
) -> None:
    """Fill the targets (see ``PostureAccelerationTask``), with stiffness and the posture's part of the weight."""
    q_ref, v_ref = desired
    q, v = present
    stiffness, part = gains
    damping = 2.0 * np.sqrt(stiffness)
    for j in range(targets.shape[0]):
        targets[j] = part * (stiffness * (q_ref[7 + j] - q[7 + j]) + damping * (v_ref[6 + j] - v[6 + j]))
