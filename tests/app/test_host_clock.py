"""When something was measured on the host, by the station's clock."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.app.link.host_clock import MAX_DRIFT, HostClock

ROUNDING = 1e-6
"""Clocks count from up to a year ago [s]."""
TRANSITS = st.lists(st.floats(0.0, 0.9), min_size=1, max_size=30)
PERIOD = 1.0 / 60.0


@given(transits=TRANSITS, address=st.sampled_from(["127.0.0.1", "localhost", "::1"]))
def test_on_one_machine_the_whole_transit_counts(transits: list[float], address: str) -> None:
    clock = HostClock(address)
    for k, transit in enumerate(transits):
        measured = 100.0 + k
        assert clock.convert(measured, measured + transit) == measured


@given(transits=TRANSITS, offset=st.floats(-3e7, 3e7), address=st.sampled_from(["robot.local", "not-localhost"]))
def test_between_machines_all_but_the_shortest_transit_counts(transits: list[float], offset: float, address: str) -> None:
    clock = HostClock(address)
    shortest, grown = math.inf, 0.0
    for k, transit in enumerate(transits):
        arrived = 1000.0 + k + transit
        age = arrived - clock.convert(1000.0 + k + offset, arrived)
        shortest = min(shortest, transit)
        grown += 2.0 * MAX_DRIFT
        assert transit - shortest - grown - ROUNDING <= age <= transit - shortest + ROUNDING
        assert age >= 0.0


def test_a_tunnel_to_another_machine_is_no_shared_clock() -> None:
    clock = HostClock("127.0.0.1")
    clock.convert(5000.0, 20.0)
    assert 21.2 - clock.convert(5001.0, 21.2) == pytest.approx(0.2, abs=1e-3)


def test_clocks_that_drift_apart_make_no_age() -> None:
    clock = HostClock("robot.local")
    ages = []
    for k in range(36000):  # 10 min at 60 Hz, one clock 50 ppm slow
        arrived = k * PERIOD
        ages.append(arrived - clock.convert(arrived * (1.0 - 5e-5), arrived))
    assert max(ages) < 1e-5  # [s]


def test_a_host_whose_machine_was_started_again_is_believed_anew() -> None:
    clock = HostClock("robot.local")
    clock.convert(90_000.0, 100.0)
    assert clock.convert(12.0, 130.0) == pytest.approx(130.0)
    assert clock.convert(13.0, 131.5) == pytest.approx(131.0, abs=1e-3)


def test_what_was_not_told_counts_from_its_arrival() -> None:
    assert HostClock("127.0.0.1").convert(math.nan, 7.0) == 7.0
