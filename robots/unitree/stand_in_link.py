"""The low-level protocol of Unitree's humanoids, as the robot speaks it: motor commands in, states out."""

from __future__ import annotations

from typing import Any

import numpy as np

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.network import join_network
from handhold.robots.unitree.wiring import Wiring


class StandInLink:
    """The robot's side of one network interface.

    Attributes:
        motors: Number of motors that the protocol has for this kind of robot.
    """

    def __init__(self, interface: str, wiring: Wiring) -> None:
        """Join the network, and answer whoever asks as if the maker's controller had been released.

        Args:
            interface: Name of the network interface that it is reached by.
            wiring: Of the model that stands in.

        Raises:
            ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
            NetworkNotJoined: There is no such interface, or DDS cannot be had on it.
            ForeignDds: Another major line of CycloneDDS is there, which could crash this one.
        """
        import unitree_interface

        self._sdk: Any = join_network(interface, wiring.robot)
        self.motors, self._wiring = wiring.joints, wiring
        self._state: Any = unitree_interface.LowState(wiring.motors)
        self._sdk.enable_motion_switcher_responder()

    def publish(self, reading: MotorReading) -> None:
        """Tell the robot's state."""
        state, reading = self._state, self._wiring.spread_reading(reading)
        motor, unit = state.motor, state.imu
        motor.q, motor.dq = reading.positions.tolist(), reading.velocities.tolist()
        motor.tau_est = reading.torques.tolist()
        motor.temperature = reading.temperatures.astype(int).tolist()
        motor.voltage = reading.voltages.tolist()
        unit.omega, unit.accel = reading.angular_velocity.tolist(), reading.specific_force.tolist()
        unit.quat = reading.quaternion[[3, 0, 1, 2]].tolist()
        state.motor, state.imu = motor, unit
        self._sdk.publish_low_state(state)

    def read(self) -> JointCommand:
        """Return the newest command, without its time, which the protocol does not tell; zeros before the first one."""
        heard = self._sdk.read_incoming_command()
        command = JointCommand(
            time=0.0,
            positions=np.array(heard.q_target),
            velocities=np.array(heard.dq_target),
            torques=np.array(heard.tau_ff),
            stiffness=np.array(heard.kp),
            damping=np.array(heard.kd),
        )
        return self._wiring.gather_command(command)
