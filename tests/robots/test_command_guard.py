"""What a robot is sent: its commands, or damping once they cease, though its maker's library would repeat the last one."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.robots.robot import JointCommand
from handhold.robots.unitree.command_guard import LATCH, CommandGuard

TIMEOUT = 0.02
GAINS = np.full(3, 5.0)
LATE = 1.1 * TIMEOUT


def make_command() -> JointCommand:
    values = np.ones(3)
    return JointCommand(time=1.0, positions=values, velocities=values, torques=values, stiffness=values, damping=values)


@pytest.fixture
def guard() -> CommandGuard:
    return CommandGuard(GAINS, TIMEOUT)


def damps(command: JointCommand | None) -> bool:
    return (
        command is not None
        and bool(np.array_equal(command.damping, GAINS))
        and not command.stiffness.any()
        and not command.torques.any()
    )


def test_nothing_is_sent_before_the_first_command(guard: CommandGuard) -> None:
    assert guard.update(None, 0.0, 10.0) is None
    assert not guard.damping


def test_once_a_command_is_too_old_the_robot_is_damped_once(guard: CommandGuard) -> None:
    command = make_command()
    assert guard.update(command, 1.0, 1.0) is command
    assert guard.update(None, 0.0, 1.0 + 0.9 * TIMEOUT) is None
    assert damps(guard.update(None, 0.0, 1.0 + LATE))
    assert guard.damping
    assert guard.update(None, 0.0, 1.0 + 2.0 * LATE) is None


def test_a_command_that_was_long_on_its_way_is_none(guard: CommandGuard) -> None:
    assert guard.update(make_command(), 1.0, 1.0 + LATE) is None
    assert not guard.damping, "nobody has ever commanded it"
    guard.update(make_command(), 2.0, 2.0)
    assert damps(guard.update(make_command(), 2.001, 2.001 + LATE))


def test_a_short_silence_is_made_good_by_the_next_command_and_a_long_one_by_taking_over_anew_only(guard: CommandGuard) -> None:
    guard.update(make_command(), 1.0, 1.0)
    guard.update(None, 0.0, 1.0 + LATE)
    assert not damps(guard.update(make_command(), 1.03, 1.03))
    assert not guard.damping
    guard.update(None, 0.0, 1.03 + LATE)
    later = 1.03 + LATE + LATCH
    assert guard.update(make_command(), later, later) is None
    assert guard.damping
    guard.release()
    command = make_command()
    assert guard.update(command, later, later) is command
