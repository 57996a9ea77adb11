"""Whatever the operator uses and is ignored is told before the eyes, once each time, and felt at the hand that used it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from snapshots import make_snapshot

from handhold.app.host.pulses import find_interface_pulses
from handhold.app.station.headset_view import HeadsetView
from handhold.devices.control_names import DEFAULT_CONTROL_NAMES
from handhold.devices.openxr.profiles import name_controls
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.elements.stage import Stage
from handhold.render.interface.ignored import KEPT_FOR, MESSAGE_TIME, explain_pointing
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.view_step import step
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import ContactState
from handhold.retarget.motions.mode import MotionMode
from handhold.retarget.walking.mode import WalkingMode
from handhold.robots.model import load_model

DT = 1.0 / 90.0
MODEL = load_model("talos")
PROFILES = {mode.profile.name: mode.profile for mode in (BracingMode, WalkingMode, MotionMode)}
MODES = tuple(ModeOffer(profile=profile) for profile in PROFILES.values())
SNAPSHOT = make_snapshot(MODEL, modes=MODES)
HEAD = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.6]))
HAND = pin.SE3(np.eye(3), np.array([0.4, 0.0, 1.2]))
FORWARD, TO_THE_SIDE = np.array([0.0, 1.0]), np.array([1.0, 0.0])
UNREAD = [
    ("walking", {"trigger": 1.0}, "trigger"),
    ("walking", {"primary": True}, "A"),
    ("motions", {"trigger": 1.0}, "trigger"),
    ("motions", {"stick": FORWARD}, "stick"),
    ("motions", {"primary": True}, "A"),
]


def sample(hand: str = "left", **controls: object) -> OperatorSample:
    buttons = {name: True for name in ("primary", "secondary", "menu") if controls.pop(name, False)}
    used = HandSample(pose=HAND, buttons=Buttons(**buttons), **controls)  # type: ignore[arg-type]
    left, right = (used, HandSample(pose=HAND)) if hand == "left" else (HandSample(pose=HAND), used)
    return OperatorSample(time=0.0, head=HEAD, left=left, right=right)


def play(state: ViewState, *samples: OperatorSample, snapshot: Snapshot = SNAPSHOT, times: int = 1) -> ViewState:
    for operator_input in samples:
        for _ in range(times):
            state = step(state, operator_input, snapshot, DT)
    return state


def start(snapshot: Snapshot = SNAPSHOT) -> ViewState:
    return play(ViewState(settings=Settings()), sample(), snapshot=snapshot)


@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize(("mode", "controls", "name"), UNREAD)
def test_a_control_that_the_mode_does_not_read_says_so_once(hand: str, mode: str, controls: dict, name: str) -> None:
    snapshot = replace(SNAPSHOT, mode=mode)
    before = start(snapshot)
    after = play(before, sample(hand, **controls), snapshot=snapshot)
    expected = {"A": "X"}.get(name, name) if hand == "left" else name
    assert f"{expected} does nothing in the mode {mode.capitalize()}" in after.ignored.words
    assert [pulse.hand for pulse in find_interface_pulses(before, after)] == [hand]
    held = play(after, sample(hand, **controls), snapshot=snapshot, times=round(MESSAGE_TIME / DT) + 1)
    assert held.ignored.count == after.ignored.count
    assert held.ignored.words == ""
    again = play(held, sample(), sample(hand, **controls), snapshot=snapshot)
    assert again.ignored.count == after.ignored.count + 1


def test_what_begins_to_be_used_in_one_sample_is_all_told_and_felt() -> None:
    walking = replace(SNAPSHOT, mode="walking")
    before, both = start(walking), replace(sample("left", trigger=1.0), right=sample("right", primary=True).right)
    after = play(before, both, snapshot=walking)
    assert after.ignored.words.split("\n") == [
        "left trigger does nothing in the mode Walking",
        "A does nothing in the mode Walking",
    ]
    assert [pulse.hand for pulse in find_interface_pulses(before, after)] == ["left", "right"]
    one_hand = play(before, sample("left", trigger=1.0, primary=True), snapshot=walking)
    assert len(one_hand.ignored.words.split("\n")) == 2
    assert [pulse.hand for pulse in find_interface_pulses(before, one_hand)] == ["left"]


@pytest.mark.parametrize("mode", PROFILES)
@pytest.mark.parametrize("control", ["stick", "secondary"])
def test_a_control_that_the_mode_reads_says_nothing(mode: str, control: str) -> None:
    snapshot = replace(SNAPSHOT, mode=mode)
    for hand, hint in (("left", PROFILES[mode].hints.left_stick), ("right", PROFILES[mode].hints.right_stick)):
        if control == "secondary" or hint:
            used = {"stick": TO_THE_SIDE} if control == "stick" else {"secondary": True}
            assert play(start(snapshot), sample(hand, **used), snapshot=snapshot).ignored.count == 0


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_trigger_pushes_only_with_a_hand_that_bears(hand: str) -> None:
    free = play(start(), sample(hand, trigger=1.0))
    assert free.ignored.words.startswith(f"{hand} trigger: this hand does not bear yet")
    bearing = replace(SNAPSHOT, **{hand: replace(getattr(SNAPSHOT, hand), contact=ContactState.LOADED, engaged=True)})
    assert play(start(bearing), sample(hand, trigger=1.0), snapshot=bearing).ignored.count == 0


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_trigger_of_a_hand_that_bears_and_is_not_squeezed_says_so(hand: str) -> None:
    bearing = replace(SNAPSHOT, **{hand: replace(getattr(SNAPSHOT, hand), contact=ContactState.LOADED, engaged=False)})
    told = play(start(bearing), sample(hand, trigger=1.0), snapshot=bearing)
    assert told.ignored.words.startswith(f"{hand} trigger: hold squeeze first")


@pytest.mark.parametrize("swap", [False, True])
def test_a_stick_that_only_turns_says_so_when_it_is_pushed_up_or_down(swap: bool) -> None:
    walking = replace(SNAPSHOT, mode="walking")
    state = play(ViewState(settings=Settings(swap_sticks=swap)), sample(), snapshot=walking)
    turns, walks = ("left", "right") if swap else ("right", "left")
    for stick in (FORWARD, -FORWARD):
        told = play(state, sample(turns, stick=stick), snapshot=walking)
        assert told.ignored.words == f"{turns} stick up or down does nothing in the mode Walking"
        assert play(state, sample(walks, stick=stick), snapshot=walking).ignored.count == 0
    assert play(state, sample(turns, stick=TO_THE_SIDE), snapshot=walking).ignored.count == 0
    assert play(start(), sample("right", stick=FORWARD)).ignored.count == 0


def test_a_stick_that_is_kept_after_the_wheel_says_that_it_must_be_let_go() -> None:
    opened = play(start(), sample(menu=True), sample(stick=FORWARD))
    closed = play(opened, sample(stick=FORWARD, menu=True))
    assert closed.wheel is None
    assert closed.ignored.count == 0
    kept = play(closed, sample(stick=FORWARD), times=round(KEPT_FOR / DT) + 2)
    assert kept.ignored.words == "left stick: let it go first, it counts from its middle"
    assert kept.ignored.count == 1


def test_on_the_wheel_nothing_can_be_chosen_that_is_not_pointed_at() -> None:
    opened = play(start(), sample(menu=True), sample())
    assert play(opened, sample(trigger=1.0)).ignored.words == explain_pointing(DEFAULT_CONTROL_NAMES.left)
    pointing = play(opened, sample(stick=TO_THE_SIDE))
    assert play(pointing, sample(stick=TO_THE_SIDE, trigger=1.0)).ignored.count == 0


@pytest.mark.parametrize(
    ("profile", "how"),
    [
        ("oculus/touch_controller", "by the stick, or by tilting the hand"),
        ("htc/vive_controller", "by the pad, or by tilting the hand"),
        ("khr/simple_controller", "by tilting the hand"),
        ("ext/hand_interaction_ext", "by tilting the hand"),
    ],
)
def test_a_hand_is_told_to_point_by_what_it_has(profile: str, how: str) -> None:
    assert explain_pointing(name_controls("left", f"/interaction_profiles/{profile}")).endswith(f": {how}")


def test_what_a_stop_says_is_not_said_again() -> None:
    stopped = replace(SNAPSHOT, stop=Stop.HOLD, mode="walking")
    assert play(start(stopped), sample(primary=True, trigger=1.0), snapshot=stopped).ignored.count == 0


def read_words(view: HeadsetView, snapshot: Snapshot, operator_input: OperatorSample) -> str:
    view.show(snapshot, 0.0)
    view.follow(operator_input, 0.0)
    return "\n".join(label.text for label in view.compose(0.0).labels if label.anchor.value == "head")


def test_what_is_ignored_and_why_a_squeezed_hand_does_not_move_are_before_the_eyes() -> None:
    view = HeadsetView(Stage(MODEL), Settings())
    quiet = replace(SNAPSHOT, right=replace(SNAPSHOT.right, waiting=""))
    assert "does not bear" not in read_words(view, quiet, sample("right"))
    assert "right trigger: this hand does not bear yet" in read_words(view, quiet, sample("right", trigger=1.0))
    view = HeadsetView(Stage(MODEL), Settings())
    waiting = replace(SNAPSHOT, right=replace(SNAPSHOT.right, waiting="let go, then squeeze again"))
    assert "let go, then squeeze again" in read_words(view, waiting, sample("right", squeeze=1.0))
    # what the host tells already is not told twice
    told = replace(waiting, messages=("let go, then squeeze again",))
    assert read_words(view, told, sample("right", squeeze=1.0)).count("squeeze again") == 1
