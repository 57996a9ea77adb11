"""Both sides of the maker's protocol within one process, in lockstep: what a robot tells is there at once, and is not lost."""

from __future__ import annotations

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.beat import Beat
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.wiring import Wiring


class DirectRobotLink:
    """The robot's side (see ``RobotLink``).

    Attributes:
        motors: Number of its motors.
        reading: What it told last, in the maker's order; None before.
        command: What it was commanded last, likewise; zeros before.
    """

    def __init__(self, wiring: Wiring) -> None:
        """Begin with a robot that is commanded nothing yet.

        Args:
            wiring: Of the robot's own model.
        """
        self.motors, self._wiring = wiring.joints, wiring
        self.reading: MotorReading | None = None
        nothing = np.zeros(wiring.motors)
        self.command = JointCommand(
            time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=nothing
        )

    def publish(self, reading: MotorReading) -> None:
        """Tell the robot's state."""
        self.reading = self._wiring.spread_reading(reading)

    def read(self) -> JointCommand:
        """Return the newest command; zeros before the first one."""
        return self._wiring.gather_command(self.command)


class DirectMotorLink:
    """The side of who drives it (see ``MotorLink``); the robot's own watchdog is all that guards it.

    Attributes:
        interface: What the link is called, for messages.
        motors: Number of its motors.
    """

    interface = "in lockstep"
    damped = False

    def __init__(self, robot: DirectRobotLink, wiring: Wiring) -> None:
        """Join a robot.

        Args:
            robot: Its side of the link.
            wiring: Of the model that it is driven by.
        """
        self.motors = wiring.joints
        self._robot, self._wiring, self._beat = robot, wiring, Beat()

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        told = self._robot.reading
        return None if told is None else self._wiring.gather_reading(told)

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, until the next command."""
        self._robot.command = self._wiring.spread_command(self._beat.mark(command))

    def is_commanded(self) -> bool:
        """Whether somebody else commands the robot: nobody can."""
        return False

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it hears the next command."""

    def close(self) -> None:
        """Command the robot no more: its watchdog damps it."""
