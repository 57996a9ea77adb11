"""The low-level protocol of Unitree's humanoids, as the robot speaks it: motor commands in, states out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from handhold.robots.unitree.motor_link import MotorReading


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MotorCommand:
    """What motors are to do, in the maker's order, shape ``(n,)`` each.

    Attributes:
        positions: Desired [rad].
        velocities: Desired [rad/s].
        torques: Feed-forward [Nm].
        stiffness: Gains on position [Nm/rad].
        damping: Gains on velocity [Nms/rad].
    """

    positions: np.ndarray
    velocities: np.ndarray
    torques: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    def repeats(self, other: MotorCommand) -> bool:
        """Whether this is another one over again, to the last bit."""
        return all(
            np.array_equal(mine, others)
            for mine, others in (
                (self.torques, other.torques),
                (self.positions, other.positions),
                (self.velocities, other.velocities),
                (self.stiffness, other.stiffness),
                (self.damping, other.damping),
            )
        )

    @property
    def is_finite(self) -> bool:
        """Whether all of it are numbers."""
        parts = (self.positions, self.velocities, self.torques, self.stiffness, self.damping)
        return all(np.isfinite(part).all() for part in parts)

    @property
    def is_nothing(self) -> bool:
        """Whether it is what there is before the first one."""
        return not (self.stiffness.any() or self.damping.any() or self.torques.any())


class StandInLink:
    """The robot's side of one network interface.

    Attributes:
        motors: Number of motors that the protocol has for this kind of robot.
    """

    def __init__(self, interface: str) -> None:
        """Join the network, and answer whoever asks as if the maker's controller had been released.

        Raises:
            ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
        """
        import unitree_interface

        self._sdk: Any = unitree_interface.UnitreeInterface.create_g1(interface)
        self.motors = int(self._sdk.get_num_motors())
        self._state: Any = unitree_interface.LowState(self.motors)
        self._sdk.enable_motion_switcher_responder()

    def publish(self, reading: MotorReading) -> None:
        """Tell the robot's state."""
        state = self._state
        motor, unit = state.motor, state.imu
        motor.q, motor.dq = reading.positions.tolist(), reading.velocities.tolist()
        motor.tau_est = reading.torques.tolist()
        motor.temperature = reading.temperatures.astype(int).tolist()
        unit.omega, unit.accel = reading.angular_velocity.tolist(), reading.specific_force.tolist()
        unit.quat = reading.quaternion[[3, 0, 1, 2]].tolist()
        state.motor, state.imu = motor, unit
        self._sdk.publish_low_state(state)

    def read(self) -> MotorCommand:
        """Return the newest command; zeros before the first one."""
        heard = self._sdk.read_incoming_command()
        return MotorCommand(
            positions=np.array(heard.q_target),
            velocities=np.array(heard.dq_target),
            torques=np.array(heard.tau_ff),
            stiffness=np.array(heard.kp),
            damping=np.array(heard.kd),
        )
