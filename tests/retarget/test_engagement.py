"""Engagement: one test for each thing that can be lost, and for what the operator does to come back."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators import FRAME, PERIOD, Operator, hand_at, pose_at

from handhold.devices.operator_input import Buttons
from handhold.devices.stop import Stop
from handhold.retarget.engagement.filters import FilterLimits
from handhold.retarget.mode import ModeStatus

FIRST_STEP = 1e-3  # [m] what clutching again may move at most
AT_REST = 1e-4  # [m] what is left of settling on the reached pose
ROUNDING = 1e-9  # [m] and [-]
STOPPING = 0.4**2 / (2.0 * 8.0)  # [m] way in which a hand at full velocity stops at its largest acceleration
LIMITS = FilterLimits()

coordinates = st.floats(-2.0, 2.0)
turns = st.tuples(coordinates, coordinates, coordinates)


def left_position(operator: Operator) -> np.ndarray:
    return operator.command.left.target[:3, 3]


def distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


def engaged_operator() -> Operator:
    operator = Operator()
    operator.squeeze()
    assert operator.command.left.engaged
    return operator


def moving_operator() -> Operator:
    """An operator whose left hand is engaged and has just moved forward at full velocity."""
    operator = engaged_operator()
    operator.move(0.3, duration=0.5)
    return operator


def assert_hand_stays(operator: Operator) -> None:
    """Check that the left hand comes to rest within its stopping distance and stays, whatever the operator's hand does."""
    before = left_position(operator)
    operator.wait(0.5)
    assert not operator.command.left.engaged
    resting = left_position(operator)
    assert distance(resting, before) <= STOPPING
    assert_nothing_moves(operator)


def assert_nothing_moves(operator: Operator) -> None:
    before = left_position(operator)
    if operator.left.pose is not None:
        operator.move(0.2, duration=0.3)
    operator.wait(0.2)
    assert distance(left_position(operator), before) <= AT_REST


def assert_needs_the_clutch(operator: Operator) -> None:
    """Check that a squeeze still held does nothing, and that letting go and squeezing again moves nothing at first."""
    operator.wait(0.3)
    assert not operator.command.left.engaged
    assert operator.command.left.waiting
    assert_nothing_moves(operator)
    before = operator.reached_left
    operator.squeeze()
    assert operator.command.left.engaged
    assert operator.command.left.waiting == ""
    assert distance(left_position(operator), before[:3, 3]) <= FIRST_STEP
    operator.move(0.1)
    operator.wait(1.5)
    assert left_position(operator)[0] - before[0, 3] == pytest.approx(0.1, abs=FIRST_STEP)


def test_an_engaged_hand_follows_the_motion_of_the_operators_hand() -> None:
    operator = engaged_operator()
    before = operator.command.left.target
    start = operator.left.pose
    turn = pin.exp3(np.array([0.0, 0.0, 0.5]))
    operator.change_left(pose=pin.SE3(turn @ start.rotation, start.translation + np.array([0.05, -0.1, 0.08])))
    operator.wait(4.0)
    after = operator.command.left.target
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], [0.05, -0.1, 0.08], atol=1e-6)
    np.testing.assert_allclose(after[:3, :3] @ before[:3, :3].T, turn, atol=1e-6)


def test_only_the_hand_that_is_squeezed_moves() -> None:
    operator = engaged_operator()
    before = operator.command.right.target
    operator.right = hand_at(pose_at(0.5, -0.3, 1.2))
    operator.wait(1.0)
    assert not operator.command.right.engaged
    np.testing.assert_allclose(operator.command.right.target, before, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(turns, turns, turns, turns)
def test_the_first_step_after_squeezing_is_at_most_a_millimetre_from_wherever(
    hand: tuple[float, ...], hand_turn: tuple[float, ...], reached: tuple[float, ...], reached_turn: tuple[float, ...]
) -> None:
    operator = Operator(left=hand_at(pose_at(*hand, hand_turn)), follows=False)
    operator.wait(0.3)
    operator.reached_left = pose_at(*reached, reached_turn).homogeneous
    operator.squeeze()
    assert operator.command.left.engaged
    assert distance(left_position(operator), operator.reached_left[:3, 3]) <= FIRST_STEP
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=1e-9)


def test_a_hand_that_is_released_stays() -> None:
    operator = moving_operator()
    operator.change_left(squeeze=0.0)
    assert_hand_stays(operator)
    assert operator.command.left.waiting == ""


def test_a_released_hand_settles_on_the_pose_that_was_reached() -> None:
    operator = Operator(follows=False)
    operator.squeeze()
    operator.move(0.6)
    assert left_position(operator)[0] - operator.reached_left[0, 3] == pytest.approx(LIMITS.lead, abs=AT_REST)
    operator.change_left(squeeze=0.0)
    operator.wait(3.0)
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=AT_REST)


def test_a_weakening_squeeze_neither_releases_nor_engages_in_between() -> None:
    operator = Operator()
    operator.change_left(squeeze=0.5)
    assert not operator.wait(0.1).left.engaged
    assert operator.squeeze().left.engaged
    operator.change_left(squeeze=0.5)
    assert operator.wait(0.1).left.engaged
    operator.change_left(squeeze=0.3)
    assert not operator.wait(0.1).left.engaged
    operator.change_left(squeeze=0.5)
    assert not operator.wait(0.1).left.engaged


def test_a_hand_squeezed_again_while_it_still_brakes_engages_when_it_is_at_rest() -> None:
    operator = moving_operator()
    operator.change_left(squeeze=0.0)
    operator.wait(FRAME * PERIOD)
    operator.change_left(squeeze=1.0)
    assert not operator.wait().left.engaged
    speeds, last = [], left_position(operator)
    while not operator.wait().left.engaged:
        speeds.append(distance(left_position(operator), last) / PERIOD)
        last = left_position(operator)
    assert len(speeds) < 50  # [steps]: the stopping time
    assert speeds[-1] < LIMITS.acceleration * PERIOD * 2.0
    assert distance(left_position(operator), last) <= FIRST_STEP


def test_a_squeeze_held_from_the_start_does_not_engage() -> None:
    operator = Operator(left=hand_at(pose_at(0.3, 0.3, 1.0), squeeze=1.0))
    operator.wait(0.2)
    assert operator.command.left.waiting == "let go, then squeeze again"
    assert_needs_the_clutch(operator)


def test_a_hand_that_is_not_tracked_stays() -> None:
    operator = moving_operator()
    pose = operator.left.pose
    operator.change_left(pose=None)
    operator.wait()
    assert not operator.command.left.engaged
    assert operator.command.left.waiting == "left hand not seen: bring it into view"
    assert operator.command.lost_tracking == 1
    assert_hand_stays(operator)
    operator.change_left(pose=pose)
    assert_needs_the_clutch(operator)


def test_a_hand_released_and_squeezed_while_it_is_not_tracked_needs_the_clutch() -> None:
    operator = engaged_operator()
    pose = operator.left.pose
    for squeeze in (1.0, 0.0, 1.0):
        operator.change_left(pose=None, squeeze=squeeze)
        operator.wait(0.1)
    operator.change_left(pose=pose)
    assert_needs_the_clutch(operator)


def test_a_hand_without_a_new_sample_for_80_ms_stays() -> None:
    operator = engaged_operator()
    operator.silent = True
    operator.wait(0.078)
    assert operator.command.left.engaged
    operator.wait(0.004)
    assert not operator.command.left.engaged
    assert_hand_stays(operator)
    operator.silent = False
    assert_needs_the_clutch(operator)


@pytest.mark.parametrize("fault", ["nan", "infinity", "jump", "turn", "trigger"])
def test_a_sample_that_cannot_be_true_is_refused_and_moves_nothing(fault: str) -> None:
    operator = engaged_operator()
    before, sound = left_position(operator), operator.left
    spoil(operator, fault)
    operator.wait(FRAME * PERIOD)
    operator.left = sound
    operator.wait(0.5)
    assert operator.command.refused_samples == 1
    assert operator.command.left.engaged
    np.testing.assert_array_equal(left_position(operator), before)


def spoil(operator: Operator, fault: str) -> None:
    pose = operator.left.pose
    spoilt = {
        "nan": {"pose": pin.SE3(pose.rotation, np.array([math.nan, 0.0, 1.0]))},
        "infinity": {"pose": pin.SE3(pose.rotation, np.array([0.0, math.inf, 1.0]))},
        "jump": {"pose": pin.SE3(pose.rotation, pose.translation + np.array([2.0, 0.0, 0.0]))},
        "turn": {"pose": pin.SE3(pin.exp3(np.array([0.0, 0.0, 2.0])) @ pose.rotation, pose.translation)},
        "trigger": {"trigger": 7.0},
    }
    operator.change_left(**spoilt[fault])


def test_a_hand_refused_for_100_ms_is_lost_and_may_come_back_elsewhere() -> None:
    operator = engaged_operator()
    spoil(operator, "jump")
    operator.wait(0.06)
    assert operator.command.left.engaged
    operator.wait(0.06)
    assert not operator.command.left.engaged
    assert operator.command.lost_tracking == 1
    assert operator.command.lost_link == 0
    assert operator.command.refused_samples > 5
    assert_needs_the_clutch(operator)


def test_a_hand_that_is_no_number_for_long_says_so() -> None:
    operator = engaged_operator()
    spoil(operator, "nan")
    operator.wait(0.3)
    assert operator.command.left.waiting == "left hand refused (pose is not a number): hold it still"


NO_STOP = "nothing is bound to the stop: bind a control to it in the device's own settings"


def test_a_device_without_a_stop_does_not_engage_and_moves_nothing() -> None:
    operator = Operator(can_stop=False)
    operator.squeeze()
    operator.change_left(stick=np.array([0.0, 1.0]))
    command = operator.wait(0.1)
    assert not command.left.engaged
    assert not command.com_velocity.any()
    assert command.messages == (NO_STOP,)


def test_a_device_that_loses_its_stop_lets_go_until_it_has_one_and_is_clutched_again() -> None:
    operator = moving_operator()
    operator.can_stop = False
    operator.wait()
    assert not operator.command.left.engaged
    assert operator.command.left.waiting == NO_STOP
    assert_hand_stays(operator)
    operator.can_stop = True
    assert_needs_the_clutch(operator)


def test_when_the_session_is_not_focused_every_hand_holds() -> None:
    operator = moving_operator()
    operator.focused = False
    operator.wait()
    assert not operator.command.left.engaged
    assert operator.command.left.waiting == "nobody is there: put the headset on, or open the page"
    assert operator.command.messages == ("nobody is there: put the headset on, or open the page",)
    assert_hand_stays(operator)
    operator.focused = True
    assert_needs_the_clutch(operator)


@pytest.mark.parametrize(("age", "speed"), [(0.0, 1.0), (0.05, 1.0), (0.065, 0.5), (0.077, 0.1), (0.08, 0.0), (5.0, 0.0)])
def test_a_late_link_slows_everything_from_50_ms_and_stops_it_at_80(age: float, speed: float) -> None:
    operator = moving_operator()
    operator.change_left(pose=pin.SE3(np.eye(3), operator.left.pose.translation + np.array([0.4, 0.0, 0.0])))
    operator.right = hand_at(None, stick=np.array([-1.0, 1.0]))
    operator.age = age
    operator.wait(0.06)
    last = left_position(operator)
    command = operator.wait()
    assert command.speed == pytest.approx(speed)
    assert command.left.engaged == (speed > 0.0)
    assert distance(left_position(operator), last) <= speed * LIMITS.velocity * PERIOD + ROUNDING
    np.testing.assert_allclose([*command.com_velocity, command.yaw_rate], [0.0, 0.0, speed, speed], atol=ROUNDING)


@pytest.mark.parametrize("age", [0.1, 3.0, math.inf, math.nan])
def test_a_lost_link_lets_everything_hold_until_clutched_again(age: float) -> None:
    operator = moving_operator()
    operator.age = age
    operator.wait()
    assert operator.command.speed == 0.0
    assert "station" in operator.command.messages[0]
    assert operator.command.lost_link == 1
    assert_hand_stays(operator)
    operator.age = 0.0
    assert_needs_the_clutch(operator)
    assert operator.command.lost_link == 1
    assert operator.command.lost_tracking == 0


def test_a_station_that_falls_silent_has_the_hand_at_rest_100_ms_after_its_last_sample() -> None:
    operator = moving_operator()
    operator.silent = True
    operator.wait(0.1 - (FRAME - 1) * PERIOD)
    assert operator.command.speed == 0.0
    before = left_position(operator)
    operator.wait(2.0)
    assert distance(left_position(operator), before) <= AT_REST


def test_another_run_of_a_device_needs_the_clutch() -> None:
    operator = moving_operator()
    operator.device = "headset 2"
    operator.wait()
    assert not operator.command.left.engaged
    assert_hand_stays(operator)
    assert_needs_the_clutch(operator)


def test_a_station_started_again_counts_from_nought_and_is_heard() -> None:
    operator = moving_operator()
    operator.device, operator._sequence = "headset 2", -1
    assert_needs_the_clutch(operator)


def test_another_origin_needs_the_clutch() -> None:
    operator = moving_operator()
    operator.origin += 1
    operator.change_left(pose=pose_at(-3.0, 1.0, 1.0, (0.0, 0.0, 2.0)))
    operator.wait()
    assert not operator.command.left.engaged
    assert operator.command.refused_samples == 0
    assert_hand_stays(operator)
    assert_needs_the_clutch(operator)


def test_both_stick_clicks_hold_everything_until_both_are_clicked_again() -> None:
    operator = moving_operator()
    operator.click()
    assert operator.command.stop == Stop.HOLD
    assert_hand_stays(operator)
    operator.squeeze()
    assert not operator.command.left.engaged
    assert operator.command.left.waiting.startswith("stopped")
    operator.change_left(squeeze=0.0)
    operator.wait(0.1)
    operator.click()
    assert operator.command.stop is Stop.NONE
    operator.change_left(squeeze=1.0)
    assert operator.wait().left.engaged


def test_a_stop_is_not_left_while_a_squeeze_is_held() -> None:
    operator = moving_operator()
    operator.click()
    operator.click()
    assert operator.command.stop == Stop.HOLD
    operator.change_left(squeeze=0.0)
    operator.wait(0.1)
    assert operator.command.stop == Stop.HOLD
    operator.click()
    assert operator.command.stop is Stop.NONE


def test_a_squeeze_held_when_a_stop_ends_does_not_engage() -> None:
    operator = moving_operator()
    operator.click()
    operator.engagement.clear_stop()
    assert_needs_the_clutch(operator)


def test_one_stick_click_stops_nothing() -> None:
    operator = engaged_operator()
    operator.change_left(buttons=Buttons(stick=True))
    operator.wait(1.5)
    assert operator.command.stop is Stop.NONE
    assert operator.command.left.engaged


def test_both_sticks_held_down_for_a_second_damp_for_good() -> None:
    operator = moving_operator()
    operator.click(duration=0.98)
    assert operator.command.stop == Stop.HOLD
    operator.click(duration=1.01)
    assert operator.command.stop == Stop.DAMP
    operator.change_left(squeeze=0.0)
    operator.wait(0.2)
    operator.click()
    operator.device = "headset 2"
    operator.squeeze()
    assert operator.command.stop == Stop.DAMP
    assert not operator.command.left.engaged
    operator.engagement.clear_stop()
    assert operator.wait().stop is Stop.NONE


def test_a_stop_counts_though_the_hand_is_refused_and_nobody_wears_the_headset() -> None:
    operator = engaged_operator()
    operator.focused = False
    spoil(operator, "nan")
    operator.click()
    assert operator.command.stop == Stop.HOLD


def test_sticks_of_a_lost_link_do_not_count_as_held_down() -> None:
    operator = engaged_operator()
    operator.left, operator.right = (hand_at(None, buttons=Buttons(stick=True)) for _ in range(2))
    operator.wait(0.1)
    operator.silent = True
    operator.wait(3.0)
    assert operator.command.stop == Stop.HOLD


def test_sticks_move_the_centre_of_mass_forward_left_up_and_turn_left() -> None:
    operator = Operator()
    operator.wait(0.1)
    assert not operator.command.com_velocity.any()
    operator.change_left(stick=np.array([0.0, 1.0]))
    operator.right = hand_at(None, stick=np.array([-1.0, 1.0]))
    operator.wait(0.1)
    np.testing.assert_allclose(operator.command.com_velocity, [1.0, 0.0, 1.0])
    assert operator.command.yaw_rate == 1.0
    operator.change_left(stick=np.array([-1.0, 0.0]))
    operator.wait(0.1)
    np.testing.assert_allclose(operator.command.com_velocity, [0.0, 1.0, 1.0])


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
@settings(max_examples=50, deadline=None)
def test_a_stick_at_rest_asks_for_nothing_and_no_stick_asks_for_more_than_all(right: float, forward: float) -> None:
    operator = Operator()
    operator.wait(0.05)
    operator.change_left(stick=np.array([right, forward]))
    velocity = operator.wait(0.02).com_velocity
    assert np.linalg.norm(velocity) <= 1.0 + 1e-12
    assert velocity.any() == (math.hypot(right, forward) > 0.15)


LOSSES: dict[str, Callable[[Operator], None]] = {
    "focus": lambda operator: setattr(operator, "focused", False),
    "link": lambda operator: setattr(operator, "age", 0.2),
    "device": lambda operator: setattr(operator, "device", "headset 2"),
    "origin": lambda operator: setattr(operator, "origin", 7),
    "silence": lambda operator: setattr(operator, "silent", True),
    "stop": lambda operator: operator.click(),
}


def come_back(operator: Operator) -> None:
    operator.focused, operator.age, operator.silent = True, 0.0, False
    operator.engagement.clear_stop()


@pytest.mark.parametrize("loss", LOSSES)
def test_sticks_held_while_anything_comes_back_do_nothing_until_let_go(loss: str) -> None:
    operator = Operator()
    operator.wait(0.1)
    operator.change_left(stick=np.array([0.0, 1.0]))
    assert operator.wait(0.1).com_velocity.any()
    LOSSES[loss](operator)
    operator.wait(0.2)
    come_back(operator)
    assert not operator.wait(0.1).com_velocity.any()
    operator.change_left(stick=np.zeros(2))
    operator.wait(0.1)
    operator.change_left(stick=np.array([0.0, 1.0]))
    assert operator.wait(0.1).com_velocity.any()


@pytest.mark.parametrize("loss", LOSSES)
def test_squeezes_held_while_anything_comes_back_need_the_clutch(loss: str) -> None:
    operator = moving_operator()
    LOSSES[loss](operator)
    operator.wait(0.2)
    come_back(operator)
    assert_needs_the_clutch(operator)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_trigger_is_kept_while_anything_is_lost_and_taken_up_where_it_was(loss: str) -> None:
    operator = engaged_operator()
    operator.change_left(trigger=1.0)
    operator.wait(0.1)
    assert operator.command.left.trigger == 1.0
    LOSSES[loss](operator)
    operator.wait(0.2)
    operator.change_left(trigger=0.0)
    come_back(operator)
    operator.wait(0.2)
    assert operator.squeeze().left.trigger == 1.0
    assert any("trigger" in message for message in operator.command.messages)
    operator.change_left(trigger=0.95)
    assert operator.wait(0.1).left.trigger == 0.95
    operator.change_left(trigger=0.0)
    assert operator.wait(0.1).left.trigger == 0.0
    assert operator.command.messages == ()


def test_a_button_counts_once_and_only_when_it_goes_down() -> None:
    operator = Operator()
    operator.wait(0.1)
    operator.change_left(buttons=Buttons(primary=True, secondary=True, menu=True))
    command = operator.wait()
    assert command.left.primary_pressed
    assert command.left.secondary_pressed
    assert command.menu_pressed
    assert not command.right.primary_pressed
    for _ in range(3 * FRAME):
        command = operator.wait()
        assert not any((command.left.primary_pressed, command.left.secondary_pressed, command.menu_pressed))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_button_held_while_anything_comes_back_does_not_count(loss: str) -> None:
    operator = Operator()
    operator.wait(0.1)
    LOSSES[loss](operator)
    operator.change_left(buttons=Buttons(primary=True))
    operator.wait(0.2)
    come_back(operator)
    for _ in range(3 * FRAME):
        assert not operator.wait().left.primary_pressed


def test_a_robot_without_a_left_hand_says_so_and_moves_its_right_one() -> None:
    operator = Operator(reached_left=None, follows=False)
    operator.right = hand_at(pose_at(0.3, -0.3, 1.0))
    operator.wait(0.1)
    operator.right = hand_at(pose_at(0.3, -0.3, 1.0), squeeze=1.0)
    operator.change_left(squeeze=1.0)
    operator.wait(0.1)
    assert operator.command.left.waiting == "nothing to move with the left hand in this mode"
    assert np.isnan(operator.command.left.target).all()
    assert operator.command.left.target.shape == (4, 4)
    assert not operator.command.left.target.flags.writeable
    assert operator.command.right.engaged


def test_starting_anew_disengages_and_takes_the_present_reference() -> None:
    operator = moving_operator()
    operator.engagement.restart()
    operator.reached_left = pose_at(-1.0, 0.0, 0.5).homogeneous
    operator.wait()
    np.testing.assert_allclose(operator.command.left.target, pose_at(-1.0, 0.0, 0.5).homogeneous, atol=1e-12)
    assert_needs_the_clutch(operator)


def test_a_hand_moved_by_a_hold_is_not_pulled_back_when_the_operator_comes_back() -> None:
    operator = moving_operator()
    operator.age = 0.2
    operator.wait(0.2)
    operator.follows = False
    operator.reached_left = operator.reached_left.copy()
    operator.reached_left[0, 3] += 0.02
    operator.wait(2.0)
    operator.age = 0.0
    operator.wait(0.1)
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=AT_REST)


@pytest.mark.parametrize("asked", [Stop.HOLD, Stop.DAMP])
def test_a_stop_that_a_device_asks_for_holds_while_it_does_and_after(asked: str) -> None:
    operator = moving_operator()
    operator.stop = asked
    operator.wait(0.05)
    assert operator.command.stop == asked
    assert not operator.command.left.engaged
    operator.stop = Stop.NONE
    operator.wait(0.5)
    assert operator.command.stop == asked


def test_a_resume_that_a_device_asks_for_ends_a_hold_once_nothing_is_squeezed_and_never_damping() -> None:
    operator = moving_operator()
    operator.stop = Stop.HOLD
    operator.wait(0.05)
    operator.stop = Stop.RESUME
    operator.wait(0.05)
    assert operator.command.stop == Stop.HOLD
    operator.change_left(squeeze=0.0)
    operator.wait(0.05)
    assert operator.command.stop is Stop.NONE
    operator.stop = Stop.DAMP
    operator.wait(0.05)
    operator.stop = Stop.RESUME
    operator.wait(0.05)
    assert operator.command.stop == Stop.DAMP


def test_one_hand_begins_anew_and_the_other_goes_on() -> None:
    operator = engaged_operator()
    operator.right = hand_at(pose_at(0.3, -0.3, 1.0))
    operator.wait(0.2)
    operator.right = hand_at(pose_at(0.3, -0.3, 1.0), squeeze=1.0)
    operator.wait(0.1)
    assert operator.command.right.engaged
    operator.engagement.restart(left=True, right=False)
    operator.step()
    assert not operator.command.left.engaged
    assert operator.command.right.engaged


def test_a_hand_that_begins_anew_begins_where_its_effector_is_now() -> None:
    operator = engaged_operator()
    operator.follows = False
    operator.reached_left = pose_at(0.1, 0.1, 0.05).homogeneous
    operator.engagement.restart(right=False)
    operator.step()
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=ROUNDING)
    operator.squeeze()
    assert operator.command.left.engaged
    assert distance(left_position(operator), operator.reached_left[:3, 3]) <= FIRST_STEP


def test_a_released_hand_that_begins_anew_stays_where_its_effector_is_now() -> None:
    operator = moving_operator()
    operator.change_left(squeeze=0.0)
    operator.wait(1.0)
    operator.follows = False
    operator.reached_left = pose_at(0.1, 0.1, 0.05).homogeneous
    operator.engagement.restart()
    operator.wait(1.0)
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=ROUNDING)


def test_a_squeeze_that_begins_as_a_released_hand_begins_anew_engages() -> None:
    operator = engaged_operator()
    operator.change_left(squeeze=0.0)
    operator.wait(1.0)
    operator.change_left(squeeze=1.0)
    operator.engagement.restart()
    operator.wait()
    assert operator.command.left.engaged


def test_a_button_is_held_from_its_press_until_it_is_let_go() -> None:
    operator = Operator()
    operator.wait(0.1)
    held = []
    for down in (False, True, True, False):
        operator.change_left(buttons=Buttons(secondary=down))
        operator.wait(0.1)
        held.append(operator.command.left.secondary_held)
    assert held == [False, True, True, False]


def test_a_button_that_was_never_seen_released_is_not_held() -> None:
    operator = Operator()
    operator.change_left(buttons=Buttons(secondary=True))
    operator.wait(0.3)
    assert not operator.command.left.secondary_held
    assert not operator.command.left.secondary_pressed


def test_a_button_held_when_the_link_is_lost_is_held_no_more() -> None:
    operator = Operator()
    operator.wait(0.1)
    operator.change_left(buttons=Buttons(secondary=True))
    operator.wait(0.1)
    assert operator.command.left.secondary_held
    operator.age = 0.2
    operator.wait(0.05)
    assert not operator.command.left.secondary_held


@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize(("squeeze", "resumes"), [(0.0, True), (0.3, True), (0.31, False), (1.0, False)])
def test_a_stop_is_left_only_with_both_squeezes_let_go(hand: str, squeeze: float, resumes: bool) -> None:
    operator = Operator(stop=Stop.HOLD)
    setattr(operator, hand, hand_at(pose_at(0.3, 0.0, 1.0), squeeze=squeeze))
    operator.wait(0.05)
    operator.stop = Stop.RESUME
    assert operator.wait(0.05).stop == (Stop.NONE if resumes else Stop.HOLD)


@pytest.mark.parametrize("lost", [{"age": 0.2}, {"focused": False}])
@pytest.mark.parametrize("way", ["a word", "a click"])
def test_nobody_leaves_a_stop_over_a_lost_link_or_without_being_there(lost: dict[str, object], way: str) -> None:
    operator = Operator(stop=Stop.HOLD)
    operator.wait(0.05)
    operator.stop = Stop.NONE
    for name, value in lost.items():
        setattr(operator, name, value)
    operator.wait(0.05)
    if way == "a word":
        operator.stop = Stop.RESUME
        operator.wait(0.05)
    else:
        operator.click()
    assert operator.command.stop == Stop.HOLD


def test_a_hand_of_which_nothing_was_ever_accepted_squeezes_nothing() -> None:
    nowhere = pin.SE3(np.eye(3), np.full(3, math.nan))
    operator = Operator(left=hand_at(nowhere, squeeze=1.0), right=hand_at(nowhere, squeeze=1.0), stop=Stop.HOLD)
    assert operator.wait().left.waiting == ""
    operator.stop = Stop.RESUME
    assert operator.wait(0.05).stop is Stop.NONE


def test_a_stick_of_a_hand_that_is_refused_commands_nothing_after_a_tenth_of_a_second() -> None:
    operator = Operator()
    operator.wait(0.1)
    operator.change_left(stick=np.array([0.0, 1.0]))
    assert operator.wait(0.1).com_velocity.any()
    spoil(operator, "nan")
    assert operator.wait(0.08).com_velocity.any()
    assert not operator.wait(0.05).com_velocity.any()


def test_a_hand_squeezed_again_keeps_a_target_that_is_as_good_as_reached() -> None:
    operator = engaged_operator()
    operator.change_left(squeeze=0.0)
    operator.wait(1.0)
    target = left_position(operator)
    operator.follows = False
    operator.reached_left = operator.reached_left.copy()
    operator.reached_left[0, 3] += 0.004
    operator.change_left(squeeze=1.0)
    assert operator.wait().left.engaged
    np.testing.assert_allclose(left_position(operator), target, atol=ROUNDING)


def test_a_hand_squeezed_for_a_moment_stays_where_its_effector_was_taken_up() -> None:
    operator = engaged_operator()
    operator.change_left(squeeze=0.0)
    operator.wait(1.0)
    operator.follows = False
    operator.reached_left = operator.reached_left.copy()
    operator.reached_left[0, 3] += 0.02
    operator.change_left(squeeze=1.0)
    assert operator.wait().left.engaged
    operator.change_left(squeeze=0.0)
    operator.wait(2.0)
    np.testing.assert_allclose(operator.command.left.target, operator.reached_left, atol=AT_REST)


def test_what_the_mode_does_to_a_hand_is_none_of_the_operators_and_is_displayed() -> None:
    alone, carried = Operator(follows=False), Operator(follows=False)
    start_left, start_right = carried.reached_left, carried.reached_right
    for count in range(1, 200):
        offset = pose_at(0.002 * count, -0.001 * count, 0.0, (0.0, 0.0, 0.003 * count)).homogeneous
        carried.engagement.follow_mode(ModeStatus(hands=(2, 3), hand_offsets={2: offset}))
        carried.reached_left, carried.reached_right = offset @ start_left, start_right
        for operator in (alone, carried):
            operator.left = hand_at(pose_at(0.3 + 0.001 * count, 0.3, 1.0), squeeze=float(count > 20))
            operator.wait()
        np.testing.assert_allclose(carried.command.left.target, alone.command.left.target, rtol=0.0, atol=1e-12)
        left, right = carried.engagement.displayed_targets
        assert (left == offset @ carried.command.left.target).all()
        assert right is carried.command.right.target
    assert carried.command.left.engaged
    for status in (ModeStatus(hands=(2, 3)), ModeStatus(hand_offsets={2: offset})):
        carried.engagement.follow_mode(status)
        assert carried.engagement.displayed_targets[0] is carried.command.left.target
