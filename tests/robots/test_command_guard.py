"""A robot whose commands cease is damped, though its maker's library would go on with the last one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.command_guard import LATCH, CommandGuard

TIMEOUT = 0.02
GAINS = np.full(3, 5.0)
PATIENCE = 60.0  # [s]: only what hangs reaches it


class Link:
    """Notes what is written, and lets others wait for it."""

    def __init__(self) -> None:
        self.written: list[JointCommand] = []
        self.came = threading.Condition()

    def write(self, command: JointCommand) -> None:
        with self.came:
            self.written.append(command)
            self.came.notify_all()

    def wait_for(self, count: int) -> None:
        with self.came:
            assert self.came.wait_for(lambda: len(self.written) >= count, timeout=PATIENCE)


class Clock:
    """Goes on only when it is told to, and lets others wait until it has been looked at."""

    def __init__(self) -> None:
        self.time, self.looks = 0.0, 0
        self.looked = threading.Condition()

    def __call__(self) -> float:
        with self.looked:
            self.looks += 1
            self.looked.notify_all()
            return self.time

    def wait_for_looks(self, count: int = 3) -> None:
        with self.looked:
            until = self.looks + count
            assert self.looked.wait_for(lambda: self.looks >= until, timeout=PATIENCE)


Guarded = tuple[Any, Clock, CommandGuard]


def make_command() -> JointCommand:
    values = np.ones(3)
    return JointCommand(time=1.0, positions=values, velocities=values, torques=values, stiffness=values, damping=values)


@pytest.fixture
def guarded() -> Iterator[Guarded]:
    link, clock = Link(), Clock()
    guard = CommandGuard(link, GAINS, TIMEOUT, clock)  # type: ignore[arg-type]
    yield link, clock, guard
    guard.stop()


def damps(command: JointCommand) -> bool:
    return bool(np.array_equal(command.damping, GAINS)) and not command.stiffness.any() and not command.torques.any()


def test_nothing_is_sent_before_the_first_command(guarded: Guarded) -> None:
    link, clock, guard = guarded
    clock.time = 10.0
    clock.wait_for_looks()
    assert link.written == []
    assert not guard.damping


def test_once_a_command_is_too_old_the_robot_is_damped_once(guarded: Guarded) -> None:
    link, clock, guard = guarded
    guard.send(make_command())
    clock.time = 0.9 * TIMEOUT
    clock.wait_for_looks()
    assert len(link.written) == 1
    clock.time = 1.1 * TIMEOUT
    link.wait_for(2)
    clock.wait_for_looks()
    assert guard.damping
    assert damps(link.written[1])
    assert len(link.written) == 2


def test_a_short_silence_is_made_good_by_the_next_command_and_a_long_one_by_taking_over_anew_only(guarded: Guarded) -> None:
    link, clock, guard = guarded
    guard.send(make_command())
    clock.time = 1.1 * TIMEOUT
    link.wait_for(2)
    guard.send(make_command())
    assert not guard.damping
    assert not damps(link.written[2])
    clock.time += 1.1 * TIMEOUT
    link.wait_for(4)
    clock.time += LATCH
    guard.send(make_command())
    assert guard.damping
    assert len(link.written) == 4
    guard.release()
    guard.send(make_command())
    assert not damps(link.written[4])


def test_who_stops_damps_for_good(guarded: Guarded) -> None:
    link, _, guard = guarded
    guard.send(make_command())
    guard.stop()
    guard.send(make_command())
    guard.stop()
    assert len(link.written) == 2
    assert damps(link.written[1])
