"""What follows the base of a robot, whatever it goes by."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from handhold.robots.estimation.inertial import InertialSample


class BaseEstimate(Protocol):
    """Where a robot's base is, how fast it moves, and how well that is known."""

    @property
    def pose(self) -> np.ndarray:
        """Position [m] and quaternion xyzw of the base in world, as in a configuration, shape ``(7,)``."""
        ...

    @property
    def velocity(self) -> np.ndarray:
        """Linear and angular velocity of the base in its own axes, as in ``RobotState.v``, shape ``(6,)`` [m/s, rad/s]."""
        ...

    @property
    def covariance(self) -> np.ndarray:
        """As in ``RobotState.base_covariance``, shape ``(9, 9)``."""
        ...

    @property
    def slips(self) -> int:
        """How often a contact that was said to stand was taken to have moved."""
        ...

    def reset(self, q: np.ndarray) -> None:
        """Begin at rest in a configuration that is believed, shape ``(nq,)``."""
        ...

    def update(self, sample: InertialSample, joints: np.ndarray, wrenches: np.ndarray, dt: float) -> None:
        """Go on by a period.

        Args:
            sample: What the inertial unit measured over it.
            joints: Measured joint positions at its end, shape ``(n,)`` [rad].
            wrenches: Measured contact wrenches then, shape ``(effectors, 6)``.
            dt: Its length [s].
        """
        ...
