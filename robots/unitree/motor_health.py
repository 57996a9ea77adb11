"""How a robot of Unitree is, by what its motors tell; its battery and its own list of faults no library of ours tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.robots.errors import RobotError
from handhold.robots.health import RobotHealth
from handhold.robots.unitree.motor_reading import MotorReading


class SilentMotors(RobotError):
    """A robot cannot be driven: some of its motors tell nothing.

    Attributes:
        motors: What people call them.
    """

    def __init__(self, motors: Sequence[str]) -> None:
        self.motors = tuple(motors)
        super().__init__(
            f"no state comes from {', '.join(motors)}: the robot has no such motors, or they have failed; "
            "take a description of this robot, or let its maker look at it"
        )


def name_motors(joint_names: Sequence[str]) -> tuple[str, ...]:
    """Return what people call motors: ``left hip pitch``."""
    return tuple(name.removesuffix("_joint").replace("_", " ") for name in joint_names)


def assess_motors(names: Sequence[str], reading: MotorReading) -> RobotHealth:
    """Return how a robot is.

    Args:
        names: What people call its motors.
        reading: What it tells of itself.
    """
    told = np.stack([reading.positions, reading.velocities, reading.torques, reading.temperatures])
    # Zeros in all are what the library has of a motor that says nothing: a G1 with fewer joints lacks some.
    is_silent = ~np.isfinite(told).all(axis=0) | ~told.any(axis=0)
    temperatures = np.where(np.isfinite(reading.temperatures), reading.temperatures, -np.inf)
    hottest = int(temperatures.argmax())
    voltages = reading.voltages[np.isfinite(reading.voltages) & (reading.voltages > 0.0)]
    return RobotHealth(
        hottest=names[hottest],
        temperature=float(temperatures[hottest]),
        # Of most motors: one whose own sensor is off empties no battery.
        voltage=float(np.median(voltages)) if len(voltages) else None,
        silent=tuple(name for name, silent in zip(names, is_silent, strict=True) if silent),
    )
