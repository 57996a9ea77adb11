"""What the sticks of a headset mean: a stop is asked for until it is displayed, a resume only where nothing is in doubt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators import hand_at, pose_at

from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.retarget.engagement import Engagement
from handhold.retarget.latched_stop import DAMP_AFTER
from handhold.retarget.stick_stop import HOLD_AFTER, LET_GO_FOR, RESUME_SHOWS_WITHIN, StickStop, speak, step_stick_stop

FRAME = 0.01  # [s] between two samples
POSE = pose_at(0.3, 0.0, 1.0)


def sample(
    left: bool = False, right: bool = False, *, tracked: tuple[bool, bool] = (True, True), squeeze: float = 0.0, **rest: object
) -> OperatorInput:
    """Return a sample with sticks that are down or up."""
    hands = (
        hand_at(POSE if seen else None, squeeze=squeeze, buttons=Buttons(stick=down))
        for seen, down in zip(tracked, (left, right), strict=True)
    )
    values = {"time": 0.0, "device": "headset 1"} | rest
    return OperatorInput(left=next(hands), right=next(hands), **values)


def both(**values: object) -> OperatorInput:
    return sample(left=True, right=True, **values)


def play(
    samples: Iterable[OperatorInput], displayed: str | None = "", state: StickStop | None = None, dt: float = FRAME
) -> tuple[StickStop, list[str]]:
    """Return the state after some samples, and the word of each."""
    state, words = state or StickStop(), []
    for one in samples:
        state = step_stick_stop(state, one, displayed, dt)
        words.append(state.word)
    return state, words


def for_seconds(duration: float, one: OperatorInput) -> list[OperatorInput]:
    return [one] * round(duration / FRAME)


def rested(displayed: str | None = "") -> StickStop:
    """Return the state of an operator who has not touched the sticks for a second, with both hands seen."""
    return play(for_seconds(1.0, sample()), displayed)[0]


def test_both_sticks_ask_for_a_hold_at_once_and_until_it_is_displayed() -> None:
    state, words = play([both(), *for_seconds(3.0, sample())], displayed="", state=rested())
    assert set(words) == {"hold"}
    _, words = play(for_seconds(0.1, sample()), displayed="hold", state=state)
    assert set(words) == {""}


@pytest.mark.parametrize("tracked", [(True, True), (False, False), (True, False)])
@pytest.mark.parametrize("displayed", ["", None])
def test_sticks_that_are_down_from_the_start_ask_for_a_hold(tracked: tuple[bool, bool], displayed: str | None) -> None:
    _, words = play([both(tracked=tracked, focused=False)], displayed)
    assert words == ["hold"]


def test_both_sticks_clicked_while_stopped_ask_for_a_resume_in_one_sample() -> None:
    _, words = play([both(), both(), sample(), sample()], displayed="hold", state=rested("hold"))
    assert words == ["resume", "", "", ""]


def test_one_stick_may_go_down_before_the_other_to_resume() -> None:
    half = for_seconds(0.2, sample(left=True))
    _, words = play([*half, both()], displayed="hold", state=rested("hold"))
    assert words[-1] == "resume"
    assert set(words[:-1]) == {""}


@pytest.mark.parametrize(("squeeze", "word"), [(1.0, "hold"), (0.31, "hold"), (0.3, "resume"), (0.0, "resume")])
@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_squeeze_of_either_hand_keeps_a_stop(hand: str, squeeze: float, word: str) -> None:
    click = both()
    click = replace(click, **{hand: replace(getattr(click, hand), squeeze=squeeze)})
    assert play([click], "hold", rested("hold"))[1] == [word]


@pytest.mark.parametrize("displayed", ["", "damp", None])
def test_a_click_lifts_nothing_unless_a_hold_is_displayed(displayed: str | None) -> None:
    assert play([both()], displayed, rested("hold"))[1] == ["hold"]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(sample(focused=False), id="nobody was there"),
        pytest.param(sample(device="headset 2"), id="another run of the device"),
        pytest.param(sample(tracked=(False, True)), id="left hand was not seen"),
        pytest.param(sample(tracked=(True, False)), id="right hand was not seen"),
    ],
)
def test_a_click_on_coming_back_lifts_no_stop(before: OperatorInput) -> None:
    state, _ = play([before], "hold", rested("hold"))
    _, words = play([both(), both()], "hold", state)
    assert "resume" not in words
    let_go = [*for_seconds(LET_GO_FOR, sample()), both()]
    assert play([sample(), *let_go], "hold", state)[1][-1] == "resume"


def test_nobody_lifts_a_stop_without_being_there() -> None:
    assert play([both(focused=False)], "hold", rested("hold"))[1] == ["hold"]


@pytest.mark.parametrize("seen", [LET_GO_FOR - FRAME, LET_GO_FOR])
def test_sticks_must_have_been_up_for_a_moment_before_a_click_lifts_a_stop(seen: float) -> None:
    state, _ = play([both(), *for_seconds(seen, sample())], "hold", rested("hold"))
    state = replace(state, since_resume=RESUME_SHOWS_WITHIN)
    assert play([both()], "hold", state)[1] == ["resume" if seen >= LET_GO_FOR else "hold"]


@pytest.mark.parametrize("half", [sample(left=True), sample(right=True)])
def test_time_with_one_stick_down_is_no_time_with_both_up(half: OperatorInput) -> None:
    state, _ = play([both(), *for_seconds(1.0, both()), *for_seconds(0.05, sample())], "damp", rested(""))
    state = replace(state, since_resume=RESUME_SHOWS_WITHIN, word="")
    assert play([*for_seconds(0.5, half), both()], "hold", state)[1][-1] == "hold"


def test_controllers_that_drop_out_while_their_sticks_are_down_lift_no_stop() -> None:
    gone = sample(tracked=(False, False))
    state, _ = play([both()], "", rested())
    _, words = play([*[both()] * 5, *[gone] * 30, *[both()] * 5], "hold", state)
    assert set(words) == {"", "hold"}


def test_a_click_while_the_stop_just_lifted_may_still_be_displayed_is_a_stop() -> None:
    state, words = play([both(), *for_seconds(0.3, sample())], "hold", rested("hold"))
    assert words[0] == "resume"
    state, words = play([both(), *for_seconds(0.3, sample())], "hold", state)
    assert set(words) == {"hold"}
    _, words = play(for_seconds(RESUME_SHOWS_WITHIN, sample()), "hold", state)
    assert words[-1] == ""


def test_a_resume_that_was_refused_may_be_asked_for_again() -> None:
    state, _ = play([both(), *for_seconds(RESUME_SHOWS_WITHIN, sample())], "hold", rested("hold"))
    assert play([both()], "hold", state)[1] == ["resume"]


@pytest.mark.parametrize("displayed", ["", "hold", None])
def test_both_sticks_held_for_a_second_ask_for_damping_until_it_is_displayed(displayed: str | None) -> None:
    down = for_seconds(DAMP_AFTER, both())
    state, words = play(down, displayed, rested(""))
    assert "damp" not in words
    state, words = play([both(), *for_seconds(1.0, sample())], displayed, state)
    assert set(words) == {"damp"}
    assert play([both()], displayed, state)[1] == ["damp"]
    assert play([sample()], "damp", state)[1] == [""]


def test_sticks_clicked_again_and_again_are_not_held() -> None:
    clicks = [*for_seconds(0.6, both()), sample()] * 3
    assert "damp" not in play(clicks, "", rested())[1]


def test_a_station_that_was_frozen_does_not_count_the_time() -> None:
    state, _ = play([both()], "", rested())
    assert play([both()], "hold", state, dt=5.0)[1] == [""]


@pytest.mark.parametrize("hand", ["left", "right"])
def test_one_stick_held_while_the_other_hand_is_not_tracked_asks_for_a_hold(hand: str) -> None:
    alone = sample(left=True, tracked=(True, False)) if hand == "left" else sample(right=True, tracked=(False, True))
    state, words = play(for_seconds(HOLD_AFTER - FRAME, alone), "", rested())
    assert set(words) == {""}
    state, words = play([alone, *for_seconds(1.0, sample(tracked=(False, False)))], "", state)
    assert set(words) == {"hold"}
    assert play([sample()], "hold", state)[1] == [""]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(sample(left=True), id="both hands tracked"),
        pytest.param(sample(left=True, tracked=(False, True)), id="it is the hand itself that is not tracked"),
        pytest.param(sample(right=True, tracked=(True, False)), id="the same of the right hand"),
        pytest.param(sample(tracked=(True, False)), id="no stick down"),
    ],
)
def test_one_stick_stops_nothing_otherwise(one: OperatorInput) -> None:
    assert set(play(for_seconds(3.0, one), "", rested())[1]) == {""}


def test_one_stick_tapped_while_the_other_hand_is_not_tracked_stops_nothing() -> None:
    taps = [*for_seconds(0.3, sample(left=True, tracked=(True, False))), sample(tracked=(True, False))] * 4
    assert set(play(taps, "", rested())[1]) == {""}


def test_a_sample_that_says_a_stop_in_a_word_carries_no_clicks_for_the_host_and_all_else() -> None:
    one = both(squeeze=0.4, request="mode:walking")
    one = replace(one, left=replace(one.left, trigger=0.7, buttons=Buttons(stick=True, primary=True)))
    spoken = speak(one, "hold")
    assert spoken.stop == "hold"
    assert spoken.left.buttons.primary
    assert (spoken.left.buttons.stick, spoken.right.buttons.stick) == (False, False)
    assert (spoken.left.trigger, spoken.right.squeeze, spoken.request) == (0.7, 0.4, "mode:walking")


class Drive:
    """A station and a host, with a link between them that loses samples and is late with snapshots."""

    def __init__(self) -> None:
        self.state = StickStop()
        self.engagement = Engagement()
        self.sequence = 0
        self.displayed: list[str] = ["", "", ""]  # the last one is what has arrived

    def step(self, one: OperatorInput, *, arrives: bool) -> str:
        self.state = step_stick_stop(self.state, one, self.displayed[-1], FRAME)
        if arrives:
            self.sequence += 1
            self.newest = replace(speak(one, self.state.word), sequence=self.sequence)
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
    word = ""
    for arrives in losses:
        drive.step(both(), arrives=arrives)
        word = word or drive.state.word
    for _ in range(10):
        stop = drive.step(sample(), arrives=True)
    assert stop in ("hold", "damp") or (word == "resume" and seen == "hold")


def test_at_the_start_nothing_is_asked_down_or_known() -> None:
    start = StickStop()
    assert (start.word, start.pressed, start.device) == ("", False, "")
    assert (start.held, start.alone, start.let_go, start.since_resume) == (0.0, 0.0, 0.0, 1.0)


def test_one_stick_stops_after_half_a_second_and_a_resume_is_in_doubt_for_a_second() -> None:
    alone = sample(right=True, tracked=(False, True))
    words = play([alone] * 51, "", rested())[1]
    assert words.index("hold") == 49
    state, _ = play([both(), *for_seconds(0.98, sample())], "hold", rested("hold"))
    assert play([both()], "hold", state)[1] == ["hold"]
    assert play([sample(), sample(), both()], "hold", state)[1][-1] == "resume"


def test_a_hold_that_is_asked_for_is_met_by_damping() -> None:
    state, _ = play([both()], "", rested())
    assert play([sample()], "damp", state)[1] == [""]


def test_hands_that_do_nothing_ask_for_nothing() -> None:
    nothing = OperatorInput(time=0.0, left=HandInput(), right=HandInput())
    assert set(play([nothing] * 200, None)[1]) == {""}
