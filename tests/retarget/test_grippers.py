"""Grippers follow the triggers of the hands that command them."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.devices.stop import Stop
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.grippers import Grippers, find_hands_without_tip
from handhold.retarget.mode import ModeStatus
from handhold.retarget.mode_report import ContactState, Grip
from handhold.robots.model import load_model
from handhold.robots.robot import RobotState

DT = 0.01
NOTHING_MEASURED = RobotState(
    time=0.0, q=np.zeros(0), v=np.zeros(0), joint_torques=np.zeros(0), contact_wrenches=np.zeros((0, 6))
)
LEFT, RIGHT = 2, 3


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


@pytest.fixture
def grippers(talos):
    return Grippers(talos, measured(talos, 1.0))


def hand(trigger=0.0, *, engaged=True, pressed=False):
    return HandCommand(
        engaged=engaged, waiting="", target=np.eye(4), trigger=trigger, primary_pressed=pressed, secondary_pressed=False
    )


def command(right, **changes):
    return replace(OperatorCommand.of_hands(hand(engaged=False), right), **changes)


def status(contact=ContactState.FREE):
    return ModeStatus(hands=(LEFT, RIGHT), contacts=(*[ContactState.FREE] * RIGHT, contact))


def play(grippers, seconds, right, mode=None, **changes):
    for _ in range(round(seconds / DT)):
        asked = grippers.screen(command(right, **changes), mode or status(), NOTHING_MEASURED, braces=True)
        grippers.update(asked, mode or status(), DT)
    return grippers.closings[1]


def open_it(grippers):
    play(grippers, 0.1, hand(1.0))
    return play(grippers, 1.0, hand(0.0))


def test_it_is_closed_and_stays_so_until_the_trigger_has_been_pulled_as_far(grippers):
    assert play(grippers, 1.0, hand(0.0)) == 1.0
    assert play(grippers, 1.0, hand(0.5)) == 1.0
    assert open_it(grippers) == 0.0


def test_it_closes_no_faster_than_its_drive(grippers, talos):
    open_it(grippers)
    stroke_time = talos.description.grippers[1].stroke_time
    assert play(grippers, 0.5 * stroke_time, hand(1.0)) == pytest.approx(0.5, abs=0.02)


def test_it_is_as_far_closed_as_the_trigger_is_pulled(grippers):
    open_it(grippers)
    assert play(grippers, 2.0, hand(0.5)) == pytest.approx(0.5)


def test_a_press_is_kept_from_modes_that_brace_only(grippers, talos):
    asked = grippers.screen(command(hand(pressed=True)), status(), measured(talos, 0.0), braces=False)
    assert asked.right.primary_pressed
    assert grippers.refused == 0


def test_a_hand_that_only_touches_something_opens_and_does_not_brace(grippers, talos):
    open_it(grippers)
    play(grippers, 1.0, hand(1.0))
    touching = status(ContactState.TOUCHING)
    asked = grippers.screen(command(hand(pressed=True)), touching, measured(talos, 0.3, 40.0), braces=True)
    assert not asked.right.primary_pressed
    assert grippers.refused == 1
    assert play(grippers, 1.0, hand(0.0), touching) == 0.0


def test_a_trigger_that_closed_the_gripper_does_not_push_on_the_contact(grippers, talos):
    open_it(grippers)
    play(grippers, 1.0, hand(1.0))
    loaded = status(ContactState.LOADED)

    def push(trigger):
        return grippers.screen(command(hand(trigger)), loaded, measured(talos, 1.0), braces=True).right.trigger

    assert push(1.0) == 0.0
    assert push(0.0) == 0.0
    assert push(0.7) == 0.7


def test_a_trigger_that_pushed_does_not_open_the_gripper_when_the_contact_is_lost(grippers):
    play(grippers, 0.1, hand(1.0), status(ContactState.LOADED))
    assert play(grippers, 0.5, hand(1.0)) == 1.0
    assert play(grippers, 1.0, hand(0.5)) == 1.0


def test_a_damped_robot_keeps_what_it_holds(grippers):
    open_it(grippers)
    play(grippers, 1.0, hand(1.0))
    for _ in range(100):
        grippers.update(command(hand(0.0)), status(), DT, frozen=True)
    assert grippers.closings[1] == 1.0


def test_it_begins_as_it_is_and_keeps_pressing_on_what_it_holds(talos):
    assert Grippers(talos, measured(talos, 0.4)).closings == pytest.approx([1.0, 0.4])
    assert Grippers(talos, measured(talos, 0.4, 40.0)).closings == pytest.approx([1.0, 1.0])
    assert Grippers(talos, NOTHING_MEASURED).closings == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("left_alone", ["let go", "stopped", "in contact", "late"])
def test_what_it_holds_it_keeps(grippers, left_alone):
    open_it(grippers)
    play(grippers, 1.0, hand(1.0))
    mode = status(ContactState.LOADED) if left_alone == "in contact" else None
    changes = {"stopped": {"stop": Stop.HOLD}, "late": {"speed": 0.0}}.get(left_alone, {})
    assert play(grippers, 1.0, hand(0.0, engaged=left_alone != "let go"), mode, **changes) == 1.0


def test_a_hand_that_is_taken_again_finds_its_gripper_as_it_was(grippers):
    open_it(grippers)
    play(grippers, 1.0, hand(1.0))
    play(grippers, 0.2, hand(0.0, engaged=False))
    assert play(grippers, 1.0, hand(0.0)) == 1.0
    assert open_it(grippers) == 0.0


def measured(talos, closing, force=0.0):
    q = talos.q_nominal
    return RobotState(
        time=0.0,
        q=q,
        v=np.zeros(talos.nv),
        joint_torques=np.zeros(talos.n),
        contact_wrenches=np.zeros((4, 6)),
        gripper_closings=np.array([1.0, closing]),
        gripper_forces=np.array([0.0, force]),
    )


def test_a_hand_whose_gripper_is_open_is_not_braced(grippers, talos):
    open_it(grippers)
    asked = grippers.screen(command(hand(pressed=True)), status(), measured(talos, 0.0), braces=True)
    assert not asked.right.primary_pressed
    assert "refused: right gripper is open" in grippers.messages[-1]


def test_a_hand_that_holds_something_is_not_braced(grippers, talos):
    asked = grippers.screen(command(hand(pressed=True)), status(), measured(talos, 0.3, 40.0), braces=True)
    assert not asked.right.primary_pressed
    assert "refused: right gripper holds something" in grippers.messages[-1]


def test_one_that_holds_something_before_its_trigger_is_down_is_told_so(grippers, talos):
    open_it(grippers)
    grippers.screen(command(hand(pressed=True)), status(), measured(talos, 0.45, 40.0), braces=True)
    assert "right gripper holds something" in grippers.messages[-1]


def test_one_that_is_still_closing_is_told_to_be_open(grippers, talos):
    grippers.screen(command(hand(pressed=True)), status(), measured(talos, 0.6), braces=True)
    assert "right gripper is open" in grippers.messages[-1]


def test_a_hand_whose_gripper_is_closed_is_braced(grippers, talos):
    asked = grippers.screen(command(hand(pressed=True)), status(), measured(talos, 1.0), braces=True)
    assert asked.right.primary_pressed


def test_hands_whose_grippers_are_not_closed_are_found(talos):
    assert find_hands_without_tip(talos, measured(talos, 1.0)) == frozenset()
    assert find_hands_without_tip(talos, measured(talos, 0.3)) == {RIGHT}


@pytest.mark.parametrize(
    ("closing", "force", "grip"), [(1.0, 3.0, Grip.CLOSED), (0.3, 40.0, Grip.HOLDING), (0.3, 5.0, Grip.OPEN)]
)
def test_what_it_does_is_told_in_a_word(grippers, talos, closing, force, grip):
    assert grippers.describe(RIGHT, measured(talos, closing, force)) is grip
    assert grippers.describe(0, measured(talos, closing, force)) is Grip.NONE
