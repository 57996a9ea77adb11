"""The clutch of one hand, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.retarget.engagement.clutch import ARMED, OPEN, Clutch, step_clutch

HAND, REACHED = np.diag([1.0, 2.0, 3.0, 1.0]), np.diag([4.0, 5.0, 6.0, 1.0])


def step(clutch: Clutch, squeeze: float, *, hand: np.ndarray | None = HAND, at_rest: bool = True) -> Clutch:
    return step_clutch(clutch, squeeze, hand, REACHED, at_rest=at_rest)


def engaged() -> Clutch:
    return step(ARMED, 1.0)


def test_a_clutch_is_open_and_not_armed_at_the_start() -> None:
    assert (OPEN.armed, OPEN.engaged, OPEN.hand, OPEN.reference) == (False, False, None, None)
    assert (ARMED.armed, ARMED.engaged, ARMED.hand, ARMED.reference) == (True, False, None, None)


@pytest.mark.parametrize(("squeeze", "closes"), [(0.31, False), (0.69, False), (0.7, True), (1.0, True)])
def test_an_armed_clutch_closes_from_seven_tenths_of_a_squeeze(squeeze: float, closes: bool) -> None:
    after = step(ARMED, squeeze)
    assert (after.armed, after.engaged) == (True, closes)
    if not closes:
        assert after is ARMED


def test_a_clutch_keeps_where_both_hands_were_when_it_closed() -> None:
    reached = REACHED.astype(np.float32)
    closed = step_clutch(ARMED, 1.0, HAND, reached, at_rest=True)
    assert closed.engaged is True
    assert closed.hand is HAND
    np.testing.assert_array_equal(closed.reference, REACHED)
    assert closed.reference.dtype == np.float64
    reached[:] = 0.0
    np.testing.assert_array_equal(closed.reference, REACHED)
    assert step(closed, 0.5) is closed
    assert step(closed, 1.0) is closed, "it does not close again"


@pytest.mark.parametrize("squeeze", [0.0, 0.2, 0.3])
@pytest.mark.parametrize("before", [OPEN, ARMED, engaged()])
def test_a_squeeze_that_is_let_go_opens_and_arms(before: Clutch, squeeze: float) -> None:
    assert step(before, squeeze) is ARMED
    assert step(before, squeeze, at_rest=False) is ARMED


@pytest.mark.parametrize("squeeze", [0.31, 0.7, 1.0])
def test_a_squeeze_that_was_never_seen_let_go_does_not_close(squeeze: float) -> None:
    assert step(OPEN, squeeze) is OPEN


def test_a_clutch_closes_only_once_the_robots_hand_is_at_rest() -> None:
    assert step(ARMED, 1.0, at_rest=False) is ARMED
    assert step(step(ARMED, 1.0, at_rest=False), 1.0).engaged


@pytest.mark.parametrize("squeeze", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("before", [OPEN, ARMED, engaged()])
def test_whatever_keeps_a_hand_from_moving_the_robot_opens_and_disarms(before: Clutch, squeeze: float) -> None:
    assert step(before, squeeze, hand=None) is OPEN
