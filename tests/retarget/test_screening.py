"""Screening: a sample that cannot be true is as good as none."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators import hand_at, pose_at

from handhold.devices.operator_input import Buttons, HandInput
from handhold.retarget.engagement.screening import (
    LOST_AFTER,
    MAXIMUM_JUMP,
    MAXIMUM_TURN,
    RANGE_TOLERANCE,
    HandScreen,
    find_fault,
    find_pose_fault,
)

HAIR = 1e-9  # [m], [rad] and [-]: just beyond a boundary, well above rounding
not_numbers = st.sampled_from([math.nan, math.inf, -math.inf])


@settings(deadline=None)  # the first case compiles
@given(st.integers(0, 11), not_numbers)
def test_a_pose_that_is_not_a_number_is_refused(entry: int, value: float) -> None:
    pose = np.eye(4)
    pose[:3].reshape(-1)[entry] = value
    assert find_pose_fault(pose, None) == "pose is not a number"
    assert find_fault(hand_at(pin.SE3(pose[:3, :3], pose[:3, 3])), None)


@pytest.mark.parametrize(
    "matrix", [np.zeros((3, 3)), 1.01 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.eye(3) + 0.01 * np.eye(3, k=1)]
)
def test_a_pose_that_is_no_rotation_is_refused(matrix: np.ndarray) -> None:
    pose = np.eye(4)
    pose[:3, :3] = matrix
    assert find_pose_fault(pose, None) == "pose is not a rotation"


def test_a_pose_in_single_precision_is_accepted() -> None:
    pose = pose_at(0.1, 0.2, 0.3, (1.0, 2.0, 0.5)).homogeneous.astype(np.float32).astype(float)
    assert find_pose_fault(pose, None) == ""


@pytest.mark.parametrize(("distance", "refused"), [(MAXIMUM_JUMP, False), (MAXIMUM_JUMP + HAIR, True), (2.0, True)])
def test_a_jump_is_refused_beyond_half_a_metre(distance: float, refused: bool) -> None:
    fault = find_pose_fault(pose_at(0.0, -distance, 0.0).homogeneous, np.eye(4))
    assert fault == ("pose jumps" if refused else "")


@pytest.mark.parametrize(("angle", "refused"), [(MAXIMUM_TURN - HAIR, False), (MAXIMUM_TURN + HAIR, True), (math.pi, True)])
def test_a_turn_is_refused_beyond_sixty_degrees(angle: float, refused: bool) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    start = pin.exp3(np.array([0.4, 0.5, 0.6]))
    last, pose = np.eye(4), np.eye(4)
    last[:3, :3] = start
    pose[:3, :3] = start @ pin.exp3(axis * angle)
    assert find_pose_fault(pose, last) == ("pose turns too far" if refused else "")


@settings(deadline=None)  # the first case compiles
@given(st.sampled_from(["trigger", "squeeze"]), st.one_of(not_numbers, st.sampled_from([-0.1, 1.1])))
def test_a_trigger_or_squeeze_out_of_range_is_refused(name: str, value: float) -> None:
    assert find_fault(HandInput(**{name: value}), None) == "trigger or squeeze out of range"


@settings(deadline=None)  # the first case compiles
@given(st.integers(0, 1), st.one_of(not_numbers, st.sampled_from([-1.1, 1.1])))
def test_a_stick_out_of_range_is_refused(axis: int, value: float) -> None:
    stick = np.zeros(2)
    stick[axis] = value
    assert find_fault(HandInput(stick=stick), None) == "stick out of range"


def test_a_stick_of_another_shape_is_refused() -> None:
    assert find_fault(HandInput(stick=np.zeros(3)), None) == "stick out of range"


def test_readings_that_overshoot_in_the_last_digit_are_accepted_and_clipped() -> None:
    screen = HandScreen()
    over = 1.0 + RANGE_TOLERANCE / 2.0
    assert screen.take(HandInput(trigger=over, squeeze=1.0 - over, stick=np.array([over, -over])))
    assert (screen.accepted.trigger, screen.accepted.squeeze, screen.accepted.stick) == (1.0, 0.0, (1.0, -1.0))


def test_a_refused_sample_is_as_if_it_had_not_come_but_counted() -> None:
    screen = HandScreen()
    screen.take(hand_at(pose_at(0.0, 0.0, 1.0), trigger=0.3))
    before = screen.accepted
    assert not screen.take(hand_at(pose_at(2.0, 0.0, 1.0), trigger=0.9))
    assert screen.accepted is before
    assert (screen.refused, screen.fault) == (1, "pose jumps")


def test_jumps_are_measured_from_the_last_accepted_pose_and_not_from_a_refused_one() -> None:
    screen = HandScreen()
    screen.take(hand_at(pose_at(0.0, 0.0, 1.0)))
    assert not screen.take(hand_at(pose_at(0.6, 0.0, 1.0)))
    assert not screen.take(hand_at(pose_at(0.7, 0.0, 1.0)))
    assert screen.take(hand_at(pose_at(0.4, 0.0, 1.0)))
    assert screen.refused == 2


def test_a_pose_elsewhere_is_taken_up_once_the_hand_is_lost_and_not_before() -> None:
    screen = HandScreen()
    elsewhere = hand_at(pose_at(2.0, 0.0, 1.0))
    screen.take(hand_at(pose_at(0.0, 0.0, 1.0)))
    for _ in range(round(LOST_AFTER / 1e-3) - 1):
        assert not screen.take(elsewhere)
        screen.wait(1e-3)
    assert screen.pose is not None
    screen.wait(1e-3)
    assert screen.pose is None
    assert screen.take(elsewhere)


def test_a_pose_elsewhere_is_taken_up_after_the_tracking_was_lost() -> None:
    screen = HandScreen()
    screen.take(hand_at(pose_at(0.0, 0.0, 1.0)))
    screen.take(hand_at(None))
    assert screen.pose is None
    assert screen.take(hand_at(pose_at(2.0, 0.0, 1.0)))


def test_an_accepted_pose_does_not_change_with_the_sample_it_came_from() -> None:
    screen, pose = HandScreen(), pose_at(0.0, 0.0, 1.0)
    screen.take(hand_at(pose))
    pose.translation[:] = 5.0
    assert screen.pose[2, 3] == 1.0


ROTATIONS = [pin.exp3(np.random.default_rng(seed).normal(scale=1.5, size=3)) for seed in range(10)]
# Of these a single one of the determinant's six terms is not nought.
QUARTER_TURNS = [
    np.diag(signs)[list(order)]
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1.0, -1.0), repeat=3)
    if np.linalg.det(np.diag(signs)[list(order)]) > 0.0
]


@pytest.mark.parametrize("rotation", [*ROTATIONS, *QUARTER_TURNS])
def test_any_rotation_is_accepted_and_none_of_its_mirror_images(rotation: np.ndarray) -> None:
    assert find_pose_fault(pin.SE3(rotation, np.zeros(3)).homogeneous, None) == ""
    for mirror in (np.diag([-1.0, 1.0, 1.0]), np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 1.0, -1.0]), -np.eye(3)):
        assert find_pose_fault(pin.SE3(rotation @ mirror, np.zeros(3)).homogeneous, None) == "pose is not a rotation"


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize("other", range(3))
@pytest.mark.parametrize("rotation", ROTATIONS[:3])
def test_a_rotation_is_taken_with_a_thousandth_of_error_and_no_more(column: int, other: int, rotation: np.ndarray) -> None:
    for error, refused in ((0.9e-3, False), (-0.9e-3, False), (1.1e-3, True), (-1.1e-3, True)):
        deformed = rotation.copy()
        # a longer column is seen twice in its product with itself
        deformed[:, column] += (error / 2.0 if column == other else error) * rotation[:, other]
        fault = find_pose_fault(pin.SE3(deformed, np.zeros(3)).homogeneous, None)
        assert fault == ("pose is not a rotation" if refused else "")


@pytest.mark.parametrize("start", ROTATIONS[:4])
@pytest.mark.parametrize("axis", np.eye(3))
@pytest.mark.parametrize(("angle", "refused"), [(59.999, False), (60.001, True), (120.0, True)])
def test_a_hand_turns_by_at_most_60_degrees_about_any_axis(
    start: np.ndarray, axis: np.ndarray, angle: float, refused: bool
) -> None:
    # Where the hand is has nothing to do with how far it turns.
    last, pose = pose_at(2.0, -1.5, 1.2).homogeneous, pose_at(2.1, -1.4, 1.3).homogeneous
    last[:3, :3] = start
    for way in (math.radians(angle), -math.radians(angle)):
        pose[:3, :3] = pin.exp3(way * axis) @ start
        assert find_pose_fault(pose, last) == ("pose turns too far" if refused else "")


@pytest.mark.parametrize("axis", [*np.eye(3), np.array([2.0, -1.0, 2.0]) / 3.0])
@pytest.mark.parametrize(("distance", "refused"), [(0.5 - HAIR, False), (0.5 + HAIR, True)])
def test_a_hand_moves_by_at_most_half_a_metre_in_any_direction(axis: np.ndarray, distance: float, refused: bool) -> None:
    last = pose_at(0.7, -1.3, 1.1).homogeneous
    for way in (distance, -distance):
        pose = last.copy()
        pose[:3, 3] += way * axis
        assert find_pose_fault(pose, last) == ("pose jumps" if refused else "")


@pytest.mark.parametrize("value", [-0.001, 0.0, 0.4, 1.0, 1.001])
def test_a_trigger_or_squeeze_may_read_a_thousandth_beyond_its_ends(value: float) -> None:
    screen = HandScreen()
    assert screen.take(HandInput(trigger=value, squeeze=value))
    assert screen.accepted.trigger == screen.accepted.squeeze == min(max(value, 0.0), 1.0)


@pytest.mark.parametrize("value", [-1.001, -1.0, -0.3, 0.3, 1.0, 1.001])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_stick_may_read_a_thousandth_beyond_its_ends(value: float, axis: int) -> None:
    screen, stick = HandScreen(), np.zeros(2)
    stick[axis] = value
    assert screen.take(HandInput(stick=stick))
    assert screen.accepted.stick[axis] == min(max(value, -1.0), 1.0)
    assert screen.accepted.stick[1 - axis] == 0.0


@pytest.mark.parametrize("beyond", [1.0011, -1.0011])
def test_what_reads_further_beyond_its_ends_is_refused(beyond: float) -> None:
    for hand in (HandInput(stick=np.array([beyond, 0.0])), HandInput(stick=np.array([0.0, beyond]))):
        assert find_fault(hand, None) == "stick out of range"
    share = beyond if beyond > 0.0 else 1.0 + beyond
    for hand in (HandInput(trigger=share), HandInput(squeeze=share)):
        assert find_fault(hand, None) == "trigger or squeeze out of range"


def test_the_buttons_of_an_accepted_sample_are_those_of_the_hand() -> None:
    screen, buttons = HandScreen(), Buttons(primary=True, menu=True)
    screen.take(HandInput(buttons=buttons))
    assert screen.accepted.buttons is buttons


def test_a_hand_is_lost_after_a_tenth_of_a_second_without_a_sample_that_could_be_accepted() -> None:
    screen = HandScreen()
    screen.wait(1.0)  # nothing was ever there to be lost
    for _ in range(2):
        screen.take(hand_at(pose_at(0.0, 0.0, 1.0), stick=np.array([0.0, 1.0])))
        screen.wait(0.06)
        screen.wait(0.0399)
        assert screen.accepted is not None
    screen.wait(0.0002)
    assert screen.accepted is None
    assert screen.pose is None


def test_a_screen_that_forgets_knows_neither_a_pose_nor_a_fault() -> None:
    screen = HandScreen()
    assert (screen.accepted, screen.fault, screen.refused) == (None, "", 0)
    screen.take(hand_at(pose_at(0.0, 0.0, 1.0)))
    screen.take(hand_at(pose_at(3.0, 0.0, 1.0)))
    assert screen.fault == "pose jumps"
    screen.forget()
    assert (screen.accepted, screen.fault, screen.refused) == (None, "", 1)
    assert screen.take(hand_at(pose_at(3.0, 0.0, 1.0)))
