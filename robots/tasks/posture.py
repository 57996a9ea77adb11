r"""Joints that are damped and drawn to a posture: :math:`w_v u_j^2 + w_p (Clamp(k (\theta^*_j - \theta_j)) - u_j)^2`.

But for a constant that is :math:`(w_v + w_p)(u_j - w_p p_j / (w_v + w_p))^2`, with the pull p [Rouxel2022]_ (eq. 4). A step
has k = 1, a velocity a rate.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import BASE, DiagonalTask


class PostureTask(DiagonalTask):
    r"""All joints.

    Attributes:
        q: Present configuration, shape ``(nq,)``.
        desired: Joints :math:`\\theta^*`, shape ``(n,)`` [rad].
        damping: Weight :math:`w_v`.
        stiffness: Weights :math:`w_p`, shape ``(n,)``; they may change in place.
        clamp: Largest pull [unit of the motion].
        gain: k [1, 1/s].
    """

    def __init__(self, model: RobotModel, desired: np.ndarray) -> None:
        super().__init__(slice(BASE.stop, model.nv))
        self.q, self.desired = model.q_nominal, desired
        self.damping, self.stiffness, self.clamp, self.gain = 1.0, np.zeros(model.n), np.inf, 1.0

    def fill(self) -> None:
        """Fill weights and targets."""
        settings = (self.damping, self.clamp, self.gain)
        fill_posture_costs(self.q, self.desired, self.stiffness, settings, self.weights, self.targets)


class BaseDamping(DiagonalTask):
    r"""A small cost of the base's motion, :math:`w \|u_B\|^2`: where nothing else holds it the program needs one."""

    def __init__(self, weight: float) -> None:
        super().__init__(BASE)
        self._weight = weight

    def lay(self, weights: np.ndarray, targets: np.ndarray) -> None:
        """Take the slice of the program; its weights never change."""
        super().lay(weights, targets)
        weights[:] = self._weight

    def fill(self) -> None:
        """Leave everything as it is."""


@njit(cache=True)
def fill_posture_costs(
    q: np.ndarray,
    desired: np.ndarray,
    stiffness: np.ndarray,
    settings: tuple[float, float, float],
    weights: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Fill weights and targets (see ``PostureTask``), with damping, clamp and gain."""
    damping, clamp, gain = settings
    for j in range(desired.shape[0]):
        pull = min(clamp, max(-clamp, gain * (desired[j] - q[7 + j])))
        weights[j] = damping + stiffness[j]
        targets[j] = stiffness[j] * pull / weights[j]
