"""Every number of a sender is taken once, in whatever order they come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handhold.app.link.replay_window import WINDOW, ReplayWindow


@given(numbers=st.lists(st.integers(-5, 3 * WINDOW), max_size=300))
def test_no_number_is_taken_twice_and_each_new_one_within_the_window_is(numbers: list[int]) -> None:
    window = ReplayWindow()
    taken: set[int] = set()
    for number in numbers:
        newest = max(taken, default=0)
        new = number >= 1 and number not in taken and number > newest - WINDOW
        assert window.take(number) is new
        if new:
            taken.add(number)
        assert window.newest == max(taken, default=0)


def test_a_number_far_ahead_forgets_all_before_it_and_takes_none_of_them_again() -> None:
    window = ReplayWindow()
    assert all(window.take(number) for number in range(1, 10))
    assert window.take(2**62)
    assert not any(window.take(number) for number in range(1, 10))
    assert window.take(2**62 - WINDOW + 1)
    assert not window.take(2**62 - WINDOW)


def test_the_oldest_number_of_the_window_is_remembered() -> None:
    window = ReplayWindow()
    assert window.take(1)
    assert window.take(WINDOW)
    assert not window.take(1)


def test_a_late_number_is_remembered_as_well() -> None:
    window = ReplayWindow()
    assert [window.take(number) for number in (5, 3, 3, 4, 4, 2, 2, 5)] == [True, True, False, True, False, True, False, False]


def test_what_is_remembered_stays_within_the_window_however_long_it_goes_on() -> None:
    window = ReplayWindow()
    for number in range(1, 10 * WINDOW):
        window.take(number)
    assert window._taken.bit_length() == WINDOW


def test_the_window_is_as_long_as_that_of_ipsec() -> None:
    assert WINDOW == 64
