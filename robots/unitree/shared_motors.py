"""What the process that drives a robot and the one that guards it tell each other, in a file that both have in memory."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handhold.robots.errors import RobotError
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.mailbox import Mailbox
from handhold.robots.unitree.motor_reading import MotorReading

MAX_MOTORS = 64
"""Motors that a message has room for."""

_CAPACITY = 8 * (16 + 5 * MAX_MOTORS)
_SIZE = 2 * Mailbox.size(_CAPACITY) + Mailbox.size(8)
_FLAGS = 5


class NotShared(RobotError):
    """The file that the guard of a robot and what drives it share cannot be used.

    Attributes:
        file: The file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"{file} is not what a robot and its guard share: start both with 'handhold run'")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GuardedState:
    """What the guard tells.

    Attributes:
        motors: Number of motors that the protocol has.
        damped: Whether it has damped the robot, because no command came.
        is_commanded: Whether somebody else has been heard to command the robot.
        releases: How often it has released the robot.
        time: When it was told, by the machine's monotonic clock [s].
        reading: What the robot says of itself; None before it has said anything.
    """

    motors: int
    damped: bool
    is_commanded: bool
    releases: int
    time: float
    reading: MotorReading | None


class SharedMotors:
    """Three mailboxes: states from the guard, commands to it, and how often the robot is to be released.

    Attributes:
        states: From the guard.
        commands: To the guard.
        releases: To the guard.
    """

    def __init__(self, file: Path) -> None:
        """Take a file into memory.

        Raises:
            NotShared: It was not made by ``make_shared_file``.
        """
        try:
            with file.open("r+b") as opened:
                self._memory = mmap.mmap(opened.fileno(), _SIZE)
        except (OSError, ValueError):
            raise NotShared(file) from None
        box = Mailbox.size(_CAPACITY)
        self.states = Mailbox(self._memory, 0, _CAPACITY)
        self.commands = Mailbox(self._memory, box, _CAPACITY)
        self.releases = Mailbox(self._memory, 2 * box, 8)


def make_shared_file(file: Path) -> None:
    """Make the file that both sides share, or empty it; nobody else may read it."""
    file.touch(mode=0o600)
    file.write_bytes(bytes(_SIZE))


def encode_state(state: GuardedState) -> bytes:
    """Return what the guard tells as bytes."""
    flags = [state.motors, state.damped, state.is_commanded, state.releases, state.time]
    if state.reading is None:
        return np.array(flags, dtype=float).tobytes()
    told = state.reading
    motors = (told.positions, told.velocities, told.torques, told.temperatures, told.voltages)
    unit = (told.angular_velocity, told.specific_force, told.quaternion)
    return np.concatenate([flags, [told.time], *motors, *unit]).tobytes()


def decode_state(message: bytes) -> GuardedState:
    """Return what the guard tells, from bytes."""
    values = np.frombuffer(message).copy()
    count, damped, is_commanded, releases, time = values[:_FLAGS].tolist()
    n, reading = int(count), None
    if len(values) > _FLAGS:
        motors, unit = values[_FLAGS + 1 : _FLAGS + 1 + 5 * n].reshape(5, n), values[_FLAGS + 1 + 5 * n :]
        reading = MotorReading(
            time=float(values[_FLAGS]),
            positions=motors[0],
            velocities=motors[1],
            torques=motors[2],
            temperatures=motors[3],
            voltages=motors[4],
            angular_velocity=unit[:3],
            specific_force=unit[3:6],
            quaternion=unit[6:],
        )
    return GuardedState(
        motors=n, damped=bool(damped), is_commanded=bool(is_commanded), releases=int(releases), time=time, reading=reading
    )


def encode_command(command: JointCommand, sent_at: float) -> bytes:
    """Return a command as bytes, with when it is sent [s]."""
    rows = (command.positions, command.velocities, command.torques, command.stiffness, command.damping)
    return np.concatenate([[command.time, sent_at], *rows]).tobytes()


def decode_command(message: bytes) -> tuple[JointCommand, float]:
    """Return a command and when it was sent [s], from bytes."""
    values = np.frombuffer(message).copy()
    rows = values[2:].reshape(5, -1)
    command = JointCommand(
        time=float(values[0]), positions=rows[0], velocities=rows[1], torques=rows[2], stiffness=rows[3], damping=rows[4]
    )
    return command, float(values[1])
