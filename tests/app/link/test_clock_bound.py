"""The age of what another machine says is never told too young, and too old by no more than a round trip."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.app.link.clock_bound import MAX_DRIFT, ClockBound
from handhold.app.link.messages import Heard

RUN = 7

delays = st.floats(0.0, 2.0)


@given(
    offset=st.floats(-1e6, 1e6),
    drift=st.floats(-MAX_DRIFT / 2, MAX_DRIFT / 2),
    trips=st.lists(st.tuples(delays, delays, st.floats(0.0, 1.0)), min_size=1, max_size=30),
)
def test_an_age_is_never_too_young_and_too_old_by_no_more_than_the_shortest_way_there(
    offset: float, drift: float, trips: list[tuple[float, float, float]]
) -> None:
    def other_clock(true: float) -> float:
        return offset + (1.0 + drift) * true

    bound = ClockBound()
    true = 100.0
    shortest = float("inf")
    lasting = 0.0
    for there, back, pause in trips:
        true += pause
        sent_here = true
        heard_at = true + there
        said = heard_at  # it answers at once
        true = said + back
        lasting += pause + there + back
        shortest = min(shortest, there)
        earliest = bound.earliest(other_clock(said), Heard(RUN, sent_here, other_clock(heard_at)), true)
        rounding = 1e-7 + 1e-9 * abs(offset)
        assert earliest <= said + rounding
        assert earliest >= said - shortest - 2 * MAX_DRIFT * lasting - rounding


@pytest.mark.parametrize("late", [0.06, 0.5, 2.0])
def test_a_link_that_is_late_all_the_time_is_seen_to_be_late(late: float) -> None:
    bound = ClockBound()
    for beat in range(100):
        now = 10.0 + beat / 60.0
        earliest = bound.earliest(now - late, Heard(RUN, now - late, now - late), now)
        assert now - earliest == pytest.approx(late, rel=2.0 * MAX_DRIFT)


def test_a_link_whose_answers_alone_are_late_is_taken_for_late() -> None:
    """What was heard half a second after it was said may have been answered at once, or not: the older is believed."""
    bound = ClockBound()
    now = 10.0
    assert now - bound.earliest(now, Heard(RUN, now - 0.5, now), now) == pytest.approx(0.5, rel=2.0 * MAX_DRIFT)


def test_one_fast_answer_makes_a_later_slow_one_known() -> None:
    bound = ClockBound()
    bound.earliest(10.0, Heard(RUN, 9.999, 10.0), 10.0)
    # from now on nothing is heard any more, while what is said takes 0.3 s
    assert 11.0 - bound.earliest(10.7, Heard(RUN, 9.999, 10.0), 11.0) == pytest.approx(0.3, abs=2e-3)


def test_what_was_heard_long_ago_bounds_less_by_the_drift_since() -> None:
    bound, now = ClockBound(), 1000.0
    age = now - bound.earliest(now, Heard(RUN, 0.0, 0.0), now)
    assert age == pytest.approx(MAX_DRIFT * now)
    assert bound.earliest(now + 9.0, Heard(RUN, 0.0, 0.0), now + 9.0) == pytest.approx((1.0 - MAX_DRIFT) * (now + 9.0))


def test_a_clock_that_stood_still_while_its_machine_slept_makes_nothing_younger() -> None:
    bound = ClockBound()
    bound.earliest(10.0, Heard(RUN, 10.0, 10.0), 10.0)
    # this machine slept for 5 s: its clock shows 10.1, the other one's 15.1
    assert 10.1 - bound.earliest(15.1, Heard(RUN, 10.05, 15.05), 10.1) == pytest.approx(0.0, abs=MAX_DRIFT)
    assert 10.4 - bound.earliest(15.2, Heard(RUN, 10.05, 15.05), 10.4) == pytest.approx(0.2, abs=1e-3)


def test_nothing_has_happened_later_than_now() -> None:
    bound = ClockBound()
    assert bound.earliest(10.5005, Heard(RUN, 10.0, 10.0), 10.5) == 10.5


def test_of_what_was_sent_while_this_machine_slept_nothing_is_known() -> None:
    bound = ClockBound()
    assert bound.earliest(100.0, Heard(RUN, 10.0, 10.0), 10.5) == -math.inf
    bound.earliest(10.0, Heard(RUN, 10.0, 10.0), 10.0)
    # it slept for 9 s after 10.1: whatever was sent meanwhile has heard nothing of this clock since
    for asleep in range(1, 10):
        assert bound.earliest(10.1 + asleep, Heard(RUN, 10.05, 10.05), 10.1) == -math.inf
    assert bound.earliest(19.3, Heard(RUN, 10.2, 19.2), 10.35) == pytest.approx(10.3, abs=1e-4)


def test_the_bound_sinks_with_time_and_not_with_the_number_of_messages() -> None:
    bound = ClockBound()
    bound.earliest(100.0, Heard(RUN, 100.0, 100.0), 100.0)
    for beat in range(1, 1001):
        now = 100.0 + 0.01 * beat
        # each was 0.3 s on its way, and answered another that was as late
        earliest = bound.earliest(now - 0.3, Heard(RUN, now - 0.6, now - 0.3), now)
    assert now - earliest == pytest.approx(0.3 + MAX_DRIFT * 10.0, abs=1e-6)
