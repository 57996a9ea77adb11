"""What an inertial measurement unit measures, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True)
class InertialSample:
    """What an inertial measurement unit measured over one period, in its own frame.

    Attributes:
        time: Clock of the robot at the period's end [s].
        angular_velocity: Shape ``(3,)`` [rad/s].
        specific_force: Acceleration less gravity's, shape ``(3,)`` [m/s^2]: at rest it points up.
        force_deviation: Standard deviation of the specific force's error beside the unit's noise, along each axis [m/s^2]:
            where samples were missed, its mean is not measured.
    """

    time: float
    angular_velocity: np.ndarray
    specific_force: np.ndarray
    force_deviation: float = 0.0

    def to_array(self) -> np.ndarray:
        """Return it as in ``RobotState.inertial``, shape ``(6,)``."""
        return np.concatenate([self.angular_velocity, self.specific_force])


@dataclass(frozen=True, slots=True, kw_only=True)
class InertialNoise:
    """White noise of a unit, and the random walk of its biases; the defaults are those of a good MEMS unit.

    Attributes:
        gyroscope: Noise density of the angular velocity [rad/s/sqrt(Hz)].
        accelerometer: Of the specific force [m/s^2/sqrt(Hz)].
        gyroscope_drift: Random walk of the gyroscope's bias [rad/s/sqrt(s)].
        accelerometer_drift: Of the accelerometer's [m/s^2/sqrt(s)].
    """

    gyroscope: float = 2e-4
    accelerometer: float = 2e-3
    gyroscope_drift: float = 2e-5
    accelerometer_drift: float = 2e-4
