"""What leads to the motors of a humanoid, whatever lies between."""

from __future__ import annotations

from typing import Protocol

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_reading import MotorReading


class MotorLink(Protocol):
    """To one robot.

    Attributes:
        interface: What the link is called, for messages.
        motors: Number of motors that the protocol has for this kind of robot.
    """

    interface: str
    motors: int

    @property
    def damped(self) -> bool:
        """Whether the robot is damped because no command came in time, and stays so until it is released."""
        ...

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        ...

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, in the model's order, until the next command."""
        ...

    def is_commanded(self) -> bool:
        """Whether somebody else has been heard to command the robot on this network."""
        ...

    def release(self) -> None:
        """Let a robot that was damped be commanded again: it has been taken over anew."""
        ...

    def close(self) -> None:
        """Command the robot no more: it is damped."""
        ...
