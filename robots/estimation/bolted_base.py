"""Where the base of a robot is that is bolted down: where it was bolted, at rest."""

from __future__ import annotations

import numpy as np

from handhold.robots.estimation.inertial import InertialSample


class BoltedBase:
    """The base of a robot that never moves (see ``BaseEstimate``).

    Attributes:
        pose: Position [m] and quaternion xyzw of the base in world, shape ``(7,)``.
        velocity: Nothing, shape ``(6,)``.
        covariance: Nothing, shape ``(9, 9)``: whoever bolted it down knows where.
        slips: None.
    """

    slips = 0

    def __init__(self) -> None:
        self.velocity, self.covariance = np.zeros(6), np.zeros((9, 9))
        self.pose = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])

    def reset(self, q: np.ndarray) -> None:
        """Take it to be where a configuration has it, shape ``(nq,)``."""
        self.pose = q[:7].copy()

    def update(self, _sample: InertialSample, _joints: np.ndarray, _wrenches: np.ndarray, _dt: float) -> None:
        """Stay: whatever is measured, it has not moved."""
