"""What a humanoid of Unitree says of itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MotorReading:
    """What a robot says of itself.

    Attributes:
        time: When it arrived, by the machine's monotonic clock [s].
        positions: Of the motors, shape ``(n,)`` [rad].
        velocities: Likewise [rad/s].
        torques: Estimated by the drives, likewise [Nm].
        temperatures: Likewise [degrees Celsius].
        voltages: Of their supply, likewise [V]; 0 where a motor does not tell it.
        angular_velocity: Of the inertial unit, in its frame, shape ``(3,)`` [rad/s].
        specific_force: Likewise [m/s^2].
        quaternion: Attitude that the unit itself estimates, xyzw, shape ``(4,)``.
    """

    time: float
    positions: np.ndarray
    velocities: np.ndarray
    torques: np.ndarray
    temperatures: np.ndarray
    voltages: np.ndarray
    angular_velocity: np.ndarray
    specific_force: np.ndarray
    quaternion: np.ndarray

    @property
    def attitude(self) -> np.ndarray:
        """Attitude of the unit in world that it estimates itself, shape ``(3, 3)``."""
        return np.asarray(pin.Quaternion(self.quaternion).normalized().toRotationMatrix())

    @property
    def is_finite(self) -> bool:
        """Whether all of it are numbers."""
        parts = (self.positions, self.velocities, self.torques, self.angular_velocity, self.specific_force, self.quaternion)
        return all(np.isfinite(part).all() for part in parts)

    def repeats(self, other: MotorReading) -> bool:
        """Whether this is another one over again: of what is measured anew, something differs by its noise.

        One that arrived when the other did is the same, told again.
        """
        return self.time == other.time or all(
            np.array_equal(mine, others)
            for mine, others in (
                (self.angular_velocity, other.angular_velocity),
                (self.specific_force, other.specific_force),
                (self.positions, other.positions),
            )
        )
