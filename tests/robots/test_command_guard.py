"""A robot whose commands cease is damped, though its maker's library would go on with the last one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.command_guard import CommandGuard

TIMEOUT = 0.02
GAINS = np.full(3, 5.0)


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
            assert self.came.wait_for(lambda: len(self.written) >= count, timeout=60.0)


class Clock:
    """Goes on only when it is told to."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def make_command() -> JointCommand:
    values = np.ones(3)
    return JointCommand(time=1.0, positions=values, velocities=values, torques=values, stiffness=values, damping=values)


@pytest.fixture
def guarded() -> Iterator[tuple[Any, Clock, CommandGuard]]:
    link, clock = Link(), Clock()
    guard = CommandGuard(link, GAINS, TIMEOUT, clock)  # type: ignore[arg-type]
    yield link, clock, guard
    guard.stop()


def test_nothing_is_sent_before_the_first_command(guarded: tuple[Any, Clock, CommandGuard]) -> None:
    link, clock, guard = guarded
    clock.time = 10.0
    guard.send(make_command())
    link.wait_for(1)
    assert link.written[0].stiffness.any()


def test_once_a_command_is_too_old_the_robot_is_damped_once_and_goes_on_with_the_next(
    guarded: tuple[Any, Clock, CommandGuard],
) -> None:
    link, clock, guard = guarded
    guard.send(make_command())
    clock.time = 0.9 * TIMEOUT
    assert not guard.damping
    clock.time = 1.1 * TIMEOUT
    link.wait_for(2)
    assert guard.damping
    assert not link.written[1].stiffness.any()
    assert np.array_equal(link.written[1].damping, GAINS)
    guard.send(make_command())
    assert not guard.damping
    assert len(link.written) == 3, "it damps once"


def test_who_stops_damps(guarded: tuple[Any, Clock, CommandGuard]) -> None:
    link, _, guard = guarded
    guard.send(make_command())
    guard.stop()
    assert np.array_equal(link.written[-1].damping, GAINS)
    assert not link.written[-1].stiffness.any()
