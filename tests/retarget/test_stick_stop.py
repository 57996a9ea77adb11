"""What the sticks of a headset mean: a stop is asked for until it is displayed, a resume only where nothing is in doubt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators import pose_at

from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample, OperatorSample, place_in_world
from handhold.devices.stop import Stop
from handhold.retarget.engagement.engagement import Engagement
from handhold.retarget.engagement.latched_stop import DAMP_AFTER
from handhold.retarget.engagement.stick_stop import (
    CHOICE_TIME,
    HOLD_AFTER,
    RESUME_SHOWS_WITHIN,
    STICKS_UP_TIME,
    StickStop,
    StopChoice,
    set_stop,
    step_stick_stop,
)

FRAME = 0.01  # [s] between two samples
POSE = pose_at(0.3, 0.0, 1.0)


def sample(
    left: bool = False, right: bool = False, *, tracked: tuple[bool, bool] = (True, True), squeeze: float = 0.0, **rest: object
) -> OperatorSample:
    """Return a sample with sticks that are down or up."""
    hands = (
        HandSample(pose=POSE if seen else None, squeeze=squeeze, buttons=Buttons(stick=down))
        for seen, down in zip(tracked, (left, right), strict=True)
    )
    values = {"time": 0.0, "device": "headset 1"} | rest
    return OperatorSample(left=next(hands), right=next(hands), **values)


def both(**values: object) -> OperatorSample:
    return sample(left=True, right=True, **values)


def play(
    samples: Iterable[OperatorSample], displayed: Stop | None = Stop.NONE, state: StickStop | None = None, dt: float = FRAME
) -> tuple[StickStop, list[str]]:
    """Return the state after some samples, and the word of each."""
    state, words = state or StickStop(), []
    for one in samples:
        state = step_stick_stop(state, one, displayed, dt)
        words.append(state.command)
    return state, words


def for_seconds(duration: float, one: OperatorSample) -> list[OperatorSample]:
    return [one] * round(duration / FRAME)


def rested(displayed: Stop | None = Stop.NONE) -> StickStop:
    """Return the state of an operator who has not touched the sticks for a second, with both hands seen."""
    return play(for_seconds(1.0, sample()), displayed)[0]


def test_both_sticks_ask_for_a_hold_at_once_and_until_it_is_displayed() -> None:
    state, words = play([both(), *for_seconds(3.0, sample())], displayed=Stop.NONE, state=rested())
    assert set(words) == {Stop.HOLD}
    _, words = play(for_seconds(0.1, sample()), displayed=Stop.HOLD, state=state)
    assert set(words) == {Stop.NONE}


@pytest.mark.parametrize("tracked", [(True, True), (False, False), (True, False)])
@pytest.mark.parametrize("displayed", [Stop.NONE, None])
def test_sticks_that_are_down_from_the_start_ask_for_a_hold(tracked: tuple[bool, bool], displayed: Stop | None) -> None:
    _, words = play([both(tracked=tracked, focused=False)], displayed)
    assert words == [Stop.HOLD]


def test_both_sticks_clicked_while_stopped_ask_for_a_resume_in_one_sample() -> None:
    _, words = play([both(), both(), sample(), sample()], displayed=Stop.HOLD, state=rested(Stop.HOLD))
    assert words == [Stop.RESUME, Stop.NONE, Stop.NONE, Stop.NONE]


def test_one_stick_may_go_down_before_the_other_to_resume() -> None:
    half = for_seconds(0.2, sample(left=True))
    _, words = play([*half, both()], displayed=Stop.HOLD, state=rested(Stop.HOLD))
    assert words[-1] == Stop.RESUME
    assert set(words[:-1]) == {Stop.NONE}


@pytest.mark.parametrize(("squeeze", "command"), [(1.0, Stop.HOLD), (0.31, Stop.HOLD), (0.3, Stop.RESUME), (0.0, Stop.RESUME)])
@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_squeeze_of_either_hand_keeps_a_stop(hand: str, squeeze: float, command: str) -> None:
    click = both()
    click = replace(click, **{hand: replace(getattr(click, hand), squeeze=squeeze)})
    assert play([click], Stop.HOLD, rested(Stop.HOLD))[1] == [command]


FISTS = StopChoice(click_resumes=False)
"""Hands that hold nothing: what stops is done by accident as well."""


@pytest.mark.parametrize("displayed", [Stop.NONE, None])
@pytest.mark.parametrize("tracked", [(True, True), (False, True)])
def test_the_wheel_stops_with_one_hand_at_once_and_until_it_is_displayed(
    displayed: Stop | None, tracked: tuple[bool, bool]
) -> None:
    state = step_stick_stop(rested(), sample(tracked=tracked), displayed, FRAME, StopChoice(command=Stop.HOLD))
    assert state.command == Stop.HOLD
    state, words = play(for_seconds(3.0, sample(tracked=tracked)), displayed, state)
    assert set(words) == {Stop.HOLD}
    assert set(play(for_seconds(0.1, sample()), Stop.HOLD, state)[1]) == {Stop.NONE}


def test_the_wheel_alone_ends_no_stop() -> None:
    for choice in (StopChoice(command=Stop.RESUME), replace(FISTS, command=Stop.RESUME)):
        state = step_stick_stop(rested(Stop.HOLD), sample(), Stop.HOLD, FRAME, choice)
        assert state.command is Stop.NONE
        assert set(play(for_seconds(3.0, sample()), Stop.HOLD, state)[1]) == {Stop.NONE}


def play_fists(samples: Iterable[OperatorSample], displayed: Stop | None, state: StickStop) -> tuple[StickStop, list[str]]:
    words = []
    for one in samples:
        state = step_stick_stop(state, one, displayed, FRAME, FISTS)
        words.append(state.command)
    return state, words


def test_fists_stop_and_go_on_only_when_that_was_chosen_on_the_wheel_shortly_before() -> None:
    assert play_fists([both()], Stop.NONE, rested())[1] == [Stop.HOLD]
    assert play_fists([both()], Stop.HOLD, rested(Stop.HOLD))[1] == [Stop.HOLD], "a fist by accident ends nothing"
    chosen = step_stick_stop(rested(Stop.HOLD), sample(), Stop.HOLD, FRAME, replace(FISTS, command=Stop.RESUME))
    waited, _ = play_fists(for_seconds(CHOICE_TIME - 0.5, sample()), Stop.HOLD, chosen)
    assert play_fists([both()], Stop.HOLD, waited)[1] == [Stop.RESUME]
    late, _ = play_fists(for_seconds(1.0, sample()), Stop.HOLD, waited)
    assert play_fists([both()], Stop.HOLD, late)[1] == [Stop.HOLD]


@pytest.mark.parametrize(
    ("between", "displayed"),
    [
        pytest.param(sample(focused=False), Stop.HOLD, id="nobody was there"),
        pytest.param(sample(device="headset 2"), Stop.HOLD, id="another run of the device"),
        pytest.param(sample(), Stop.NONE, id="another stop"),
        pytest.param(sample(), None, id="nobody knows the stop"),
    ],
)
def test_leave_to_go_on_ends_with_what_it_was_given_for(between: OperatorSample, displayed: Stop | None) -> None:
    chosen = step_stick_stop(rested(Stop.HOLD), sample(), Stop.HOLD, FRAME, replace(FISTS, command=Stop.RESUME))
    state, _ = play_fists([between], displayed, chosen)
    state, _ = play_fists(for_seconds(1.0, sample()), Stop.HOLD, state)
    assert play_fists([both()], Stop.HOLD, state)[1] == [Stop.HOLD]


@pytest.mark.parametrize("displayed", [Stop.NONE, Stop.DAMP, None])
def test_a_click_lifts_nothing_unless_a_hold_is_displayed(displayed: Stop | None) -> None:
    assert play([both()], displayed, rested(Stop.HOLD))[1] == [Stop.HOLD]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(sample(focused=False), id="nobody was there"),
        pytest.param(sample(device="headset 2"), id="another run of the device"),
        pytest.param(sample(tracked=(False, True)), id="left hand was not seen"),
        pytest.param(sample(tracked=(True, False)), id="right hand was not seen"),
    ],
)
def test_a_click_on_coming_back_lifts_no_stop(before: OperatorSample) -> None:
    state, _ = play([before], Stop.HOLD, rested(Stop.HOLD))
    _, words = play([both(), both()], Stop.HOLD, state)
    assert Stop.RESUME not in words
    sticks_up = [*for_seconds(STICKS_UP_TIME, sample()), both()]
    assert play([sample(), *sticks_up], Stop.HOLD, state)[1][-1] == Stop.RESUME


def test_nobody_lifts_a_stop_without_being_there() -> None:
    assert play([both(focused=False)], Stop.HOLD, rested(Stop.HOLD))[1] == [Stop.HOLD]


@pytest.mark.parametrize("seen", [STICKS_UP_TIME - FRAME, STICKS_UP_TIME])
def test_sticks_must_have_been_up_for_a_moment_before_a_click_lifts_a_stop(seen: float) -> None:
    state, _ = play([both(), *for_seconds(seen, sample())], Stop.HOLD, rested(Stop.HOLD))
    state = replace(state, since_resume=RESUME_SHOWS_WITHIN)
    assert play([both()], Stop.HOLD, state)[1] == [Stop.RESUME if seen >= STICKS_UP_TIME else Stop.HOLD]


@pytest.mark.parametrize("half", [sample(left=True), sample(right=True)])
def test_time_with_one_stick_down_is_no_time_with_both_up(half: OperatorSample) -> None:
    state, _ = play([both(), *for_seconds(1.0, both()), *for_seconds(0.05, sample())], Stop.DAMP, rested(Stop.NONE))
    state = replace(state, since_resume=RESUME_SHOWS_WITHIN, command=Stop.NONE)
    assert play([*for_seconds(0.5, half), both()], Stop.HOLD, state)[1][-1] == Stop.HOLD


def test_controllers_that_drop_out_while_their_sticks_are_down_lift_no_stop() -> None:
    gone = sample(tracked=(False, False))
    state, _ = play([both()], Stop.NONE, rested())
    _, words = play([*[both()] * 5, *[gone] * 30, *[both()] * 5], Stop.HOLD, state)
    assert set(words) == {Stop.NONE, Stop.HOLD}


def test_a_click_while_the_stop_just_lifted_may_still_be_displayed_is_a_stop() -> None:
    state, words = play([both(), *for_seconds(0.3, sample())], Stop.HOLD, rested(Stop.HOLD))
    assert words[0] == Stop.RESUME
    state, words = play([both(), *for_seconds(0.3, sample())], Stop.HOLD, state)
    assert set(words) == {Stop.HOLD}
    _, words = play(for_seconds(RESUME_SHOWS_WITHIN, sample()), Stop.HOLD, state)
    assert words[-1] is Stop.NONE


def test_a_resume_that_was_refused_may_be_asked_for_again() -> None:
    state, _ = play([both(), *for_seconds(RESUME_SHOWS_WITHIN, sample())], Stop.HOLD, rested(Stop.HOLD))
    assert play([both()], Stop.HOLD, state)[1] == [Stop.RESUME]


@pytest.mark.parametrize("displayed", [Stop.NONE, Stop.HOLD, None])
def test_both_sticks_held_for_a_second_ask_for_damping_until_it_is_displayed(displayed: Stop | None) -> None:
    down = for_seconds(DAMP_AFTER, both())
    state, words = play(down, displayed, rested(Stop.NONE))
    assert Stop.DAMP not in words
    state, words = play([both(), *for_seconds(1.0, sample())], displayed, state)
    assert set(words) == {Stop.DAMP}
    assert play([both()], displayed, state)[1] == [Stop.DAMP]
    assert play([sample()], Stop.DAMP, state)[1] == [Stop.NONE]


def test_sticks_clicked_again_and_again_are_not_held() -> None:
    clicks = [*for_seconds(0.6, both()), sample()] * 3
    assert Stop.DAMP not in play(clicks, Stop.NONE, rested())[1]


def test_a_station_that_was_frozen_does_not_count_the_time() -> None:
    state, _ = play([both()], Stop.NONE, rested())
    assert play([both()], Stop.HOLD, state, dt=5.0)[1] == [Stop.NONE]


@pytest.mark.parametrize("hand", ["left", "right"])
def test_one_stick_held_while_the_other_hand_is_not_tracked_asks_for_a_hold(hand: str) -> None:
    alone = sample(left=True, tracked=(True, False)) if hand == "left" else sample(right=True, tracked=(False, True))
    state, words = play(for_seconds(HOLD_AFTER - FRAME, alone), Stop.NONE, rested())
    assert set(words) == {Stop.NONE}
    state, words = play([alone, *for_seconds(1.0, sample(tracked=(False, False)))], Stop.NONE, state)
    assert set(words) == {Stop.HOLD}
    assert play([sample()], Stop.HOLD, state)[1] == [Stop.NONE]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(sample(left=True), id="both hands tracked"),
        pytest.param(sample(left=True, tracked=(False, True)), id="it is the hand itself that is not tracked"),
        pytest.param(sample(right=True, tracked=(True, False)), id="the same of the right hand"),
        pytest.param(sample(tracked=(True, False)), id="no stick down"),
    ],
)
def test_one_stick_stops_nothing_otherwise(one: OperatorSample) -> None:
    assert set(play(for_seconds(3.0, one), Stop.NONE, rested())[1]) == {Stop.NONE}


def test_one_stick_tapped_while_the_other_hand_is_not_tracked_stops_nothing() -> None:
    taps = [*for_seconds(0.3, sample(left=True, tracked=(True, False))), sample(tracked=(True, False))] * 4
    assert set(play(taps, Stop.NONE, rested())[1]) == {Stop.NONE}


def test_a_sample_that_says_a_stop_in_a_word_carries_no_clicks_for_the_host_and_all_else() -> None:
    one = place_in_world(both(squeeze=0.4), pin.SE3.Identity(), "mode:walking")
    one = replace(one, left=replace(one.left, trigger=0.7, buttons=Buttons(stick=True, primary=True)))
    spoken = set_stop(one, Stop.HOLD)
    assert spoken.stop == Stop.HOLD
    assert spoken.left.buttons.primary
    assert (spoken.left.buttons.stick, spoken.right.buttons.stick) == (False, False)
    assert (spoken.left.trigger, spoken.right.squeeze, spoken.request) == (0.7, 0.4, "mode:walking")


class Drive:
    """A station and a host, with a link between them that loses samples and is late with snapshots."""

    def __init__(self) -> None:
        self.state = StickStop()
        self.engagement = Engagement()
        self.sequence = 0
        self.displayed = [Stop.NONE, Stop.NONE, Stop.NONE]  # the last one is what has arrived

    def step(self, one: OperatorSample, *, arrives: bool) -> Stop:
        self.state = step_stick_stop(self.state, one, self.displayed[-1], FRAME)
        if arrives:
            self.sequence += 1
            self.newest = replace(
                set_stop(place_in_world(one, pin.SE3.Identity()), self.state.command), sequence=self.sequence
            )
            stop = self.engagement.update(self.newest, None, None, FRAME).stop
        else:
            stop = self.displayed[0]
        self.displayed = [stop, *self.displayed[:-1]]
        return stop


frames = st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 30), st.booleans())


@settings(max_examples=100, deadline=None)
@given(st.lists(frames, max_size=12), st.lists(st.booleans(), min_size=1, max_size=5))
def test_whatever_was_done_before_a_click_of_both_sticks_leaves_the_robot_stopped_or_was_a_resume_that_was_meant(
    before: list[tuple[bool, bool, bool, bool, int, bool]], losses: list[bool]
) -> None:
    drive = Drive()
    drive.step(sample(), arrives=True)
    for left, right, left_tracked, right_tracked, count, arrives in before:
        for _ in range(count):
            drive.step(sample(left, right, tracked=(left_tracked, right_tracked)), arrives=arrives)
    for _ in range(20):
        drive.step(sample(), arrives=True)
    seen = drive.displayed[-1]
    command = Stop.NONE
    for arrives in losses:
        drive.step(both(), arrives=arrives)
        command = command or drive.state.command
    for _ in range(10):
        stop = drive.step(sample(), arrives=True)
    assert stop in (Stop.HOLD, Stop.DAMP) or (command == Stop.RESUME and seen == Stop.HOLD)


def test_at_the_start_nothing_is_asked_down_or_known() -> None:
    start = StickStop()
    assert (start.command, start.pressed, start.device) == (Stop.NONE, False, "")
    assert (start.held, start.alone, start.sticks_up, start.since_resume) == (0.0, 0.0, 0.0, 1.0)


def test_one_stick_stops_after_half_a_second_and_a_resume_is_in_doubt_for_a_second() -> None:
    alone = sample(right=True, tracked=(False, True))
    words = play([alone] * 51, Stop.NONE, rested())[1]
    assert words.index(Stop.HOLD) == 49
    state, _ = play([both(), *for_seconds(0.98, sample())], Stop.HOLD, rested(Stop.HOLD))
    assert play([both()], Stop.HOLD, state)[1] == [Stop.HOLD]
    assert play([sample(), sample(), both()], Stop.HOLD, state)[1][-1] == Stop.RESUME


def test_a_hold_that_is_asked_for_is_met_by_damping() -> None:
    state, _ = play([both()], Stop.NONE, rested())
    assert play([sample()], Stop.DAMP, state)[1] == [Stop.NONE]


def test_hands_that_do_nothing_ask_for_nothing() -> None:
    nothing = OperatorSample(time=0.0, left=HandSample(), right=HandSample())
    assert set(play([nothing] * 200, None)[1]) == {Stop.NONE}
