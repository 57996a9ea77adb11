"""Both sides of the maker's protocol within one process, in lockstep: what a robot tells is there at once, and is not lost."""

from __future__ import annotations

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.beat import Beat
from handhold.robots.unitree.motor_reading import MotorReading


class DirectRobotLink:
    """The robot's side (see ``RobotLink``).

    Attributes:
        motors: Number of its motors.
        reading: What it told last; None before.
        command: What it was commanded last; zeros before.
    """

    def __init__(self, motors: int) -> None:
        self.motors = motors
        self.reading: MotorReading | None = None
        nothing = np.zeros(motors)
        self.command = JointCommand(
            time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=nothing
        )

    def publish(self, reading: MotorReading) -> None:
        """Tell the robot's state."""
        self.reading = reading

    def read(self) -> JointCommand:
        """Return the newest command; zeros before the first one."""
        return self.command


class DirectMotorLink:
    """The side of who drives it (see ``MotorLink``); the robot's own watchdog is all that guards it.

    Attributes:
        interface: What the link is called, for messages.
        motors: Number of its motors.
    """

    interface = "in lockstep"
    damped = False

    def __init__(self, robot: DirectRobotLink) -> None:
        self.motors = robot.motors
        self._robot, self._beat = robot, Beat()

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        return self._robot.reading

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, until the next command."""
        self._robot.command = self._beat.mark(command)

    def is_commanded(self) -> bool:
        """Whether somebody else commands the robot: nobody can."""
        return False

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it hears the next command."""

    def close(self) -> None:
        """Command the robot no more: its watchdog damps it."""
