"""Cadence and pacing, with clocks of our own."""

from __future__ import annotations

import pytest

from handhold.app.host.cadence import Cadence
from handhold.app.host.pacing import CATCH_UP, Pacing

DT = 0.001

ROUNDING = 1e-9
"""Sums of periods differ from their product by rounding [s]."""


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, time: float) -> None:
        self.now += time


def run_cycle(cadence: Cadence, clock: Clock, control: float, physics: float = 0.0) -> None:
    cadence.begin()
    clock.pass_by(control)
    cadence.mark("control")
    clock.pass_by(physics)
    cadence.mark("physics")
    cadence.end()


def test_a_cycle_over_its_budget_is_counted_with_the_worst_and_the_longest_run() -> None:
    clock = Clock()
    cadence = Cadence(DT, clock)
    for control in (0.0005, 0.0011, 0.0012, 0.0005, 0.003):
        run_cycle(cadence, clock, control)
    report = cadence.report(wall_time=0.01, lag=0.0)
    assert (report.cycles, report.over_budget, report.longest_run) == (5, 3, 2)
    assert report.worst == pytest.approx(0.003)
    assert report.worst_cycle == 4
    assert report.rate == pytest.approx(500.0)


def test_physics_is_timed_but_no_part_of_the_budget() -> None:
    clock = Clock()
    cadence = Cadence(DT, clock)
    run_cycle(cadence, clock, 0.0006, physics=0.0018)
    assert cadence.over_budget == 0
    assert cadence.report(0.01, 0.0).shares == pytest.approx({"control": 0.25, "physics": 0.75})


def test_what_passes_between_two_cycles_counts_for_neither() -> None:
    clock = Clock()
    cadence = Cadence(DT, clock)
    run_cycle(cadence, clock, 0.0005)
    clock.pass_by(1.0)
    run_cycle(cadence, clock, 0.0005)
    assert cadence.over_budget == 0


def test_a_session_without_a_cycle_has_a_report() -> None:
    report = Cadence(DT, Clock()).report(0.0, 0.0)
    assert report.rate == 0.0
    assert report.to_lines()


def test_the_robots_clock_never_runs_ahead_of_the_wall_clock() -> None:
    clock = Clock()
    pacing = Pacing(DT, clock, clock.pass_by)
    for cycle in range(1000):
        assert pacing.wait() >= 100.0 + cycle * DT - ROUNDING
    assert pacing.lag == 0.0


def test_a_short_delay_is_caught_up() -> None:
    clock = Clock()
    pacing = Pacing(DT, clock, clock.pass_by)
    pacing.wait()
    clock.pass_by(0.5 * CATCH_UP)
    for _ in range(50):
        pacing.wait()
    assert clock.now == pytest.approx(100.0 + 50 * DT, abs=ROUNDING)
    assert pacing.lag == 0.0


def test_a_long_delay_is_left_behind_and_told() -> None:
    clock = Clock()
    pacing = Pacing(DT, clock, clock.pass_by)
    pacing.wait()
    clock.pass_by(1.0)
    cycles_at_once = 0
    while True:
        before = clock.now
        pacing.wait()
        if clock.now > before:
            break
        cycles_at_once += 1
    assert cycles_at_once <= CATCH_UP / DT + 1
    assert pacing.lag == pytest.approx(1.0 - DT - CATCH_UP, abs=ROUNDING)
