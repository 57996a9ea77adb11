"""Which motor of a message moves which joint of a model: values in the model's order, and in the maker's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.errors import UnwiredJoints
from handhold.robots.unitree.makers_robot import MakersRobot
from handhold.robots.unitree.motor_reading import MotorReading


class Wiring:
    """Of one model of a robot; a motor that there is not is told nothing of (zeros), and what it tells is not heard.

    Attributes:
        robot: What the protocol has of the robot.
        joints: Number of joints.
    """

    def __init__(self, robot: MakersRobot, joint_names: Sequence[str]) -> None:
        """Wire a model.

        Args:
            robot: What the protocol has of the robot.
            joint_names: Joints of the model, in its own order.

        Raises:
            UnwiredJoints: One of them has no motor, or a motor moves none of them.
        """
        if sorted(joint_names) != sorted(robot.joints):
            raise UnwiredJoints(tuple(joint_names), robot.joints)
        self.robot, self.joints = robot, len(joint_names)
        self._slots = np.array([robot.motors.index(name) for name in joint_names])

    @property
    def motors(self) -> int:
        """Number of motors that a message has room for."""
        return len(self.robot.motors)

    def spread_command(self, command: JointCommand) -> JointCommand:
        """Return a command in the maker's order, of one in the model's."""
        return replace(
            command,
            positions=self._spread(command.positions),
            velocities=self._spread(command.velocities),
            torques=self._spread(command.torques),
            stiffness=self._spread(command.stiffness),
            damping=self._spread(command.damping),
        )

    def gather_command(self, command: JointCommand) -> JointCommand:
        """Return a command in the model's order, of one in the maker's."""
        slots = self._slots
        return replace(
            command,
            positions=command.positions[slots],
            velocities=command.velocities[slots],
            torques=command.torques[slots],
            stiffness=command.stiffness[slots],
            damping=command.damping[slots],
        )

    def spread_reading(self, reading: MotorReading) -> MotorReading:
        """Return what a robot tells in the maker's order, of what it has in the model's."""
        voltages = reading.voltages if self.robot.tells_voltage else np.zeros(self.joints)
        return replace(
            reading,
            positions=self._spread(reading.positions),
            velocities=self._spread(reading.velocities),
            torques=self._spread(reading.torques),
            temperatures=self._spread(reading.temperatures),
            voltages=self._spread(voltages),
        )

    def gather_reading(self, reading: MotorReading) -> MotorReading:
        """Return what a robot tells in the model's order, of what it told in the maker's."""
        slots = self._slots
        return replace(
            reading,
            positions=reading.positions[slots],
            velocities=reading.velocities[slots],
            torques=reading.torques[slots],
            temperatures=reading.temperatures[slots],
            voltages=reading.voltages[slots],
        )

    def _spread(self, values: np.ndarray) -> np.ndarray:
        spread = np.zeros(self.motors)
        spread[self._slots] = values
        return spread
