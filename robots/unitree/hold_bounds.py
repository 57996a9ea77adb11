"""What a robot that is held keeps within, joint by joint; past it, it is damped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.model import RobotModel
from handhold.robots.unitree.errors import HoldBroken
from handhold.robots.unitree.motor_reading import MotorReading


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldBounds:
    """Bounds of all joints.

    Attributes:
        lag: How far a joint may be from where it is to be [rad].
        excess: How far past the limits of its range, or past where it was found beyond them [rad].
        torque: Largest torque, as a part of what its motor can give [-].
        velocity: Largest velocity [rad/s].
        temperature: Largest temperature of a motor [degrees Celsius].
    """

    lag: float = 0.1
    excess: float = 0.02
    torque: float = 0.8
    velocity: float = 3.0
    temperature: float = 80.0

    def check(self, model: RobotModel, reading: MotorReading, desired: np.ndarray, found: np.ndarray) -> None:
        """Check what a robot tells of itself.

        Args:
            model: The robot.
            reading: What it tells.
            desired: Where its joints are to be, shape ``(n,)`` [rad].
            found: Where they were found, likewise.

        Raises:
            HoldBroken: A joint is past a bound.
        """
        q = reading.positions
        lower, upper = np.minimum(model.lower, found), np.maximum(model.upper, found)
        for quantity, values, bound, unit in (
            ("a lag", np.abs(q - desired), self.lag, "rad"),
            ("an excess over its range", np.maximum(lower - q, q - upper), self.excess, "rad"),
            ("a part of its largest torque", np.abs(reading.torques) / model.motor_torques, self.torque, ""),
            ("a velocity", np.abs(reading.velocities), self.velocity, "rad/s"),
            ("a temperature", reading.temperatures, self.temperature, "degrees"),
        ):
            worst = int(values.argmax())
            if values[worst] > bound:
                raise HoldBroken(model.joint_names[worst], quantity, float(values[worst]), bound, unit)
