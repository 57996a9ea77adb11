"""The stop that is latched on the host: by clicks of both sticks as they are, and by words."""

from __future__ import annotations

import pytest

from handhold.devices.stop import Stop
from handhold.retarget.engagement.latched_stop import DAMP_AFTER, NOT_STOPPED, LatchedStop, ask_stop, step_stop

KINDS = (Stop.NONE, Stop.HOLD, Stop.DAMP)
SEVERITY = {kind: number for number, kind in enumerate(KINDS)}


def press(stop: LatchedStop, *pressed: bool, may_resume: bool = True, dt: float = 0.01) -> LatchedStop:
    for down in pressed:
        stop = step_stop(stop, pressed=down, may_resume=may_resume, dt=dt)
    return stop


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [Stop.HOLD, Stop.DAMP])
def test_a_word_stops_whatever_was_before_and_never_makes_it_milder(kind: Stop, asked: Stop) -> None:
    for may_resume in (False, True):
        after = ask_stop(LatchedStop(kind=kind, pressed=True, held=0.3), asked, may_resume=may_resume)
        assert after.kind == max(kind, asked, key=SEVERITY.__getitem__)
        assert (after.pressed, after.held) == (True, 0.3)


@pytest.mark.parametrize(
    ("kind", "may_resume", "after"),
    [(Stop.HOLD, True, Stop.NONE), (Stop.HOLD, False, Stop.HOLD), (Stop.DAMP, True, Stop.DAMP)],
)
def test_a_resume_ends_a_hold_and_only_where_it_may(kind: Stop, may_resume: bool, after: Stop) -> None:
    assert ask_stop(LatchedStop(kind=kind), Stop.RESUME, may_resume=may_resume).kind == after


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_asks_nothing(kind: Stop) -> None:
    stop = LatchedStop(kind=kind)
    assert ask_stop(stop, Stop.NONE, may_resume=True) is stop


@pytest.mark.parametrize("may_resume", [False, True])
def test_a_click_stops_at_once_and_stays_when_it_is_let_go(may_resume: bool) -> None:
    assert press(NOT_STOPPED, True, may_resume=may_resume).kind == Stop.HOLD
    assert press(NOT_STOPPED, True, False, False, may_resume=may_resume).kind == Stop.HOLD


@pytest.mark.parametrize(("may_resume", "kind"), [(True, Stop.NONE), (False, Stop.HOLD)])
def test_the_next_click_goes_on_where_it_may(may_resume: bool, kind: Stop) -> None:
    held = press(NOT_STOPPED, True, False)
    again = press(held, True, may_resume=may_resume)
    assert again.kind == kind
    assert press(again, True, True, False, may_resume=True).kind == kind, "one click counts once"


def test_sticks_held_for_a_second_damp_and_nothing_that_they_do_ends_it() -> None:
    almost = press(NOT_STOPPED, True, *[True] * 99)
    assert almost.kind == Stop.HOLD
    assert press(almost, True).kind == Stop.DAMP
    assert press(almost, True, True, False, True, False, True).kind == Stop.DAMP
    assert press(press(NOT_STOPPED, True), True, dt=1.0).kind == Stop.DAMP


@pytest.mark.parametrize(("dt", "kind"), [(DAMP_AFTER - 5e-10, Stop.DAMP), (DAMP_AFTER - 5e-9, Stop.HOLD)])
def test_a_second_short_by_rounding_is_a_second(dt: float, kind: Stop) -> None:
    assert press(press(NOT_STOPPED, True), True, dt=dt).kind == kind


def test_sticks_that_were_let_go_begin_their_second_anew() -> None:
    half = press(NOT_STOPPED, True, True, dt=0.6)
    released = press(half, False)
    assert (released.kind, released.pressed, released.held) == (Stop.HOLD, False, 0.0)
    again = press(released, True, may_resume=False)
    assert press(again, True, dt=0.6).kind == Stop.HOLD


def test_a_click_while_damped_or_kept_from_going_on_counts_from_its_beginning() -> None:
    for kind in (Stop.HOLD, Stop.DAMP):
        clicked = press(LatchedStop(kind=kind, held=0.7), True, may_resume=False, dt=0.5)
        assert clicked == LatchedStop(kind=kind, pressed=True, held=0.0)


def test_a_stop_that_goes_on_by_a_click_may_still_be_held_on_to_damp() -> None:
    resumed = press(NOT_STOPPED, True, False, True)
    assert resumed == LatchedStop(kind=Stop.NONE, pressed=True, held=0.0)
    assert press(resumed, True, dt=1.0).kind == Stop.DAMP


def test_nothing_is_stopped_and_no_stick_is_down_at_the_start() -> None:
    assert LatchedStop(kind=Stop.NONE, pressed=False, held=0.0) == NOT_STOPPED
    assert NOT_STOPPED.pressed is False


def test_sticks_that_are_up_change_nothing() -> None:
    for kind in KINDS:
        stop = LatchedStop(kind=kind)
        assert press(stop, False) is stop
