"""The operator's interface: wheel, settings, room, and what the robot is told meanwhile."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshots import make_snapshot, with_report

from handhold.devices.control_names import HandsControlNames
from handhold.devices.openxr.profiles import name_controls
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.interface.placement import (
    AT_THE_SHOULDER,
    BEHIND,
    SEATED_RISE,
    STANDING_HEAD,
    compute_base_pose,
    place_room,
)
from handhold.render.interface.settings import PicturePosition, Settings, Viewpoint
from handhold.render.interface.view_state import STOP_ANNOUNCEMENT_TIME, ViewState, find_items, mask
from handhold.render.interface.view_step import CLICK_HELD, REQUEST_HELD, step
from handhold.render.interface.wheel import Page, change_setting
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import Toggle
from handhold.retarget.motions.mode import MotionMode
from handhold.retarget.walking.mode import WalkingMode
from handhold.robots.model import load_model

DT = 1.0 / 90.0
HANDS = ("left", "right")
MILLIMETRE = 1e-3
"""The room is kept in single precision [m]."""
MODES = (
    ModeOffer(profile=BracingMode.profile),
    ModeOffer(profile=WalkingMode.profile),
    ModeOffer(profile=MotionMode.profile, obstacle="a hand is loaded"),
)
SNAPSHOT = make_snapshot(load_model("talos"), modes=MODES)
SWITCHES = (
    Toggle(name="contact", title="Move my hand", on=False),
    Toggle(name="posture", title="Move my posture", on=True),
)
SWITCHABLE = with_report(SNAPSHOT, toggles=SWITCHES)
HEAD = pin.SE3(pin.utils.rotate("z", 0.7), np.array([0.3, -0.2, 1.65]))
HAND = pin.SE3(pin.utils.rotate("z", 0.7), np.array([0.6, 0.1, 1.2]))


def sample(hand: str = "left", *, other: HandSample | None = None, origin: int = 0, focused: bool = True, **controls: object):
    """Return a sample in which one hand uses its controls; buttons are given by their names."""
    names = {"primary", "secondary", "menu", "stick_click"}
    pressed = {"stick" if name == "stick_click" else name: True for name in names & controls.keys() if controls[name]}
    values = {name: value for name, value in controls.items() if name not in names}
    this = HandSample(pose=HAND, buttons=Buttons(**pressed), **values)  # type: ignore[arg-type]
    rest = other or HandSample(pose=HAND)
    left, right = (this, rest) if hand == "left" else (rest, this)
    return OperatorSample(time=0.0, device="test", origin=origin, focused=focused, head=HEAD, left=left, right=right)


def play(state: ViewState, samples: Iterable[OperatorSample], snapshot: Snapshot | None = SNAPSHOT) -> ViewState:
    for operator_input in samples:
        state = step(state, operator_input, snapshot, DT)
    return state


def start(**choices: object) -> ViewState:
    return play(ViewState(settings=Settings(**choices)), [sample()])  # type: ignore[arg-type]


def open_wheel(state: ViewState, hand: str = "left") -> ViewState:
    return play(state, [sample(hand, menu=True), sample(hand)])


def toward(number: int, count: int) -> np.ndarray:
    angle = math.tau * number / count
    return np.array([math.sin(angle), math.cos(angle)])


def choose(
    state: ViewState, title: str, hand: str = "left", *, snapshot: Snapshot = SNAPSHOT, trigger_squeezes: bool = False
) -> ViewState:
    """Point at the item whose title begins so, and pull the trigger, or pinch."""
    items = find_items(state, snapshot)
    number = next(i for i, item in enumerate(items) if item.title.startswith(title))
    stick = toward(number, len(items))
    chosen = sample(hand, stick=stick, trigger=1.0, squeeze=1.0 if trigger_squeezes else 0.0)
    return play(state, [sample(hand, stick=stick), chosen, sample(hand)], snapshot)


@pytest.mark.parametrize("hand", HANDS)
def test_either_hand_opens_the_wheel_and_closes_it(hand: str) -> None:
    state = open_wheel(start(), hand)
    assert state.wheel is not None
    assert state.wheel.hand == hand
    assert play(state, [sample(hand, menu=True)]).wheel is None


@pytest.mark.parametrize("hand", HANDS)
def test_a_controller_without_menu_opens_the_wheel_by_its_stick_held_down(hand: str) -> None:
    held = [sample(hand, stick_click=True)] * (round(CLICK_HELD / DT) + 2)
    state = play(start(), held)
    assert state.wheel is not None
    assert state.wheel.hand == hand
    # held on, it does not close again; let go and held again, it does
    assert play(state, held).wheel is not None
    assert play(state, [sample(hand), *held]).wheel is None


@pytest.mark.parametrize("hand", HANDS)
def test_a_stick_held_while_the_other_hand_is_not_tracked_opens_no_wheel_because_it_stops(hand: str) -> None:
    alone = sample(hand, stick_click=True, other=HandSample())
    assert play(start(), [alone] * 300).wheel is None


@pytest.mark.parametrize("hand", HANDS)
def test_a_menu_button_that_is_the_stop_as_well_opens_the_wheel_once_however_long_it_is_held(hand: str) -> None:
    held = sample(hand, menu=True, stick_click=True)
    assert play(start(), [held] * 300).wheel is not None


def test_the_stop_opens_no_wheel() -> None:
    both = sample("left", stick_click=True, other=HandSample(buttons=Buttons(stick=True)))
    assert play(start(), [both] * 300).wheel is None


@pytest.mark.parametrize("hand", HANDS)
def test_one_hand_can_choose_everything_by_its_stick(hand: str) -> None:
    state = choose(choose(open_wheel(start(), hand), "View", hand), "First person", hand)
    assert state.settings.view is Viewpoint.FIRST_PERSON
    state = choose(choose(choose(state, "Back", hand), "Settings", hand), "Turn by", hand)
    assert state.settings.turn_angle == 45
    state = choose(choose(state, "Back", hand), "Walking", hand)
    assert (state.wheel, state.request) == (None, "mode:walking")


def test_a_hand_points_by_tilting_too() -> None:
    state = open_wheel(start())
    assert state.wheel is not None
    right = state.wheel.pose[:3, 0]
    upwards = pin.SE3(pin.exp3(0.4 * right) @ HAND.rotation, HAND.translation)
    tilted = replace(sample(), left=HandSample(pose=upwards))
    items = find_items(state, SNAPSHOT)
    assert play(state, [tilted]).wheel.pointed == 0  # type: ignore[union-attr]
    to_the_left = pin.SE3(pin.utils.rotate("z", 0.4) @ HAND.rotation, HAND.translation)
    pointed = play(state, [replace(sample(), left=HandSample(pose=to_the_left))]).wheel.pointed  # type: ignore[union-attr]
    assert pointed == round(0.75 * len(items))


def test_pointing_at_a_mode_asks_for_its_coming_pose_before_anything_moves() -> None:
    state = open_wheel(start())
    items = find_items(state, SNAPSHOT)
    state = play(state, [sample(stick=toward(2, len(items)))])
    assert state.request == "preview:walking"
    assert mask(sample(), state).request == "preview:walking"


@pytest.mark.parametrize("hand", HANDS)
def test_what_the_mode_lets_be_switched_is_on_a_page_that_stays_open(hand: str) -> None:
    state = choose(open_wheel(start(), hand), "Balance", hand, snapshot=SWITCHABLE)
    assert [item.title for item in find_items(state, SWITCHABLE)] == ["Move my hand: off", "Move my posture: on", "Back"]
    state = choose(state, "Move my posture", hand, snapshot=SWITCHABLE)
    assert mask(sample(), state).request == "switch:posture"
    # back among the modes, what is pointed at asks for its pose only after the switch has been asked for long enough
    state = choose(state, "Back", hand, snapshot=SWITCHABLE)
    walking = sample(hand, stick=toward(2, len(find_items(state, SWITCHABLE))))
    assert play(state, [walking], SWITCHABLE).request == "switch:posture"
    assert play(state, [walking] * (round(REQUEST_HELD / DT) + 2), SWITCHABLE).request == "preview:walking"


def test_what_plays_motions_has_a_page_of_its_own() -> None:
    playing = replace(SWITCHABLE, mode="motions")
    assert "Balance" not in [item.title for item in find_items(open_wheel(start()), playing)]
    state = choose(open_wheel(start()), "Play", snapshot=playing)
    assert [item.title for item in find_items(state, playing)] == ["Move my hand: off", "Move my posture: on", "Back"]


def test_a_switch_can_be_turned_over_again_after_a_while() -> None:
    state = choose(open_wheel(start()), "Balance", snapshot=SWITCHABLE)
    state = choose(state, "Move my hand", snapshot=SWITCHABLE)
    state = play(state, [sample()] * (round(REQUEST_HELD / DT) + 2), SWITCHABLE)
    assert mask(sample(), state).request == ""
    assert choose(state, "Move my hand", snapshot=SWITCHABLE).request == "switch:contact"


def test_where_nothing_can_be_switched_the_wheel_has_no_page_for_it() -> None:
    state = open_wheel(start())
    assert "Balance" not in [item.title for item in find_items(state, SNAPSHOT)]
    assert [item.title for item in find_items(choose(state, "Balance", snapshot=SWITCHABLE), SNAPSHOT)] == ["Back"]


def test_a_mode_that_cannot_be_entered_is_refused_in_words() -> None:
    state = choose(open_wheel(start()), "Motions")
    assert state.refused == 1
    assert "a hand is loaded" in state.note
    assert not state.request.startswith("mode:")


@pytest.mark.parametrize("hand", HANDS)
def test_one_hand_chooses_the_stop_and_nothing_on_the_wheel_ends_one(hand: str) -> None:
    opened = open_wheel(start(), hand)
    assert find_items(opened, SNAPSHOT)[0].title == "STOP", "always at the top"
    items = find_items(opened, SNAPSHOT)
    pulled = play(opened, [sample(hand, stick=toward(0, len(items))), sample(hand, stick=toward(0, len(items)), trigger=1.0)])
    assert (pulled.stop, pulled.wheel) == (Stop.HOLD, None)
    assert play(pulled, [sample(hand)]).stop is Stop.NONE, "it is asked for once"

    held = replace(SNAPSHOT, stop=Stop.HOLD)
    refused = choose(open_wheel(start(), hand), "Go on", hand, snapshot=held)
    assert refused.stop is Stop.NONE
    assert refused.note == "Go on: let go of both squeezes, then click both sticks"
    damped = choose(open_wheel(start(), hand), "Go on", hand, snapshot=replace(SNAPSHOT, stop=Stop.DAMP))
    assert "restart the robot" in damped.note


BARE_HANDS = HandsControlNames(
    **{hand: name_controls(hand, "/interaction_profiles/ext/hand_interaction_ext") for hand in HANDS}
)


def pinch(hand: str = "left", **controls: object) -> OperatorSample:
    return sample(hand, trigger=1.0, squeeze=1.0, **controls)


@pytest.mark.parametrize("hand", HANDS)
def test_a_pinch_chooses_on_the_wheel_and_moves_no_robot_until_it_was_let_go(hand: str) -> None:
    state = open_wheel(replace(start(), controls=BARE_HANDS), hand)
    items = find_items(state, SNAPSHOT)
    view = next(number for number, item in enumerate(items) if item.title == "View")
    pointing = {"stick": toward(view, len(items))}
    state = play(state, [sample(hand, **pointing), pinch(hand, **pointing)])
    assert state.wheel is not None
    assert state.wheel.page is Page.VIEWS
    assert getattr(mask(pinch(hand), state), hand).squeeze == 0.0
    # A pinch that chooses a view is no hand in use; held on after the wheel has gone it still moves nothing.
    state = choose(play(state, [sample(hand)]), "First person", hand, trigger_squeezes=True)
    assert (state.settings.view, state.note) == (Viewpoint.FIRST_PERSON, "")
    state = play(state, [pinch(hand, menu=True), pinch(hand)])
    assert state.wheel is None
    assert getattr(mask(pinch(hand), state), hand).squeeze == 0.0
    state = play(state, [sample(hand), pinch(hand)])
    assert getattr(mask(pinch(hand), state), hand).squeeze == 1.0
    other = "right" if hand == "left" else "left"
    assert getattr(mask(pinch(other), state), other).squeeze == 1.0


def test_bare_hands_announce_on_the_wheel_that_they_will_go_on() -> None:
    held = replace(SNAPSHOT, stop=Stop.HOLD)
    state = open_wheel(replace(start(), controls=BARE_HANDS))
    items = find_items(state, held)
    chosen = play(state, [sample(stick=toward(0, len(items))), sample(stick=toward(0, len(items)), trigger=1.0)], held)
    assert (chosen.stop, chosen.note) == (Stop.RESUME, "now close both fists to go on")


def test_a_session_begins_by_telling_what_stops_until_a_hand_is_engaged() -> None:
    state = start()
    assert 0.0 < state.announcing <= STOP_ANNOUNCEMENT_TIME
    free = replace(SNAPSHOT, left=replace(SNAPSHOT.left, engaged=False), right=replace(SNAPSHOT.right, engaged=False))
    assert play(state, [sample()] * (round(STOP_ANNOUNCEMENT_TIME / DT) - 5), free).announcing > 0.0
    assert play(state, [sample()] * (round(STOP_ANNOUNCEMENT_TIME / DT) + 1), free).announcing == 0.0
    engaged = play(state, [sample()], replace(free, left=replace(SNAPSHOT.left, engaged=True)))
    assert engaged.announcing == 0.0
    assert play(engaged, [replace(sample(), device="test again")]).announcing == STOP_ANNOUNCEMENT_TIME
    assert play(engaged, [sample(focused=False)]).announcing == STOP_ANNOUNCEMENT_TIME, "somebody else may put the headset on"


def test_a_trigger_that_is_held_when_the_wheel_opens_chooses_nothing() -> None:
    state = open_wheel(start())
    items = find_items(state, SNAPSHOT)
    state = play(start(), [sample(menu=True, trigger=1.0), sample(stick=toward(1, len(items)), trigger=1.0)])
    assert state.wheel is not None
    assert not state.request.startswith("mode:")


def test_a_request_is_repeated_for_a_while_and_then_no_more() -> None:
    state = choose(open_wheel(start()), "Walking")
    assert mask(sample(), state).request == "mode:walking"
    state = play(state, [sample()] * (round(REQUEST_HELD / DT) + 2))
    assert mask(sample(), state).request == ""


def test_the_wheels_hand_is_kept_from_the_robot_until_it_is_let_go() -> None:
    state = open_wheel(start())
    busy = sample(stick=np.array([0.0, 1.0]), trigger=0.0, primary=True, menu=True)
    sent = mask(busy, play(state, [replace(busy, left=replace(busy.left, buttons=Buttons()))]))
    assert (sent.left.stick == 0.0).all()
    closed = play(state, [busy])  # the menu button closes; the stick is still pushed
    assert closed.wheel is None
    sent = mask(busy, closed)
    assert (sent.left.stick == 0.0).all()
    assert not sent.left.buttons.primary
    free = play(closed, [sample()])
    assert (mask(busy, free).left.stick == (0.0, 1.0)).all()


def test_a_gripper_stays_as_it_was_while_its_trigger_chooses() -> None:
    state = play(start(), [sample(trigger=0.7, menu=True), sample(trigger=0.7), sample(trigger=0.0), sample(trigger=1.0)])
    assert mask(sample(trigger=1.0), state).left.trigger == 0.7
    state = play(state, [sample(trigger=0.0, menu=True), sample(trigger=0.0)])
    assert state.wheel is None
    assert mask(sample(trigger=0.0), state).left.trigger == 0.7  # not taken up again yet
    state = play(state, [sample(trigger=0.68)])
    assert mask(sample(trigger=0.3), state).left.trigger == 0.3


def test_the_other_hand_goes_on_while_the_wheel_is_open() -> None:
    right = HandSample(pose=HAND, stick=np.array([0.3, 0.4]), trigger=0.5, squeeze=1.0, buttons=Buttons(primary=True))
    state = open_wheel(start())
    sent = mask(sample(other=right), state).right
    assert (sent.stick == right.stick).all()
    assert (sent.trigger, sent.squeeze, sent.buttons) == (0.5, 1.0, right.buttons)


def test_swapped_sticks_change_places_and_nothing_else() -> None:
    state = start(swap_sticks=True)
    right = HandSample(pose=HAND, stick=np.array([0.1, 0.2]), trigger=0.4, squeeze=0.9)
    sent = mask(sample(stick=np.array([0.5, 0.6]), trigger=0.3, other=right), state)
    assert (sent.left.stick == (0.1, 0.2)).all()
    assert (sent.right.stick == (0.5, 0.6)).all()
    assert (sent.left.trigger, sent.right.trigger, sent.right.squeeze) == (0.3, 0.4, 0.9)


def test_every_setting_can_be_changed_on_the_wheel_and_comes_round_again() -> None:
    chosen = Settings()
    for name in (
        "picture",
        "cloud",
        "left_handed",
        "swap_sticks",
        "seated",
        "turn_angle",
        "vignette",
        "wrist_region",
        "balance_disc",
    ):
        seen = {chosen}
        once = change_setting(chosen, name)
        assert once != chosen, name
        while once not in seen:
            seen.add(once)
            once = change_setting(once, name)
        assert once == chosen, name
    assert change_setting(chosen, "haptics") == replace(chosen, haptics=0.0)
    assert change_setting(chosen, "hints").hints is False
    assert change_setting(chosen, "unheard-of") is chosen


@pytest.mark.parametrize(("left_handed", "seated"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_behind_the_robot_its_left_is_the_operators_left_and_the_eyes_are_above_its_own(
    left_handed: bool, seated: bool, heading: float
) -> None:
    q = SNAPSHOT.q.copy()
    q[3:7] = pin.Quaternion(pin.utils.rotate("z", heading)).coeffs()
    base, eye = compute_base_pose(q), np.array([0.07, 0.0, 0.59])
    standing = HEAD.homogeneous.copy()
    standing[2, 3] = STANDING_HEAD
    seen = {}
    for view in (Viewpoint.THIRD_PERSON, Viewpoint.SHOULDER):
        chosen = Settings(view=view, left_handed=left_handed, seated=seated)
        head = place_room(chosen, standing, replace(SNAPSHOT, q=q), eye) @ standing
        assert head[:3, :3] == pytest.approx(base[:3, :3], abs=MILLIMETRE)
        seen[view] = base[:3, :3].T @ (head[:3, 3] - base[:3, 3]) - (0.0, 0.0, eye[2] + (SEATED_RISE if seated else 0.0))
    assert seen[Viewpoint.THIRD_PERSON] == pytest.approx(BEHIND, abs=MILLIMETRE)
    beside = AT_THE_SHOULDER * np.array([1.0, -1.0 if left_handed else 1.0, 1.0])
    assert seen[Viewpoint.SHOULDER] == pytest.approx(beside, abs=MILLIMETRE)


def test_nobody_is_lowered_to_a_small_robot() -> None:
    small = SNAPSHOT.q.copy()
    small[2] = 0.4
    assert place_room(Settings(), HEAD.homogeneous, replace(SNAPSHOT, q=small), np.array([0.0, 0.0, 0.3]))[2, 3] == 0.0


@pytest.mark.parametrize("heading", [0.0, 1.2, -2.9])
def test_in_the_first_person_the_head_is_where_the_robots_eyes_are(heading: float) -> None:
    q = SNAPSHOT.q.copy()
    q[:3] += (1.0, -2.0, 0.1)
    q[3:7] = pin.Quaternion(pin.utils.rotate("z", heading)).coeffs()
    eye = np.array([0.07, 0.0, 0.59])
    for seated in (False, True):
        settings_now = Settings(view=Viewpoint.FIRST_PERSON, seated=seated)
        room = place_room(settings_now, HEAD.homogeneous, replace(SNAPSHOT, q=q), eye)
        base = compute_base_pose(q)
        assert (room @ HEAD.homogeneous)[:3, 3] == pytest.approx(base[:3, :3] @ eye + base[:3, 3], abs=MILLIMETRE)


def test_who_sits_is_raised() -> None:
    standing = start()
    state = choose(choose(open_wheel(standing), "Settings"), "Seated")
    assert state.settings.seated
    rise = state.transform_room_to_world[2, 3] - standing.transform_room_to_world[2, 3]
    assert rise == pytest.approx(0.4, abs=MILLIMETRE)


def test_the_stick_turns_the_room_once_a_push_and_only_on_its_page() -> None:
    placed = start()
    pushed = sample(stick=np.array([1.0, 0.0]))
    assert (play(placed, [pushed] * 50).transform_room_to_world == placed.transform_room_to_world).all()
    state = choose(open_wheel(placed), "Move")
    assert state.wheel is not None
    assert state.wheel.page is Page.MOVE
    turned = play(state, [pushed] * 50)
    assert heading_of(turned) - heading_of(placed) == pytest.approx(-math.radians(30.0), abs=MILLIMETRE)
    again = play(turned, [sample(), pushed])
    assert heading_of(again) - heading_of(placed) == pytest.approx(-math.radians(60.0), abs=MILLIMETRE)
    # it turns about the operator, who stays where he is
    head = HEAD.translation
    before, after = (s.transform_room_to_world[:3, :3] @ head + s.transform_room_to_world[:3, 3] for s in (placed, again))
    assert before == pytest.approx(after, abs=MILLIMETRE)


def test_the_stick_moves_the_room_to_where_the_head_faces_with_a_vignette() -> None:
    state = choose(open_wheel(start()), "Move")
    moved = play(state, [sample(stick=np.array([0.0, 1.0]))] * 90)
    way = moved.transform_room_to_world[:3, 3] - state.transform_room_to_world[:3, 3]
    facing = state.transform_room_to_world[:3, :3] @ HEAD.rotation[:, 0]
    assert way == pytest.approx(0.8 * facing, abs=2e-2)  # 1 s at 0.8 m/s, to one frame
    assert moved.vignette == pytest.approx(1.0)
    assert play(moved, [sample()] * 60).vignette == 0.0
    without = play(replace(state, settings=replace(state.settings, vignette=False)), [sample(stick=np.array([0.0, 1.0]))] * 9)
    assert without.vignette == 0.0


def test_poses_are_sent_in_world_and_another_origin_is_counted_when_the_room_moves() -> None:
    state = start()
    sent = mask(sample(), state)
    assert sent.left.pose is not None
    expected = state.transform_room_to_world @ HAND.homogeneous
    assert sent.left.pose.homogeneous == pytest.approx(expected, abs=1e-6)
    moved = choose(open_wheel(state), "Recentre")
    assert mask(sample(), moved).origin > sent.origin
    recentred_by_headset = play(moved, [sample(origin=1)])
    assert mask(sample(origin=1), recentred_by_headset).origin > mask(sample(), moved).origin


def test_nobody_there_has_no_wheel() -> None:
    assert play(open_wheel(start()), [sample(focused=False)]).wheel is None


def test_without_a_robot_the_wheel_still_has_views_and_settings() -> None:
    state = play(ViewState(), [sample(), sample(menu=True), sample()], snapshot=None)
    assert [item.title for item in find_items(state, None)] == ["STOP", "View", "Settings", "Move", "Recentre"]


def test_the_picture_goes_from_screen_to_head_to_off() -> None:
    state = choose(choose(open_wheel(start()), "View"), "Picture")
    assert state.settings.picture is PicturePosition.HEAD


def heading_of(state: ViewState) -> float:
    room = state.transform_room_to_world
    return math.atan2(float(room[1, 0]), float(room[0, 0]))


ANY_FLOAT = st.floats(width=32)
CONTROLS = st.builds(
    HandSample,
    pose=st.sampled_from([None, HAND, pin.SE3(np.eye(3), np.full(3, np.nan))]),
    trigger=ANY_FLOAT | st.sampled_from([0.0, 1.0]),
    squeeze=ANY_FLOAT | st.sampled_from([0.0, 1.0]),
    stick=st.builds(lambda x, y: np.array([x, y]), ANY_FLOAT, ANY_FLOAT)
    | st.sampled_from([np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([-0.8, -0.6]), np.zeros(2)]),
    buttons=st.builds(Buttons, primary=st.booleans(), secondary=st.booleans(), menu=st.booleans(), stick=st.booleans()),
)
SAMPLES = st.builds(
    OperatorSample,
    time=st.just(0.0),
    device=st.just("test"),
    focused=st.booleans(),
    head=st.sampled_from([None, HEAD, pin.SE3(np.eye(3), np.full(3, np.inf))]),
    left=CONTROLS,
    right=CONTROLS,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(SAMPLES, max_size=40))
def test_whatever_the_operator_does_clicks_and_clutches_pass(samples: list[OperatorSample]) -> None:
    state = start()
    for operator_input in samples:
        state = step(state, operator_input, SNAPSHOT, DT)
        sent = mask(operator_input, state)
        assert sent.focused == operator_input.focused
        for hand in HANDS:
            told, done = getattr(sent, hand), getattr(operator_input, hand)
            assert told.buttons.stick == done.buttons.stick
            assert told.squeeze == done.squeeze or math.isnan(done.squeeze)
        assert np.isfinite(state.transform_room_to_world).all()
        assert 0.0 <= state.vignette <= 1.0


@settings(max_examples=150, deadline=None)
@given(st.lists(SAMPLES, max_size=40))
def test_the_room_never_moves_without_a_request(samples: list[OperatorSample]) -> None:
    state = start()
    for operator_input in samples:
        before, state = state, step(state, operator_input, SNAPSHOT, DT)
        if (before.transform_room_to_world != state.transform_room_to_world).any():
            # it was asked for with the wheel open, and the robot learns of it
            assert before.wheel is not None
            assert state.moves > before.moves


@settings(max_examples=150, deadline=None)
@given(st.lists(SAMPLES, max_size=40))
def test_with_an_open_wheel_its_stick_never_moves_the_robot(samples: list[OperatorSample]) -> None:
    state = start()
    for operator_input in samples:
        state = step(state, operator_input, SNAPSHOT, DT)
        if state.wheel is not None:
            other = {"left": "right", "right": "left"}[state.wheel.hand]
            told = other if state.settings.swap_sticks else state.wheel.hand
            assert (getattr(mask(operator_input, state), told).stick == 0.0).all()
