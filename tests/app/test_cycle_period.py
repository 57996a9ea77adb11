"""How long a cycle is, by the robot's clock and the host's."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.app.host.cycle_period import CyclePeriod
from handhold.robots.robot import MAX_PERIOD

PERIOD = 2e-3


def measure_all(times: list[float], clock: list[float] | None = None) -> list[float]:
    period = CyclePeriod(PERIOD)
    return [period.measure(time, now) for time, now in zip(times, clock or times, strict=True)]


def test_the_first_cycle_is_one_period_long() -> None:
    assert measure_all([7.0]) == [PERIOD]


def test_a_state_that_was_missed_counts() -> None:
    assert measure_all([0.0, 0.002, 0.006, 0.008]) == pytest.approx([0.002, 0.002, 0.004, 0.002])


def test_jitter_of_arrivals_changes_no_period() -> None:
    times = np.arange(500) * PERIOD + np.random.default_rng(0).uniform(-4e-4, 4e-4, 500)
    assert set(measure_all(times.tolist())) == {PERIOD}


def test_the_reference_keeps_to_the_time_of_a_robot_whose_states_are_missed_at_random() -> None:
    random = np.random.default_rng(1)
    times = np.cumsum(PERIOD * random.integers(1, 5, 400)) + random.uniform(-4e-4, 4e-4, 400)
    assert sum(measure_all(times.tolist())) == pytest.approx(times[-1] - times[0], abs=2 * PERIOD)


def test_a_robot_that_stood_still_for_long_is_not_made_to_hurry() -> None:
    assert measure_all([0.0, 1.0, 1.002, 1.004]) == pytest.approx([0.002, MAX_PERIOD, 0.002, 0.002])


def test_where_the_robot_told_nothing_what_really_passed_counts_and_is_not_counted_again() -> None:
    lengths = measure_all([0.0, 0.002, 0.002, 0.008, 0.010], [0.0, 0.002, 0.006, 0.008, 0.010])
    assert lengths == pytest.approx([0.002, 0.002, 0.004, 0.002, 0.002])


def test_states_that_come_in_a_bunch_after_a_delay_are_made_up_for_at_the_next_one() -> None:
    told = [0.0, 0.002, 0.004, 0.012, 0.0125, 0.013, 0.014, 0.020, 0.022]
    lengths = measure_all(told)
    assert min(lengths) == PERIOD
    assert sum(lengths[1:]) == pytest.approx(told[-1] - told[0], abs=PERIOD)
