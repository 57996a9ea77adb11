"""Where the operator's room stands: what moves it, what is refused, and how it goes along with a robot that walks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from snapshots import make_snapshot

from handhold.app.host.pulses import find_interface_pulses
from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, HandsControlNames
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.interface.room import FOLLOWS_FROM, FOLLOWS_UNTIL, MAX_FOLLOWING_SPEED, MAX_TIME_STEP, SPEED
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.interface.view_state import ViewState, find_items, mask
from handhold.render.interface.view_step import step
from handhold.render.snapshot import Snapshot
from handhold.robots.model import load_model

DT = 1.0 / 90.0
ROUNDING = 1e-5
"""The room is kept in single precision [m]."""
HEAD = pin.SE3(pin.utils.rotate("z", 0.7), np.array([0.3, -0.2, 1.65]))
HAND = pin.SE3(np.eye(3), np.array([0.6, 0.1, 1.2]))
SNAPSHOT = make_snapshot(load_model("talos"))
UNSEEN = replace(SNAPSHOT, q=np.full(len(SNAPSHOT.q), np.nan))
AHEAD = np.array([0.0, 1.0])
TO_THE_RIGHT = np.array([1.0, 0.0])
CHOICES = (("Recentre",), ("View", "First person"), ("View", "Over"), ("Settings", "Seated"))


def sample(*, squeeze: float = 0.0, menu: bool = False, origin: int = 0, **controls: object) -> OperatorSample:
    """Return a sample in which the left hand uses its controls and the right one squeezes."""
    left = HandSample(pose=HAND, buttons=Buttons(menu=menu), **controls)  # type: ignore[arg-type]
    right = HandSample(pose=HAND, squeeze=squeeze)
    return OperatorSample(time=0.0, device="test", origin=origin, head=HEAD, left=left, right=right)


def play(state: ViewState, samples: Iterable[OperatorSample], snapshot: Snapshot | None = SNAPSHOT) -> ViewState:
    for operator_input in samples:
        state = step(state, operator_input, snapshot, DT)
    return state


def start(view: Viewpoint = Viewpoint.THIRD_PERSON) -> ViewState:
    return play(ViewState(settings=Settings(view=view)), [sample()])


def choose(state: ViewState, titles: Iterable[str], *, squeeze: float = 0.0, snapshot: Snapshot = SNAPSHOT) -> ViewState:
    """Open the wheel and choose one field after the other, while the right hand squeezes or not."""
    state = play(state, [sample(menu=True, squeeze=squeeze), sample(squeeze=squeeze)], snapshot)
    for title in titles:
        items = find_items(state, snapshot)
        number = next(i for i, item in enumerate(items) if item.title.startswith(title))
        angle = math.tau * number / len(items)
        stick = np.array([math.sin(angle), math.cos(angle)])
        pushed, chosen = sample(stick=stick, squeeze=squeeze), sample(stick=stick, trigger=1.0, squeeze=squeeze)
        state = play(state, [pushed, chosen, sample(squeeze=squeeze)], snapshot)
    return state


def walked(*way: float, turned: float = 0.0) -> Snapshot:
    """Return the robot after it has walked some way [m] and turned by an angle [rad]."""
    q = SNAPSHOT.q.copy()
    q[:3] += way
    q[3:7] = pin.Quaternion(pin.utils.rotate("z", turned)).coeffs()
    return replace(SNAPSHOT, q=q)


def position(state: ViewState) -> np.ndarray:
    return state.transform_room_to_world[:3, 3].astype(float)


def count_pulses(state: ViewState, samples: Iterable[OperatorSample], name: float) -> tuple[ViewState, int]:
    """Play samples, and count the pulses of a frequency."""
    count = 0
    for operator_input in samples:
        before, state = state, step(state, operator_input, SNAPSHOT, DT)
        count += sum(pulse.frequency == name for pulse in find_interface_pulses(before, state))
    return state, count


REFUSED = 50.0  # [Hz]: how a refusal feels


@pytest.mark.parametrize("titles", CHOICES)
@pytest.mark.parametrize("squeeze", [0.4, 1.0, math.nan])
def test_no_choice_moves_the_room_while_a_hand_squeezes(titles: tuple[str, ...], squeeze: float) -> None:
    before = start()
    state = choose(before, titles, squeeze=squeeze)
    assert (state.transform_room_to_world == before.transform_room_to_world).all()
    assert (state.moves, state.settings) == (before.moves, before.settings)
    assert state.refused == 1
    assert state.note.endswith(": let go of both squeezes first")
    # it was refused, not put off
    later = play(state, [sample()] * 30)
    assert (later.transform_room_to_world == before.transform_room_to_world).all()


def test_the_clutch_that_is_let_go_first_is_called_as_it_is() -> None:
    pinch = replace(DEFAULT_CONTROL_NAMES.left, squeeze="pinch")
    hands = HandsControlNames(left=pinch, right=pinch)
    refused = choose(replace(start(), controls=hands), CHOICES[0], squeeze=1.0)
    assert refused.note.endswith(": let go of both pinches first")


@pytest.mark.parametrize("titles", CHOICES)
def test_the_same_choice_moves_it_once_both_hands_have_let_go(titles: tuple[str, ...]) -> None:
    before = start()
    state = choose(before, titles, squeeze=0.2)
    assert state.moves == before.moves + 1
    assert (state.refused, state.note) == (0, "")


def test_the_same_squeeze_does_not_keep_other_choices_from_being_made() -> None:
    state = choose(start(), ("Settings", "Vignette"), squeeze=1.0)
    assert not state.settings.vignette
    assert state.refused == 0


@pytest.mark.parametrize("stick", [AHEAD, TO_THE_RIGHT])
def test_a_stick_that_pushes_the_room_while_a_hand_squeezes_is_refused_once_a_push(stick: np.ndarray) -> None:
    state = choose(start(), ("Move",))
    before = position(state)
    pushes = [sample(stick=stick, squeeze=1.0)] * 40
    state, felt = count_pulses(state, pushes, REFUSED)
    assert (felt, state.refused, state.note) == (1, 1, "let go of both squeezes first")
    state, felt = count_pulses(state, [sample(squeeze=1.0), *pushes], REFUSED)
    assert (felt, state.refused) == (1, 2)
    assert (position(state) == before).all()
    free = play(state, [sample(stick=stick)] * 2)
    assert free.moves > state.moves
    assert free.note == ""


def test_a_pause_between_samples_makes_no_leap() -> None:
    state = choose(start(), ("Move",))
    leapt = step(state, sample(stick=AHEAD), SNAPSHOT, 5.0)
    assert np.linalg.norm(position(leapt) - position(state)) == pytest.approx(SPEED * MAX_TIME_STEP, abs=ROUNDING)


ASKS = (
    lambda state: choose(state, ("Recentre",), snapshot=UNSEEN),
    lambda state: play(state, [sample(origin=1)], UNSEEN),
)
"""The wheel's recentring and the headset's own."""


@pytest.mark.parametrize("ask", ASKS)
def test_a_recentring_asked_for_while_the_robot_is_not_known_is_done_as_soon_as_it_is(
    ask: Callable[[ViewState], ViewState],
) -> None:
    before = start()
    origin = 0 if ask(before).wheel is not None else 1
    waiting = play(ask(before), [sample(origin=origin)] * 20, UNSEEN)
    assert not waiting.placed
    assert (waiting.transform_room_to_world == before.transform_room_to_world).all()
    there = walked(1.0, 0.5, 0.0)
    # nor is it done while a hand moves the robot meanwhile
    held = play(waiting, [sample(origin=origin, squeeze=1.0)] * 5, there)
    assert (held.placed, held.moves) == (False, before.moves)
    done = play(held, [sample(origin=origin)] * 2, there)
    assert (done.placed, done.moves, done.note) == (True, before.moves + 1, "")
    assert position(done) - position(before) == pytest.approx([1.0, 0.5, 0.0], abs=ROUNDING)


def test_what_waits_for_the_robot_says_so() -> None:
    assert "as soon as robot and headset are seen" in choose(start(), ("Recentre",), snapshot=UNSEEN).note


def test_one_who_stands_apart_is_not_taken_along() -> None:
    before = start()
    after = play(before, [sample()] * 90, walked(2.0, 0.0, 0.0))
    assert (after.transform_room_to_world == before.transform_room_to_world).all()


@pytest.mark.parametrize("view", [Viewpoint.FIRST_PERSON, Viewpoint.SHOULDER])
def test_the_views_at_the_robot_go_along_when_it_walks_and_never_turn(view: Viewpoint) -> None:
    state = before = start(view)
    speed, seconds = 0.5, 4.0
    for k in range(round(seconds / DT)):
        last, state = state, play(state, [sample()], walked(speed * k * DT, 0.0, 0.0, turned=0.3 * k * DT))
        assert np.linalg.norm(position(state) - position(last)) <= MAX_FOLLOWING_SPEED * DT + ROUNDING
    way = position(state) - position(before)
    assert way[0] == pytest.approx(speed * seconds, abs=0.2)  # [m]: its lag
    assert (state.transform_room_to_world[:3, :3] == before.transform_room_to_world[:3, :3]).all()
    assert 0.0 < state.vignette < 1.0
    # The robot stands still: so does the room, where it should be, and the edge brightens.
    stood = play(state, [sample()] * 180, walked(speed * seconds, 0.0, 0.0, turned=0.3 * seconds))
    assert (stood.following, stood.vignette) == (False, 0.0)
    assert position(stood)[0] - position(before)[0] == pytest.approx(speed * seconds, abs=FOLLOWS_UNTIL + 0.08)


def test_following_is_no_new_origin_or_the_sticks_that_walk_would_be_let_go() -> None:
    before = start(Viewpoint.FIRST_PERSON)
    after = play(before, [sample()] * 90, walked(1.0, 0.0, 0.0))
    assert np.linalg.norm(position(after) - position(before)) > 0.5
    assert mask(sample(), after).origin == mask(sample(), before).origin


def test_a_robot_that_sways_does_not_move_the_room() -> None:
    before = state = start(Viewpoint.FIRST_PERSON)
    for k in range(200):
        state = play(state, [sample()], walked(0.9 * FOLLOWS_FROM * math.sin(0.1 * k), 0.0, 0.0))
    assert (state.transform_room_to_world == before.transform_room_to_world).all()


def test_while_a_hand_squeezes_the_room_stays_and_comes_after_without_a_leap() -> None:
    before = start(Viewpoint.SHOULDER)
    there = walked(3.0, 0.0, 0.0)
    held = play(before, [sample(squeeze=1.0)] * 60, there)
    assert (held.transform_room_to_world == before.transform_room_to_world).all()
    state = held
    for _ in range(400):
        last, state = state, play(state, [sample()], there)
        assert np.linalg.norm(position(state) - position(last)) <= MAX_FOLLOWING_SPEED * DT + ROUNDING
    assert position(state) - position(before) == pytest.approx([3.0, 0.0, 0.0], abs=FOLLOWS_UNTIL + ROUNDING)


def test_a_robot_that_sinks_down_is_not_followed() -> None:
    before = start(Viewpoint.FIRST_PERSON)
    after = play(before, [sample()] * 90, replace(walked(0.3, 0.0, -0.6), stop=Stop.DAMP))
    assert (after.transform_room_to_world == before.transform_room_to_world).all()


def test_the_eyes_go_up_and_down_with_the_robots_in_the_first_person_only() -> None:
    lower = walked(0.0, 0.0, -0.3)
    first, over = (play(start(view), [sample()] * 180, lower) for view in (Viewpoint.FIRST_PERSON, Viewpoint.SHOULDER))
    assert position(first)[2] - position(start(Viewpoint.FIRST_PERSON))[2] == pytest.approx(-0.3, abs=FOLLOWS_UNTIL)
    assert position(over)[2] == position(start(Viewpoint.SHOULDER))[2]
