"""A robot behind its guard: what passes between the two processes by shared memory, and what does not get through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.errors import GuardSilent
from handhold.robots.unitree.guarded_link import MAX_SILENCE, GuardedLink
from handhold.robots.unitree.mailbox import Mailbox
from handhold.robots.unitree.motor_guard import GUARD_TIMEOUT, MotorGuard
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.shared_motors import NotShared, SharedMotors, make_shared_file

MOTORS = 4
GAINS = np.full(MOTORS, 3.0)


def make_reading(seed: int = 0) -> MotorReading:
    random = np.random.default_rng(seed)
    rows = [random.normal(size=MOTORS) for _ in range(5)]
    return MotorReading(
        time=1.5 + seed,
        positions=rows[0],
        velocities=rows[1],
        torques=rows[2],
        temperatures=rows[3],
        voltages=rows[4],
        angular_velocity=random.normal(size=3),
        specific_force=random.normal(size=3),
        quaternion=random.normal(size=4),
    )


def make_command(value: float) -> JointCommand:
    rows = [np.full(MOTORS, value + k) for k in range(5)]
    return JointCommand(time=value, positions=rows[0], velocities=rows[1], torques=rows[2], stiffness=rows[3], damping=rows[4])


class MakersLink:
    """A maker's side that is made up."""

    motors = MOTORS

    def __init__(self) -> None:
        self.reading: MotorReading | None = None
        self.written: list[JointCommand] = []
        self.rival = False

    def read(self) -> MotorReading | None:
        return self.reading

    def write(self, command: JointCommand) -> None:
        self.written.append(command)

    def is_commanded(self) -> bool:
        return self.rival


class Pair:
    """Guard and driver, each with the file in a memory of its own, on one clock; who waits lets the guard go on."""

    def __init__(self, file: Path) -> None:
        make_shared_file(file)
        self.now, self.maker, self.file = 0.0, MakersLink(), file
        self.guard = MotorGuard(self.maker, SharedMotors(file), GAINS, lambda: self.now)
        self.guard.step()
        self.link = GuardedLink("lo", SharedMotors(file), clock=lambda: self.now, sleep=self.sleep)

    def sleep(self, duration: float) -> None:
        self.now += duration
        self.guard.step()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path / "motors")


def test_what_the_robot_tells_arrives_as_it_is(pair: Pair) -> None:
    assert pair.link.motors == MOTORS
    assert pair.link.read() is None
    pair.maker.reading = make_reading()
    pair.guard.step()
    arrived: Any = pair.link.read()
    for name in MotorReading.__slots__:
        assert np.array_equal(getattr(arrived, name), getattr(pair.maker.reading, name)), name


def test_what_is_commanded_arrives_as_it_is_and_once(pair: Pair) -> None:
    command = make_command(2.0)
    pair.link.write(command)
    pair.guard.step()
    pair.guard.step()
    (sent,) = pair.maker.written
    for name in ("time", "positions", "velocities", "torques", "stiffness", "damping"):
        assert np.array_equal(getattr(sent, name), getattr(command, name)), name


def test_a_driver_that_is_silent_is_told_that_the_robot_is_damped_and_takes_it_over_anew(pair: Pair) -> None:
    pair.link.write(make_command(1.0))
    pair.guard.step()
    pair.sleep(1.1 * GUARD_TIMEOUT)
    assert np.array_equal(pair.maker.written[-1].damping, GAINS)
    pair.link.read()
    assert pair.link.damped
    pair.sleep(1.0)
    pair.link.write(make_command(2.0))
    pair.guard.step()
    assert len(pair.maker.written) == 2, "it stays damped"
    pair.link.release()
    assert not pair.link.damped
    pair.link.write(make_command(3.0))
    pair.guard.step()
    assert pair.maker.written[-1].positions[0] == 3.0


def test_a_rival_is_told_until_the_robot_is_driven_by_us(pair: Pair) -> None:
    pair.maker.rival = True
    pair.guard.step()
    assert pair.link.is_commanded()


def test_a_guard_that_stops_damps_what_has_been_driven(pair: Pair) -> None:
    pair.guard.stop()
    assert not pair.maker.written
    pair.link.write(make_command(1.0))
    pair.guard.step()
    pair.guard.stop()
    assert np.array_equal(pair.maker.written[-1].damping, GAINS)


def test_a_guard_that_never_comes_is_told(tmp_path: Path) -> None:
    make_shared_file(tmp_path / "motors")
    time = [0.0]

    def sleep(duration: float) -> None:
        time[0] += max(duration, 1.0)

    with pytest.raises(GuardSilent):
        GuardedLink("lo", SharedMotors(tmp_path / "motors"), clock=lambda: time[0], sleep=sleep)


def test_a_guard_that_hangs_is_told(pair: Pair) -> None:
    pair.now += 0.9 * MAX_SILENCE
    pair.link.read()
    pair.now += 0.2 * MAX_SILENCE
    with pytest.raises(GuardSilent):
        pair.link.read()


def test_a_file_that_is_not_there_or_too_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotShared):
        SharedMotors(tmp_path / "motors")
    (tmp_path / "motors").write_bytes(b"12")
    with pytest.raises(NotShared):
        SharedMotors(tmp_path / "motors")


def test_of_two_messages_the_newest_counts_and_a_spoilt_one_is_none() -> None:
    import mmap

    memory = mmap.mmap(-1, Mailbox.size(16))
    sender, receiver = Mailbox(memory, 0, 16), Mailbox(memory, 0, 16)
    assert receiver.take() is None
    sender.post(b"one")
    sender.post(b"two")
    assert receiver.take() == b"two"
    assert receiver.take() is None, "an older one is no news"
    sender.post(b"three")
    # Half-written by the time it is read: the content has changed, its head not yet.
    at = memory.find(b"three")
    memory[at : at + 1] = b"T"
    assert receiver.take() is None
    sender.post(b"four")
    assert receiver.take() == b"four"
