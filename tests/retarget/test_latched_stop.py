"""The stop that is latched on the host: by clicks of both sticks as they are, and by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.latched_stop import DAMP_AFTER, NOT_STOPPED, LatchedStop, ask_stop, step_stop

KINDS = ("", "hold", "damp")
SEVERITY = {kind: number for number, kind in enumerate(KINDS)}


def press(stop: LatchedStop, *pressed: bool, may_resume: bool = True, dt: float = 0.01) -> LatchedStop:
    for down in pressed:
        stop = step_stop(stop, pressed=down, may_resume=may_resume, dt=dt)
    return stop


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", ["hold", "damp"])
def test_a_word_stops_whatever_was_before_and_never_makes_it_milder(kind: str, asked: str) -> None:
    for may_resume in (False, True):
        after = ask_stop(LatchedStop(kind=kind, pressed=True, held=0.3), asked, may_resume=may_resume)
        assert after.kind == max(kind, asked, key=SEVERITY.__getitem__)
        assert (after.pressed, after.held) == (True, 0.3)


@pytest.mark.parametrize(
    ("kind", "may_resume", "after"), [("hold", True, ""), ("hold", False, "hold"), ("damp", True, "damp")]
)
def test_a_resume_ends_a_hold_and_only_where_it_may(kind: str, may_resume: bool, after: str) -> None:
    assert ask_stop(LatchedStop(kind=kind), "resume", may_resume=may_resume).kind == after


@given(st.sampled_from(KINDS), st.text(max_size=8).filter(lambda word: word not in ("hold", "resume", "damp")))
def test_any_other_word_asks_nothing(kind: str, word: str) -> None:
    stop = LatchedStop(kind=kind)
    assert ask_stop(stop, word, may_resume=True) is stop


@pytest.mark.parametrize("may_resume", [False, True])
def test_a_click_stops_at_once_and_stays_when_it_is_let_go(may_resume: bool) -> None:
    assert press(NOT_STOPPED, True, may_resume=may_resume).kind == "hold"
    assert press(NOT_STOPPED, True, False, False, may_resume=may_resume).kind == "hold"


@pytest.mark.parametrize(("may_resume", "kind"), [(True, ""), (False, "hold")])
def test_the_next_click_goes_on_where_it_may(may_resume: bool, kind: str) -> None:
    held = press(NOT_STOPPED, True, False)
    again = press(held, True, may_resume=may_resume)
    assert again.kind == kind
    assert press(again, True, True, False, may_resume=True).kind == kind, "one click counts once"


def test_sticks_held_for_a_second_damp_and_nothing_that_they_do_ends_it() -> None:
    almost = press(NOT_STOPPED, True, *[True] * 99)
    assert almost.kind == "hold"
    assert press(almost, True).kind == "damp"
    assert press(almost, True, True, False, True, False, True).kind == "damp"
    assert press(press(NOT_STOPPED, True), True, dt=1.0).kind == "damp"


@pytest.mark.parametrize(("dt", "kind"), [(DAMP_AFTER - 5e-10, "damp"), (DAMP_AFTER - 5e-9, "hold")])
def test_a_second_short_by_rounding_is_a_second(dt: float, kind: str) -> None:
    assert press(press(NOT_STOPPED, True), True, dt=dt).kind == kind


def test_sticks_that_were_let_go_begin_their_second_anew() -> None:
    half = press(NOT_STOPPED, True, True, dt=0.6)
    let_go = press(half, False)
    assert (let_go.kind, let_go.pressed, let_go.held) == ("hold", False, 0.0)
    again = press(let_go, True, may_resume=False)
    assert press(again, True, dt=0.6).kind == "hold"


def test_a_click_while_damped_or_kept_from_going_on_counts_from_its_beginning() -> None:
    for kind in ("hold", "damp"):
        clicked = press(LatchedStop(kind=kind, held=0.7), True, may_resume=False, dt=0.5)
        assert clicked == LatchedStop(kind=kind, pressed=True, held=0.0)


def test_a_stop_that_goes_on_by_a_click_may_still_be_held_on_to_damp() -> None:
    resumed = press(NOT_STOPPED, True, False, True)
    assert resumed == LatchedStop(kind="", pressed=True, held=0.0)
    assert press(resumed, True, dt=1.0).kind == "damp"


def test_nothing_is_stopped_and_no_stick_is_down_at_the_start() -> None:
    assert LatchedStop(kind="", pressed=False, held=0.0) == NOT_STOPPED
    assert NOT_STOPPED.pressed is False


def test_sticks_that_are_up_change_nothing() -> None:
    for kind in KINDS:
        stop = LatchedStop(kind=kind)
        assert press(stop, False) is stop
