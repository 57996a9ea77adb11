"""Hands that close on an object, weigh it and let go: each step by itself."""

from __future__ import annotations

import numpy as np
import pytest
from stances import stand

from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.objects.compliant_object import TOGGLE as COMPLIANT
from handhold.retarget.bracing.objects.load_estimate import LoadEstimate
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.objects.object_holding import TOGGLE, HoldingPhase, ObjectHolding
from handhold.retarget.bracing.objects.object_push import DELAY, ObjectPush
from handhold.retarget.bracing.objects.palms import MAX_DISTANCE, TOUCH, ClosingPalms, face_each_other
from handhold.robots.grasp import NO_PUSH, Load
from handhold.robots.model import load_model

DT = 2e-3  # [s]
LEFT, RIGHT = 1, 2


@pytest.fixture(scope="module")
def model():
    return load_model("dual-panda")


class Hands:
    """The hands of two arms, and what presses on them."""

    def __init__(self, model) -> None:
        self.seiko = stand(model)
        self.contacts = Contacts(model, self.seiko)
        self.holding = ObjectHolding(model)
        self.holding.begin(self.seiko, self.contacts)
        self.wrenches, self.unobserved = np.zeros((3, 6)), np.zeros((3, 6))
        self.commands: dict[int, EffectorCommand] = {}

    def step(self, times: int = 1, *, hold: bool = False) -> np.ndarray:
        """Take steps, with the hands measured where the reference has them; return the last targets."""
        targets = self.seiko.kinematics.poses.copy()
        for _ in range(times):
            targets = self.seiko.kinematics.poses.copy()
            measured = MeasuredHands(self.seiko.kinematics.poses, np.zeros((3, 6)), self.wrenches, self.unobserved)
            targets = self.holding.step(targets, self.commands, measured, DT, hold=hold)
        return targets

    def grasp(self) -> None:
        """Ask for an object, and let both palms touch one."""
        assert self.holding.turn_over(TOGGLE)
        self.step()
        self.wrenches[[LEFT, RIGHT], 2] = TOUCH + 1.0
        self.step()
        assert self.holding.phase is HoldingPhase.HELD


@pytest.fixture
def hands(model) -> Hands:
    return Hands(model)


def test_palms_close_along_their_normals_and_stop_where_they_touch() -> None:
    poses = [np.eye(4), np.diag([1.0, -1.0, -1.0, 1.0])]
    poses[1][2, 3] = -0.3
    palms = ClosingPalms(poses)
    for _ in range(100):
        first, second = palms.step([0.0, TOUCH + 1.0], DT)
    assert first[2, 3] == pytest.approx(-0.03 * 100 * DT)
    assert second[2, 3] == pytest.approx(-0.3)
    assert (palms.closed, palms.missed) == (False, False)
    for _ in range(round(MAX_DISTANCE / 0.03 / DT)):
        palms.step([0.0, 0.0], DT)
    assert palms.missed
    palms.step([TOUCH + 1.0, 0.0], DT)
    assert palms.closed


def test_palms_face_each_other_only_with_room_between_them() -> None:
    first, second = np.eye(4), np.diag([1.0, -1.0, -1.0, 1.0])
    second[2, 3] = -0.3
    assert face_each_other(first, second, 0.5)
    second[0, 3] = 0.1
    assert face_each_other(first, second, 0.5)
    second[0, 3] = 0.2  # too far aside for friction
    assert not face_each_other(first, second, 0.5)
    second[0, 3], second[2, 3] = 0.0, 0.3  # back to back
    assert not face_each_other(first, second, 0.5)
    assert not face_each_other(first, np.eye(4), 0.5)


def test_mass_and_centre_of_mass_are_found_as_the_object_turns() -> None:
    truth, estimate, random = (
        Load(mass=3.0, com=np.array([0.03, -0.02, -0.12])),
        LoadEstimate(np.zeros(3)),
        np.random.default_rng(0),
    )
    for _ in range(40):
        rotation = np.linalg.qr(random.normal(size=(3, 3)))[0]
        rotation *= np.sign(np.linalg.det(rotation))
        for _ in range(200):
            load = estimate.update(truth.compute_wrench(rotation), rotation, DT)
    assert load.mass == pytest.approx(0.97 * truth.mass, rel=1e-3)
    np.testing.assert_allclose(load.com, truth.com, atol=0.005)
    assert estimate.change < 0.5


def test_what_presses_up_has_no_mass() -> None:
    estimate = LoadEstimate(np.zeros(3))
    for _ in range(100):
        load = estimate.update(-Load(mass=1.0, com=np.zeros(3)).compute_wrench(np.eye(3)), np.eye(3), DT)
    assert load.mass == 0.0


def test_hands_close_hold_and_let_go(hands: Hands) -> None:
    hands.grasp()
    assert hands.holding.restarted == {LEFT, RIGHT}
    assert hands.seiko.stance.grasp is not None
    assert hands.holding.rest_obstacle
    hands.step()
    assert hands.holding.restarted == frozenset()
    assert hands.holding.turn_over(TOGGLE)
    hands.step()
    assert (hands.holding.phase, hands.seiko.stance.grasp) == (HoldingPhase.NOTHING, None)
    assert hands.holding.restarted == {LEFT, RIGHT}
    assert not hands.holding.rest_obstacle


def test_closing_on_nothing_is_given_up_and_a_second_press_gives_it_up_at_once(hands: Hands) -> None:
    hands.holding.turn_over(TOGGLE)
    hands.step(2)
    assert hands.holding.busy
    hands.holding.turn_over(TOGGLE)
    hands.step()
    assert not hands.holding.busy
    hands.holding.turn_over(TOGGLE)
    hands.step(2 + round(MAX_DISTANCE / 0.03 / DT))
    assert hands.holding.phase is HoldingPhase.NOTHING
    assert any("nothing is between the palms" in text for text in hands.contacts.messages)


def test_what_hands_do_on_their_own_ends_where_everything_holds(hands: Hands) -> None:
    hands.holding.turn_over(TOGGLE)
    hands.step()
    hands.wrenches[[LEFT, RIGHT], 2] = TOUCH + 1.0  # somebody touches them meanwhile
    hands.step(hold=True)
    assert (hands.holding.phase, hands.seiko.stance.grasp) == (HoldingPhase.NOTHING, None)
    hands.step(50)
    assert hands.holding.phase is HoldingPhase.NOTHING


def test_letting_go_ends_where_everything_holds_and_the_object_is_held_on(hands: Hands) -> None:
    hands.grasp()
    hands.seiko.wrenches[:] = 50.0
    hands.holding.turn_over(TOGGLE)
    hands.step()
    assert hands.holding.phase is HoldingPhase.OPENING
    hands.step(hold=True)
    assert hands.holding.phase is HoldingPhase.HELD
    assert not hands.seiko.terms.unloading.any()


def test_what_is_asked_for_while_everything_holds_is_refused_and_not_done_later(hands: Hands) -> None:
    hands.holding.turn_over(TOGGLE)
    hands.step(hold=True)
    assert any("the robot is held" in text for text in hands.contacts.messages)
    hands.step(5)
    assert hands.holding.phase is HoldingPhase.NOTHING


def test_an_offset_of_what_is_measured_is_no_touch(hands: Hands) -> None:
    hands.wrenches[[LEFT, RIGHT], 2] = TOUCH + 5.0
    hands.holding.turn_over(TOGGLE)
    hands.step(20)
    assert hands.holding.phase is HoldingPhase.CLOSING


def test_the_hand_that_leads_opens_the_other_ones_clutch_and_a_stale_command_is_forgotten(hands: Hands) -> None:
    hands.grasp()
    left, right = (hands.seiko.kinematics.poses[hand].copy() for hand in (LEFT, RIGHT))
    left[2, 3] += 0.5
    command = EffectorCommand(desired_pose=left, engaged=True, pressed=False, push=0.0)
    other = EffectorCommand(desired_pose=right, engaged=True, pressed=False, push=0.0)
    hands.commands = {LEFT: command, RIGHT: other}
    ahead = hands.step(1000)
    assert hands.holding.restarted == {RIGHT}
    # The reference stays behind here: what is asked of it is never far ahead.
    assert ahead[LEFT, 2, 3] - left[2, 3] + 0.5 < 0.051
    hands.commands = {}
    hands.step()
    hands.commands = {
        LEFT: EffectorCommand(desired_pose=hands.seiko.kinematics.poses[LEFT], engaged=True, pressed=False, push=0.0)
    }
    again = hands.step()
    np.testing.assert_allclose(again[LEFT], hands.seiko.kinematics.poses[LEFT], atol=1e-9)


def test_an_object_that_hangs_in_the_hands_is_not_let_go(hands: Hands) -> None:
    hands.grasp()
    hands.seiko.load = Load(mass=2.0, com=np.zeros(3))
    hands.holding.turn_over(TOGGLE)
    hands.step()
    assert hands.holding.phase is HoldingPhase.HELD
    assert any("put the object down first" in text for text in hands.contacts.messages)


def test_an_object_that_presses_no_more_is_lost(hands: Hands) -> None:
    hands.grasp()
    hands.wrenches[:] = 0.0
    hands.step(60)
    assert hands.holding.phase is HoldingPhase.NOTHING
    assert any("the object is lost" in text for text in hands.contacts.messages)


def test_a_press_that_an_arm_hardly_feels_is_no_push_but_counts_for_no_press_either(hands: Hands) -> None:
    hands.grasp()
    weight = hands.seiko.kinematics.poses[LEFT, 2, :3]
    hands.wrenches[[LEFT, RIGHT], 2] = 60.0
    hands.wrenches[LEFT, :3] -= 20.0 * weight
    hands.step(1000)
    assert hands.seiko.measured_load.push is NO_PUSH
    hands.wrenches[RIGHT, 2] -= 40.0
    hands.unobserved[RIGHT, 2] = 40.0
    hands.step(200)
    assert hands.seiko.measured_load.push is NO_PUSH
    hands.wrenches[RIGHT, 2], hands.unobserved[RIGHT, 2] = 0.0, 60.0
    hands.step(1000)
    assert hands.holding.phase is HoldingPhase.NOTHING


def test_the_grip_tightens_at_once_and_eases_slowly(hands: Hands) -> None:
    hands.grasp()
    before = float(hands.seiko.stance.min_normal[1:].min())
    hands.wrenches[LEFT, 0] = 30.0
    hands.step()
    tight = float(hands.seiko.stance.min_normal[1:].min())
    assert tight > 50.0 > before
    hands.wrenches[LEFT, 0] = 0.0
    hands.step(250)
    assert before < float(hands.seiko.stance.min_normal[1:].min()) < tight


def test_one_clutch_moves_both_hands_and_no_faster_than_an_object_may_go(hands: Hands) -> None:
    hands.grasp()
    right = hands.seiko.kinematics.poses[RIGHT].copy()
    right[2, 3] += 0.04
    hands.commands = {RIGHT: EffectorCommand(desired_pose=right, engaged=True, pressed=False, push=0.0)}
    once, later = hands.step(), hands.step(1000)
    left = hands.seiko.kinematics.poses[LEFT]
    assert 0.0 < once[LEFT, 2, 3] - left[2, 3] < 1e-3
    np.testing.assert_allclose(later[LEFT, :3, 3], left[:3, 3] + [0.0, 0.0, 0.04], atol=1e-9)


def test_palms_that_do_not_face_each_other_take_nothing(hands: Hands) -> None:
    hands.seiko.kinematics.poses[RIGHT, :3, :3] = hands.seiko.kinematics.poses[LEFT, :3, :3]
    hands.holding.turn_over(TOGGLE)
    hands.step()
    assert hands.holding.phase is HoldingPhase.NOTHING
    assert any("turn the palms to each other" in text for text in hands.contacts.messages)


def test_robots_without_two_palms_are_not_offered_to_hold_anything() -> None:
    holding = ObjectHolding(load_model("talos"))
    assert holding.toggles == ()
    assert not holding.turn_over(TOGGLE)


def push_on(load: Load, pose: np.ndarray, push: ObjectPush, force: np.ndarray, seconds: float) -> None:
    """Let an object at rest be pushed in its middle, in world, shape ``(3,)`` [N]."""
    rotation = pose[:3, :3]
    moment = np.cross(rotation @ load.com, force)
    total = load.compute_wrench(rotation) + np.concatenate([rotation.T @ force, rotation.T @ moment])
    for _ in range(round(seconds / DT)):
        push.update(total, load, pose, np.zeros(6), DT)


def test_who_pushes_an_object_is_felt_beyond_the_dead_zone_across_the_vertical() -> None:
    load, pose, push = Load(mass=4.0, com=np.array([0.0, 0.02, -0.13])), np.eye(4), ObjectPush()
    pose[:3, :3] = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    pose[:3, :3] *= np.sign(np.linalg.det(pose[:3, :3]))
    push_on(load, pose, push, np.array([2.0, 2.0, 10.0]), 0.5)
    assert push.wrench is NO_PUSH
    force = np.array([30.0, -20.0, 0.0])
    push_on(load, pose, push, force, 0.5)
    np.testing.assert_allclose(push.force, force, atol=1e-9)
    np.testing.assert_allclose(push.wrench, [*force, *np.cross(pose[:3, :3] @ load.com, force)], atol=1e-3)
    push_on(load, pose, push, np.zeros(3), 0.5)
    assert push.wrench is NO_PUSH


def test_what_accelerates_an_object_is_no_push() -> None:
    load, pose, push, velocity = Load(mass=4.0, com=np.array([0.0, 0.0, -0.13])), np.eye(4), ObjectPush(), 0.0
    late = np.zeros(3)  # the wrenches are estimated with a time constant
    for k in range(1000):
        acceleration = 3.0 * np.cos(2.0 * np.pi * 2.0 * k * DT)
        velocity += DT * acceleration
        pose = pose.copy()
        pose[0, 3] += DT * velocity
        late[0] += DT / (DELAY + DT) * (-load.mass * acceleration - late[0])
        total = load.compute_wrench(pose[:3, :3]) + np.concatenate([late, np.cross(load.com, late)])
        push.update(total, load, pose, np.array([velocity, 0.0, 0.0, 0.0, 0.0, 0.0]), DT)
        assert np.abs(push.force).max() < 0.5 or k < 50


def test_a_pull_across_moves_no_centre_of_mass() -> None:
    truth, estimate = Load(mass=3.0, com=np.array([0.03, -0.02, -0.12])), LoadEstimate(np.zeros(3))
    for _ in range(2000):
        estimate.update(truth.compute_wrench(np.eye(3)), np.eye(3), DT)
    before = estimate.load.com
    pull = np.array([20.0, 10.0, 0.0, 1.0, -2.0, 3.0])
    for _ in range(500):
        load = estimate.update(truth.compute_wrench(np.eye(3)) + pull, np.eye(3), DT)
    np.testing.assert_array_equal(load.com, before)
    assert load.mass == pytest.approx(0.97 * truth.mass, rel=1e-3)


def test_what_is_held_is_led_goes_back_and_stays_where_it_is_while_everything_holds(hands: Hands) -> None:
    hands.grasp()
    into_hand = hands.seiko.kinematics.poses[LEFT, :3, :3].T
    hands.wrenches[LEFT, :3] += into_hand @ np.array([0.0, 0.0, -40.0])
    place = hands.step(1000)[LEFT, :3, 3].copy()
    hands.wrenches[LEFT, :3] += into_hand @ np.array([20.0, 0.0, 0.0])
    assert np.allclose(hands.step(100)[LEFT, :3, 3], place), "it is stiff at first"
    assert hands.holding.turn_over(COMPLIANT)
    led = hands.step(25)[LEFT, :3, 3] - place
    assert led[0] > 0.005
    assert np.abs(led[1:]).max() < 1e-3
    assert hands.holding.led
    assert hands.holding.displacements.keys() == {LEFT, RIGHT}
    assert "what is held is led" in hands.holding.messages
    held = hands.step(hold=True)[LEFT, :3, 3]
    np.testing.assert_allclose(hands.step(50, hold=True)[LEFT, :3, 3], held)
