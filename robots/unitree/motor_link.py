"""The low-level protocol of Unitree's humanoids, as who drives them speaks it: states in, motor commands out.

Compiled DDS (``far-unitree-sdk``) does the work. It publishes the last command again and again from a thread of its own while
its process lives: silence of ours alone stops no robot (see ``CommandGuard``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from handhold.robots.robot import JointCommand


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MotorReading:
    """What a robot says of itself.

    Attributes:
        positions: Of the motors, in the maker's order, shape ``(n,)`` [rad].
        velocities: Likewise [rad/s].
        torques: Estimated by the drives, likewise [Nm].
        temperatures: Likewise [degrees Celsius].
        angular_velocity: Of the inertial unit, in its frame, shape ``(3,)`` [rad/s].
        specific_force: Likewise [m/s^2].
        quaternion: Attitude that the unit itself estimates, xyzw, shape ``(4,)``.
    """

    positions: np.ndarray
    velocities: np.ndarray
    torques: np.ndarray
    temperatures: np.ndarray
    angular_velocity: np.ndarray
    specific_force: np.ndarray
    quaternion: np.ndarray

    @property
    def is_finite(self) -> bool:
        """Whether all of it are numbers."""
        parts = (self.positions, self.velocities, self.torques, self.angular_velocity, self.specific_force, self.quaternion)
        return all(np.isfinite(part).all() for part in parts)

    def repeats(self, other: MotorReading) -> bool:
        """Whether this is another one over again: of what is measured anew, something differs by its noise."""
        return all(
            np.array_equal(mine, others)
            for mine, others in (
                (self.angular_velocity, other.angular_velocity),
                (self.specific_force, other.specific_force),
                (self.positions, other.positions),
            )
        )


class MotorLink:
    """One robot on one network interface.

    Attributes:
        interface: Name of the network interface.
        motors: Number of motors that the protocol has for this kind of robot.
    """

    def __init__(self, interface: str) -> None:
        """Join the robot's network.

        Args:
            interface: Name of the network interface that leads to the robot.

        Raises:
            ModuleNotFoundError: The maker's library is not installed (extra ``unitree``).
        """
        import unitree_interface

        self.interface = interface
        self._sdk: Any = unitree_interface.UnitreeInterface.create_g1(interface)
        self._command: Any = self._sdk.create_zero_command()
        self.motors = int(self._sdk.get_num_motors())

    def read(self) -> MotorReading | None:
        """Return the newest state; None before the first one."""
        state = self._sdk.read_low_state()
        motor, unit = state.motor, state.imu
        quaternion = np.array(unit.quat)
        if not quaternion.any():
            return None
        return MotorReading(
            positions=np.array(motor.q),
            velocities=np.array(motor.dq),
            torques=np.array(motor.tau_est),
            temperatures=np.array(motor.temperature, dtype=float),
            angular_velocity=np.array(unit.omega),
            specific_force=np.array(unit.accel),
            quaternion=quaternion[[1, 2, 3, 0]],
        )

    def write(self, command: JointCommand) -> None:
        """Send what the motors are to do, in the maker's order, until the next command."""
        sent = self._command
        sent.q_target, sent.dq_target = command.positions.tolist(), command.velocities.tolist()
        sent.kp, sent.kd = command.stiffness.tolist(), command.damping.tolist()
        sent.tau_ff = command.torques.tolist()
        self._sdk.write_low_command(sent)

    def read_command(self) -> tuple[float, ...]:
        """Return what somebody commands on this network; zeros as long as nobody does."""
        heard = self._sdk.read_incoming_command()
        return (*heard.q_target, *heard.kp, *heard.kd, *heard.tau_ff)

    def close(self) -> None:
        """Leave the network: nothing is sent any more, not even the last command."""
        self._sdk = None
