r"""Torques of the joints that carry no foot, kept within their limits by a velocity.

Whatever the feet do, gravity alone loads these joints: :math:`\tau = g(q)`, and

.. math:: \kappa (-\tau_{max} - \tau) \leq \frac{\partial g}{\partial q} v \leq \kappa (\tau_{max} - \tau).
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel
from handhold.robots.qp import INFINITY
from handhold.robots.tasks.task import Limit

NEAR_LIMIT_RATIO = 0.8
"""Part of its limit from which on a torque is watched [-]: below, nothing is computed."""

RECOVERY = 0.3
"""Largest speed, along the gradient, with which a torque past its limit is taken back [rad/s]."""

MIN_GRADIENT = 0.1
"""Gradient under which a torque cannot be lessened by a small motion [Nm/rad]."""


class GravityTorqueLimits(Limit):
    r"""A row for each joint that carries no foot; only those near their limits have one. Soft, so that rest is feasible.

    Attributes:
        q: Configuration, shape ``(nq,)``.
        gravity: Generalised gravity there, shape ``(nv,)`` [N, Nm].
        rate: :math:`\kappa`, at which the distance to a limit may shrink [1/s].
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the joints that carry no foot."""
        feet = [joint for effector, joint in zip(model.effectors, model.effector_joints, strict=True) if effector.is_foot]
        supporting = {
            model.pinocchio.joints[j].idx_v for foot in feet for j in model.pinocchio.supports[foot].tolist() if j > 1
        }
        self._free = np.array([6 + joint for joint in range(model.n) if 6 + joint not in supporting], dtype=np.int64)
        super().__init__(len(self._free), soft=True)
        self.q, self.gravity, self.rate = model.q_nominal, np.zeros(model.nv), 1.0
        self._model = model
        self._limits = model.torque_limits[self._free - 6]
        self._data = model.pinocchio.createData()

    def fill(self) -> None:
        """Fill rows and bounds of the torques that are near their limits, and how these change."""
        self.rows[:], self.lower[:], self.upper[:] = 0.0, -INFINITY, INFINITY
        torques = self.gravity[self._free]
        watched = np.flatnonzero(np.abs(torques) > NEAR_LIMIT_RATIO * self._limits)
        if not watched.size:
            return
        slopes = pin.computeGeneralizedGravityDerivatives(self._model.pinocchio, self._data, self.q)[self._free[watched]]
        steepness = np.linalg.norm(slopes, axis=1)
        kept = steepness > MIN_GRADIENT
        watched, slopes, max_change = watched[kept], slopes[kept], RECOVERY * steepness[kept]
        torques, limits = torques[watched], self._limits[watched]
        self.rows[watched, : slopes.shape[1]] = slopes
        self.upper[watched] = np.maximum(self.rate * (limits - torques), -max_change)
        self.lower[watched] = np.minimum(self.rate * (-limits - torques), max_change)

    def name_row(self, row: int) -> str:
        """Return the joint's name."""
        return f"{self._model.joint_names[self._free[row] - 6]} torque"
