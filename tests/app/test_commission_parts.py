"""Who answers the check list, what keeps a robot on its way from hand to hand, and what judges what it tells."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from handhold.app.commission.answers import Terminal
from handhold.app.commission.finding import Finding
from handhold.app.commission.hanging import find_braking
from handhold.app.commission.kept_link import KeptLink
from handhold.app.commission.listening import judge_arrival
from handhold.app.commission.standing import judge_pressure
from handhold.app.stand_in.hoist import SPEED, StandInHoist
from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unitree_robot import PERIOD


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_person_answers_in_whole_lines_and_what_was_typed_before_is_no_answer(pipe: tuple[int, int]) -> None:
    said: list[str] = []
    terminal = Terminal(pipe[0], said.append)
    os.write(pipe[1], b"yes\n")
    terminal.ask("Does it hang?")
    assert terminal.poll() is None
    os.write(pipe[1], b"perhaps\nye")
    assert terminal.poll() is None
    assert said[-1] == "say yes or no"
    os.write(pipe[1], b"s\n")
    assert terminal.poll() is True
    terminal.ask("And now?")
    os.write(pipe[1], b"n\n")
    assert terminal.poll() is False


def test_who_closes_the_terminal_says_no() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    terminal = Terminal(reading, lambda _words: None)
    terminal.ask("Does it hang?")
    assert terminal.poll() is False
    os.close(reading)


@pytest.mark.parametrize(
    ("value", "holds"), [(0.5, False), (1.0, True), (2.0, True), (2.1, False), (math.nan, False), (math.inf, False)]
)
def test_a_finding_holds_between_its_limits_and_never_where_nothing_was_measured(value: float, holds: bool) -> None:
    finding = Finding(name="mass", value=value, unit="kg", least=1.0, most=2.0)
    assert finding.holds is holds
    assert finding.limit_words == "at least 1 kg, at most 2 kg"
    assert (finding.to_json()["value"] is None) is not math.isfinite(value)


class Link:
    """A link that takes note of what is sent."""

    interface, motors, damped = "made up", 2, False

    def __init__(self) -> None:
        self.now, self.sent = 0.0, list[tuple[float, JointCommand]]()
        self.has_several = threading.Event()

    def clock(self) -> float:
        return self.now

    def sleep(self, duration: float) -> None:
        self.now += duration

    def write(self, command: JointCommand) -> None:
        self.sent.append((self.now, command))
        if len(self.sent) > 3:
            self.has_several.set()


def make_command(value: float) -> JointCommand:
    values = np.full(2, value)
    return JointCommand(time=0.0, positions=values, velocities=values, torques=values, stiffness=values, damping=values)


def test_a_robot_is_kept_while_who_takes_it_over_waits_and_no_more_once_it_is_commanded() -> None:
    link: Any = Link()
    held, other = make_command(1.0), make_command(2.0)
    kept = KeptLink(link, held, link.clock, link.sleep)
    kept.sleep(0.3)
    times = [time for time, _ in link.sent]
    assert max(np.diff(times)) < 1.5 * PERIOD
    kept.write(other)
    count = len(link.sent)
    kept.sleep(0.3)
    assert [command for _, command in link.sent] == [held] * (count - 1) + [other]


def test_a_robot_is_kept_while_something_is_computed() -> None:
    link: Any = Link()
    ticks = iter(range(10**6))
    kept = KeptLink(link, make_command(1.0), lambda: next(ticks) * PERIOD, link.sleep)
    with kept.keeping():
        assert link.has_several.wait(60.0)
    assert "keeper" not in [thread.name for thread in threading.enumerate()]


def make_reading(time: float, torque: float = 1.0) -> MotorReading:
    ones = np.ones(2)
    return MotorReading(
        time=time,
        positions=ones,
        velocities=ones,
        torques=torque * ones,
        temperatures=ones,
        voltages=ones,
        angular_velocity=np.zeros(3),
        specific_force=np.ones(3),
        quaternion=np.ones(4),
    )


def test_states_that_stay_away_are_told_by_their_gap_and_rate() -> None:
    times = [*np.arange(0.0, 1.0, PERIOD), *np.arange(1.02, 2.0, PERIOD)]
    rate, gap = judge_arrival([make_reading(time) for time in times])
    assert rate.holds
    assert not gap.holds
    assert gap.value == pytest.approx(22.0, abs=0.1)
    assert not any(finding.holds for finding in judge_arrival([make_reading(0.0)]))


def test_braking_is_told_by_torques_that_go() -> None:
    readings = [make_reading(0.002 * k, torque=1.0 if k < 10 else 0.1) for k in range(20)]
    assert find_braking(np.ones(2), readings) == pytest.approx(0.02)
    assert math.isnan(find_braking(np.ones(2), readings[:10]))


def test_the_centre_of_pressure_is_told_as_a_part_of_the_sole() -> None:
    foot = next(effector for effector in load_model("g1").effectors if effector.standing)
    assert foot.half_lengths is not None
    force, (x, y) = 200.0, foot.half_lengths
    ahead = np.array([0.0, 0.0, force, 0.0, -0.5 * x * force, 0.0])
    aside = np.array([0.0, 0.0, force, 1.2 * y * force, 0.0, 0.0])
    assert judge_pressure(foot, ahead).value == pytest.approx(0.5)
    assert not judge_pressure(foot, aside).holds


class Hung:
    """What hangs on a hoist."""

    def __init__(self) -> None:
        self.height, self.hangs = 0.1, True

    def raise_hoist(self, height: float) -> None:
        self.height += height

    def hang_up(self) -> None:
        self.hangs = True


def test_a_hoist_lowers_a_robot_lets_it_go_and_lifts_it_again() -> None:
    body: Any = Hung()
    hoist = StandInHoist(body, 0.1)
    hoist.step()
    assert (body.height, hoist.moves) == (0.1, False)
    hoist.begin_lowering()
    steps = 0
    while hoist.moves:
        assert body.hangs
        hoist.step()
        steps += 1
    assert steps == pytest.approx(0.1 / SPEED / PERIOD, abs=1.0)
    assert body.height == pytest.approx(0.0, abs=1e-9)
    assert not body.hangs
    hoist.begin_lift()
    while hoist.moves:
        hoist.step()
    assert body.hangs
    assert body.height == pytest.approx(0.1)
