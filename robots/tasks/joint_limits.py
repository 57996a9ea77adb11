r"""Joints within their range and speed: :math:`\beta (\theta_{min} - \theta) \leq u_J \leq \beta (\theta_{max} - \theta)`.

:math:`\beta` is the part of the distance to a limit that a step may use up, or the rate at which a velocity may. Nothing goes
further than m in either direction; what is past its limit comes back, no faster than that, or at least goes no further.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import JointBounds


class JointLimits(JointBounds):
    r"""All joints.

    Attributes:
        q: Present configuration, shape ``(nq,)``.
        barrier: :math:`\\beta` [-, 1/s].
        max_change: m, shape ``(n,)`` [rad, rad/s].
        measured: Where the joints were measured last, shape ``(n,)`` [rad]; none goes further than ``clamp`` from there, and
            one that is further already goes no further. None before anything was measured.
        clamp: See ``measured`` [rad].
    """

    def __init__(self, model: RobotModel, lower: np.ndarray, upper: np.ndarray, *, returning: bool = True) -> None:
        """Keep joints within positions.

        Args:
            model: Robot.
            lower: Minimum positions, shape ``(n,)`` [rad].
            upper: Maximum positions, likewise.
            returning: Whether a joint that is past its limit must come back; else rest is always feasible.
        """
        super().__init__(tuple(f"{name} motion" for name in model.joint_names))
        self.q, self.barrier, self.max_change = model.q_nominal, 1.0, np.full(model.n, np.inf)
        self.measured: np.ndarray | None = None
        self._unmeasured = np.full(model.n, np.nan)
        self.clamp = np.inf
        self._range, self._returning = (lower, upper), 1.0 if returning else 0.0

    def fill(self) -> None:
        """Fill the bounds."""
        measured = self._unmeasured if self.measured is None else self.measured
        settings = (self.barrier, self._returning, self.clamp)
        fill_joint_limits(self.q, measured, self._range, self.max_change, settings, self.lower, self.upper)


@njit(cache=True)
def fill_joint_limits(
    q: np.ndarray,
    measured: np.ndarray,
    positions: tuple[np.ndarray, np.ndarray],
    max_change: np.ndarray,
    settings: tuple[float, float, float],
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Fill the bounds (see ``JointLimits``): barrier, part of m by which a joint must come back, and clamp."""
    barrier, returning, clamp = settings
    min_positions, max_positions = positions
    for j in range(max_change.shape[0]):
        joint = q[7 + j]
        lower[j] = min(returning * max_change[j], max(-max_change[j], barrier * (min_positions[j] - joint)))
        upper[j] = max(-returning * max_change[j], min(max_change[j], barrier * (max_positions[j] - joint)))
        off = joint - measured[j]
        if not np.isnan(off):
            lower[j] = max(lower[j], min(-clamp - off, 0.0))
            upper[j] = min(upper[j], max(clamp - off, 0.0))
