"""What the machine's mood does to timings, and how it is taken out again."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.app.lab.benches.timing import KernelClock


def make_clock(times: list[float]) -> KernelClock:
    """Return a clock whose solves took these times [us]."""
    clock = KernelClock()
    clock._times = [round(1e3 * time) for time in times]
    return clock


def test_a_slow_while_is_divided_out_and_a_slow_tick_is_not() -> None:
    clock = make_clock([100.0] * 20 + [200.0] * 20)
    ticks = np.array([500.0] * 200 + [1000.0] * 200)
    ticks[50] = 1500.0
    spread = ticks / clock.spread_over(400)
    assert spread[50] == pytest.approx(15.0)
    about_the_change = np.abs(np.arange(400) - 200) <= 50
    assert np.delete(spread, 50)[~np.delete(about_the_change, 50)] == pytest.approx(5.0)


def test_a_single_slow_solve_excuses_nothing() -> None:
    clock = make_clock([100.0] * 10 + [1000.0] + [100.0] * 10)
    assert clock.spread_over(210) == pytest.approx(100.0)


def test_fewer_solves_than_neighbours_are_taken_together() -> None:
    assert make_clock([100.0, 300.0]).spread_over(4) == pytest.approx(200.0)
