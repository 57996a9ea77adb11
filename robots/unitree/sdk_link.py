"""The low-level protocol of Unitree's humanoids, as who drives them speaks it: states in, motor commands out.

Compiled DDS (``far-unitree-sdk``) does the work. It publishes the last command again and again from a thread of its own while
its process lives: silence of ours alone stops no robot (see ``CommandGuard``).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.beat import Beat
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.network import join_network
from handhold.robots.unitree.wiring import Wiring


class SdkLink:
    """One robot on one network interface.

    Attributes:
        interface: Name of the network interface.
        motors: Number of motors that the protocol has for this kind of robot.
    """

    def __init__(self, interface: str, wiring: Wiring) -> None:
        """Join the robot's network.

        Args:
            interface: Name of the network interface that leads to the robot.
            wiring: Of the model that it is driven by.

        Raises:
            ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
            NetworkNotJoined: There is no such interface, or DDS cannot be had on it.
            ForeignDds: Another major line of CycloneDDS is there, which could crash this one.
        """
        self.interface = interface
        self._sdk: Any = join_network(interface, wiring.robot)
        self._command: Any = self._sdk.create_zero_command()
        self.motors, self._wiring = wiring.joints, wiring
        self._beat = Beat()

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        state = self._sdk.read_low_state()
        motor, unit = state.motor, state.imu
        quaternion = np.array(unit.quat)
        if not quaternion.any():
            return None
        told = MotorReading(
            time=time.monotonic(),
            positions=np.array(motor.q),
            velocities=np.array(motor.dq),
            torques=np.array(motor.tau_est),
            temperatures=np.array(motor.temperature, dtype=float),
            voltages=np.array(motor.voltage, dtype=float),
            angular_velocity=np.array(unit.omega),
            specific_force=np.array(unit.accel),
            quaternion=quaternion[[1, 2, 3, 0]],
        )
        return self._wiring.gather_reading(told)

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, in the model's order, until the next command."""
        sent, command = self._command, self._wiring.spread_command(self._beat.mark(command))
        sent.q_target, sent.dq_target = command.positions.tolist(), command.velocities.tolist()
        sent.kp, sent.kd = command.stiffness.tolist(), command.damping.tolist()
        sent.tau_ff = command.torques.tolist()
        self._sdk.write_low_command(sent)

    def is_commanded(self) -> bool:
        """Whether somebody has been heard to command the robot on this network: one that hangs is repeated by its library."""
        heard = self._sdk.read_incoming_command()
        return any((*heard.q_target, *heard.kp, *heard.kd, *heard.tau_ff))

    def close(self) -> None:
        """Leave the network: nothing is sent any more, not even the last command."""
        self._sdk = None
