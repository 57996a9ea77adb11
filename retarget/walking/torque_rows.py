r"""Torques of the joints that carry no foot, kept within what the reference may ask for: as rows of the velocity.

Whatever the feet do, these joints bear gravity alone: :math:`\tau = g(q)`, and

.. math:: \kappa (-\tau_{max} - \tau) \leq \frac{\partial g}{\partial q} v \leq \kappa (\tau_{max} - \tau).
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel

NEAR = 0.8
"""Part of its limit from which on a torque is watched [-]: below, nothing is computed."""

RECOVERY = 0.3
"""Largest speed, along the steepest way, with which a torque past its limit is taken back [rad/s]."""

LEAST_SLOPE = 0.1
"""Gradient under which a torque cannot be lessened by a small motion [Nm/rad]."""


class TorqueRows:
    """Finds the torques that are near their limits, and how they change."""

    def __init__(self, model: RobotModel) -> None:
        """Take the joints that carry no foot."""
        self._model = model
        feet = [joint for effector, joint in zip(model.effectors, model.effector_joints, strict=True) if effector.is_foot]
        carrying = {model.pinocchio.joints[j].idx_v for foot in feet for j in model.pinocchio.supports[foot].tolist() if j > 1}
        self._free = np.array([6 + joint for joint in range(model.n) if 6 + joint not in carrying], dtype=np.int64)
        self._limits = model.torque_limits[self._free - 6]
        self._data = model.pinocchio.createData()

    def build(self, q: np.ndarray, gravity: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows of the velocity and their bounds, shapes ``(k, nv)``, ``(k,)`` and ``(k,)``; none far from all limits.

        Args:
            q: Configuration, shape ``(nq,)``.
            gravity: Generalised gravity there, shape ``(nv,)`` [N, Nm].
            rate: Rate at which the distance to a limit may shrink [1/s].
        """
        torques = gravity[self._free]
        watched = np.abs(torques) > NEAR * self._limits
        if not watched.any():
            return np.zeros((0, self._model.nv)), np.zeros(0), np.zeros(0)
        slopes = pin.computeGeneralizedGravityDerivatives(self._model.pinocchio, self._data, q)[self._free[watched]]
        steepness = np.linalg.norm(slopes, axis=1)
        torques, limits = torques[watched], self._limits[watched]
        most = RECOVERY * steepness
        upper = np.maximum(rate * (limits - torques), -most)
        lower = np.minimum(rate * (-limits - torques), most)
        kept = steepness > LEAST_SLOPE
        return slopes[kept], lower[kept], upper[kept]
