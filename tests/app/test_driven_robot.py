"""A robot that keeps its own time, as the control loop drives it: its rhythm, how it is damped, and how it is handed back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from handhold.app.host.command_rate import MIN_RATIO, RESUME_RATIO, WINDOW
from handhold.app.host.driven_robot import DAMPED, HELD, DampedRobot, OwnTimeRobot
from handhold.app.host.loop_clocks import LoopClocks
from handhold.robots.health import HealthLimits, RobotHealth

PERIOD = 2e-3


class Robot:
    """A robot that tells its state each period."""

    period = PERIOD
    health_limits = HealthLimits(warm=75.0, hot=85.0, cooling=5.0, low=45.5, empty=42.9, charging=1.0)

    def __init__(self) -> None:
        self.health = RobotHealth(hottest="left knee", temperature=40.0, voltage=50.0)
        self.now = 0.0
        self.damped = self.is_given_up = self.is_handed_back = self.returned = False

    def wait(self) -> None:
        self.now += PERIOD

    def hand_back(self) -> None:
        self.is_handed_back = True


@pytest.fixture
def robot() -> Robot:
    return Robot()


@pytest.fixture
def driven(robot: Any) -> OwnTimeRobot:
    return OwnTimeRobot(robot, LoopClocks(monotonic=lambda: robot.now))


def pass_time(driven: OwnTimeRobot, duration: float) -> None:
    for _ in range(round(duration / PERIOD)):
        driven.wait()


def test_a_cycle_begins_when_it_tells_its_state(driven: OwnTimeRobot, robot: Robot) -> None:
    assert driven.wait() == pytest.approx(PERIOD)
    assert driven.wait() == pytest.approx(2.0 * PERIOD)


@pytest.mark.parametrize(("missed", "is_too_rare"), [(6, False), (8, True)])
def test_where_more_than_every_other_state_is_missed_it_is_rate_too_low(
    driven: OwnTimeRobot, robot: Robot, missed: int, is_too_rare: bool
) -> None:
    for cycle in range(1000):
        robot.now += missed * PERIOD if cycle % 7 == 0 else 0.0
        driven.wait()
    assert driven.is_rate_too_low == is_too_rare
    pass_time(driven, 2.0 * WINDOW)
    assert not driven.is_rate_too_low


def test_one_that_was_commanded_too_rarely_moves_again_once_it_is_commanded_often_enough(
    driven: OwnTimeRobot, robot: Robot
) -> None:
    pass_time(driven, 2.0 * WINDOW)
    robot.now += 1.5 * WINDOW
    driven.wait()
    assert driven.is_rate_too_low
    pass_time(driven, 0.95 * RESUME_RATIO * WINDOW)
    assert driven.is_rate_too_low
    pass_time(driven, 0.1 * RESUME_RATIO * WINDOW)
    assert not driven.is_rate_too_low


def test_one_that_is_missed_for_a_moment_once_is_commanded_often_enough(driven: OwnTimeRobot, robot: Robot) -> None:
    pass_time(driven, WINDOW)
    robot.now += 0.9 * (1.0 - MIN_RATIO) * WINDOW
    for _ in range(round(WINDOW / PERIOD)):
        driven.wait()
        assert not driven.is_rate_too_low


def test_nothing_is_too_rare_before_a_window_has_passed(driven: OwnTimeRobot, robot: Robot) -> None:
    for _ in range(10):
        robot.now += 0.04
        driven.wait()
        assert not driven.is_rate_too_low


def test_a_short_damping_is_gone_through_and_a_long_one_ends_the_session(driven: OwnTimeRobot, robot: Robot) -> None:
    robot.damped = True
    pass_time(driven, 0.8 * DAMPED)
    robot.damped = False
    pass_time(driven, DAMPED)
    robot.damped = True
    with pytest.raises(DampedRobot):
        pass_time(driven, 1.2 * DAMPED)


def test_once_handed_back_it_is_held_until_its_maker_can_have_taken_it(driven: OwnTimeRobot, robot: Robot) -> None:
    assert "holds its posture" in driven.begin_end()
    assert robot.is_handed_back
    pass_time(driven, 1.0)
    assert not driven.has_ended
    robot.returned = True
    pass_time(driven, 0.9 * HELD)
    assert not driven.has_ended
    pass_time(driven, 0.2 * HELD)
    assert driven.has_ended


def test_one_that_is_given_up_is_not_held_again(driven: OwnTimeRobot, robot: Robot) -> None:
    robot.is_given_up = True
    assert "damped" in driven.begin_end()
    assert not robot.is_handed_back
    assert driven.has_ended


def test_one_whose_commands_were_late_just_now_is_handed_back_all_the_same(driven: OwnTimeRobot, robot: Robot) -> None:
    robot.damped = True
    assert "holds its posture" in driven.begin_end()
    assert robot.is_handed_back
    with pytest.raises(DampedRobot):
        pass_time(driven, 1.2 * DAMPED)


def test_how_it_is_is_looked_at_while_it_is_waited_for(driven: OwnTimeRobot, robot: Robot) -> None:
    pass_time(driven, 1.0)
    assert driven.health.health is robot.health
    assert not driven.health.ending
    robot.health = replace(robot.health, temperature=90.0)
    pass_time(driven, 1.0)
    assert "left knee motor at 90 C" in driven.health.ending
