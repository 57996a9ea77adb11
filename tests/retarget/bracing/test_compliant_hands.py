"""Hands that give way in bracing: only those that the operator has switched on, and only what is free."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.bracing.compliance.compliant_hands import NO_TOUCH, TURNING, CompliantHands
from handhold.retarget.bracing.contacts.touch import Touch
from handhold.retarget.bracing.seiko.external_forces import NO_FORCES
from handhold.robots.model import RobotModel, load_model

DT = 2e-3
PUSH = np.array([10.0, 0.0, 0.0])
NOTHING = np.zeros(3)
POSE = np.eye(4)
DESIRED = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.8, 0.5), np.array([0.4, 0.3, 1.1])).homogeneous
TWIST = np.array([0.0, 0.0, 1.5])
BIAS = np.array([0.4, -0.2, 0.3])  # [Nm] of the sensor, in its frame


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


class Robot:
    """A reference that is where its hand is commanded, and its contacts."""

    def __init__(self, model: RobotModel) -> None:
        self.kinematics = SimpleNamespace(poses=np.tile(POSE, (len(model.effectors), 1, 1)))
        self.stance = SimpleNamespace(effectors=())
        self.moving: tuple[int, ...] = ()
        self.touch = NO_TOUCH
        self.external = NO_FORCES

    def measure_touch(self, _effector: int, _dt: float) -> Touch:
        return self.touch

    def is_moving(self, effector: int) -> bool:
        return effector in self.moving


@pytest.fixture
def robot(model: RobotModel) -> Any:
    return Robot(model)


@pytest.fixture
def hands(model: RobotModel, robot: Any) -> CompliantHands:
    made = CompliantHands(model)
    made.begin(robot, robot)
    return made


@pytest.fixture(scope="module")
def left(model: RobotModel) -> int:
    hand = model.effector_of_hand("left")
    assert hand is not None
    return hand


def lead(
    hands: CompliantHands, robot: Any, hand: int, force: np.ndarray, duration: float, *, hold: bool = False
) -> np.ndarray:
    """Push a hand for a duration [s], the reference close behind; return its target's place."""
    moved = POSE
    robot.touch = Touch(force=force, noise=0.0, uncertainty=0.0)
    for _ in range(round(duration / DT)):
        moved = hands.move(hand, POSE, DT, hold=hold)
        robot.kinematics.poses[hand] = moved
    return moved[:3, 3]


def settle(hands: CompliantHands) -> dict[int, np.ndarray]:
    """What the balance is to reckon with once it has been measured for a while."""
    for _ in range(300):
        forces = hands.measure_forces(DT)
    return forces


def test_the_balance_reckons_with_what_moves_a_hand_and_not_with_noise(hands: CompliantHands, robot: Any, left: int) -> None:
    robot.touch = Touch(force=PUSH, noise=0.0, uncertainty=4.0)
    assert hands.measure_forces(DT) == {}, "a stiff hand's is none of it"
    hands.turn_over("compliant-left")
    assert settle(hands)[left] == pytest.approx(PUSH)
    for force, ratio in ((3.9, 0.0), (5.0, 0.5), (6.0, 1.0)):
        robot.touch = Touch(force=0.1 * force * PUSH, noise=0.0, uncertainty=4.0)
        assert settle(hands)[left] == pytest.approx(0.1 * ratio * force * PUSH)
    robot.touch = Touch(force=NOTHING, noise=0.0, uncertainty=np.inf)
    assert not settle(hands)[left].any(), "before its sensor's offset is known"
    robot.moving = (left,)
    assert hands.measure_forces(DT) == {}, "on its way to a surface it touches that"
    robot.moving, robot.stance = (), SimpleNamespace(effectors=(left,))
    assert hands.measure_forces(DT) == {}, "in contact it is the contact's"


def test_a_hand_that_is_held_on_to_stays_in_the_balance(hands: CompliantHands, robot: Any, left: int) -> None:
    robot.external = NO_FORCES.measure({left: PUSH}).admit(PUSH)
    robot.touch = Touch(force=PUSH, noise=0.0, uncertainty=0.0)
    assert settle(hands)[left] == pytest.approx(PUSH), "though it is stiff"
    robot.moving = (left,)
    assert hands.measure_forces(DT)[left] == pytest.approx(PUSH), "and though it is on its way"
    robot.touch = NO_TOUCH
    assert settle(hands) == {}, "until it is let go"


def test_hands_are_stiff_until_they_are_switched_on(hands: CompliantHands, robot: Any, left: int) -> None:
    assert [(each.name, each.on) for each in hands.toggles] == [("compliant-left", False), ("compliant-right", False)]
    robot.touch = Touch(force=PUSH, noise=0.0, uncertainty=0.0)
    assert hands.move(left, POSE, DT, hold=False) is POSE, "off is off: the very same target"
    assert hands.turn_over("compliant-left")
    assert [each.on for each in hands.toggles] == [True, False]
    assert lead(hands, robot, left, PUSH, 1.0)[0] > 0.1
    assert hands.messages == ("the left hand is led",)
    assert not hands.turn_over("posture")
    assert not hands.turn_over("compliant-tail")


def test_a_hand_that_its_description_calls_compliant_gives_way_from_the_start(
    model: RobotModel, robot: Any, left: int
) -> None:
    effectors = tuple(about.model_copy(update={"compliant": e == left}) for e, about in enumerate(model.description.effectors))
    hands = CompliantHands(RobotModel(model.description.model_copy(update={"effectors": effectors})))
    hands.begin(robot, robot)
    assert {toggle.name: toggle.on for toggle in hands.toggles} == {"compliant-left": True, "compliant-right": False}
    robot.touch = Touch(force=PUSH, noise=0.0, uncertainty=0.0)
    moved = [hands.move(hand, POSE, DT, hold=False) for _ in range(50) for hand in (left, model.effector_of_hand("right"))]
    assert moved[-2][0, 3] > 1e-3
    assert np.array_equal(moved[-1], POSE)


def test_a_hand_goes_back_and_is_forgotten(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, 0.5)
    assert hands.busy
    path = [lead(hands, robot, left, NOTHING, 1.0)[0] for _ in range(40)]
    assert all(later <= before for before, later in itertools.pairwise(path))
    assert not hands.busy
    assert hands.messages == ()
    assert hands.move(left, POSE, DT, hold=False) is POSE


def test_switched_off_it_goes_back_whoever_pushes(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    led = lead(hands, robot, left, PUSH, 1.0)
    hands.turn_over("compliant-left")
    one_step_later = hands.move(left, POSE, DT, hold=False)[:3, 3]
    assert np.abs(one_step_later - led).max() < 1e-3, "nothing jumps"
    lead(hands, robot, left, PUSH, 40.0)
    assert not hands.busy


def test_on_its_way_to_a_surface_it_keeps_its_displacement(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, 0.5)
    robot.moving = (left,)
    before = hands.offsets[left]
    lead(hands, robot, left, -10.0 * PUSH, 1.0)
    assert np.array_equal(hands.offsets[left], before)


def test_in_contact_it_counts_as_where_the_operator_has_it(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, 0.5)
    robot.stance = SimpleNamespace(effectors=(left,))
    absorbed = []
    for _ in range(100):
        assert hands.move(left, POSE, DT, hold=False) is POSE
        absorbed.append(hands.absorbed)
    assert absorbed == [frozenset({left})] + [frozenset()] * 99, "once: what bears is always pushed, and must be clutched"
    assert not hands.offsets


def test_what_may_be_noise_or_an_estimates_error_leads_nothing(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    robot.touch = Touch(force=PUSH, noise=0.0, uncertainty=1.01 * float(np.linalg.norm(PUSH)))
    for _ in range(1000):
        assert hands.move(left, POSE, DT, hold=False) is POSE
    assert hands.messages == ()


def test_it_says_whether_a_hand_is_led_or_goes_back(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, 1.0)
    assert hands.messages == ("the left hand is led",)
    lead(hands, robot, left, PUSH, 0.1, hold=True)
    assert hands.messages == ()
    lead(hands, robot, left, NOTHING, 0.5)
    assert hands.messages == ("the left hand goes back",)


def test_while_the_robot_holds_nothing_is_led_and_nothing_goes_back(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, DT, hold=True)
    assert hands.is_led(left), "a touch ends a hold in which nobody commands anything"
    led = lead(hands, robot, left, PUSH, 0.5)
    for force in (PUSH, NOTHING):
        assert np.abs(lead(hands, robot, left, force, 0.2, hold=True) - led).max() < 2e-3


def test_a_hand_that_is_commanded_no_more_stays_where_it_was_led(hands: CompliantHands, robot: Any, left: int) -> None:
    hands.turn_over("compliant-left")
    lead(hands, robot, left, PUSH, 0.5)
    hands.absorb_others([left])
    assert hands.busy
    hands.absorb_others([])
    assert not hands.busy
    assert hands.absorbed == {left}
    hands.absorb_others([])
    assert hands.absorbed == frozenset()


def turn(hands: CompliantHands, robot: Any, hand: int, moment: np.ndarray, duration: float) -> np.ndarray:
    """Turn a hand by a moment in world [Nm] for a duration [s], the reference close behind; return its target."""
    moved, wrenches = POSE, np.zeros((len(robot.kinematics.poses), 6))
    robot.touch = Touch(force=NOTHING, noise=0.0, uncertainty=0.0)
    for _ in range(round(duration / DT)):
        wrenches[hand, 3:] = BIAS + robot.kinematics.poses[hand, :3, :3].T @ moment
        hands.measure_moments(wrenches, robot.kinematics.poses, DT)
        moved = hands.move(hand, DESIRED, DT, hold=False)
        robot.kinematics.poses[hand] = moved
    return moved


def test_a_moment_turns_a_hand_about_itself_and_it_turns_back(hands: CompliantHands, robot: Any, left: int) -> None:
    robot.kinematics.poses[left] = DESIRED
    assert np.array_equal(turn(hands, robot, left, TWIST, 2.0), DESIRED), "a stiff one stays"
    hands.turn_over("compliant-left")
    assert np.array_equal(turn(hands, robot, left, NOTHING, 1.1), DESIRED), "the sensor's offset turns nothing"
    turned = turn(hands, robot, left, TWIST, 1.0)
    angle = pin.log3(turned[:3, :3] @ DESIRED[:3, :3].T)
    assert angle[2] > 0.2, "by the moment, in world"
    assert np.abs(angle[:2]).max() < 0.02
    assert turned[:3, 3] == pytest.approx(DESIRED[:3, 3])
    assert hands.offsets[left] @ DESIRED == pytest.approx(turned, abs=5e-3), "the clutch counts without it"
    assert hands.messages == ("the left hand is led",)
    path = [turn(hands, robot, left, NOTHING, 1.0) for _ in range(40)]
    angles = [float(np.linalg.norm(pin.log3(pose[:3, :3] @ DESIRED[:3, :3].T))) for pose in path]
    assert all(later <= before + 1e-9 for before, later in itertools.pairwise(angles))
    assert not hands.busy


def test_a_turn_has_a_limit(hands: CompliantHands, robot: Any, left: int) -> None:
    robot.kinematics.poses[left] = DESIRED
    hands.turn_over("compliant-left")
    turn(hands, robot, left, NOTHING, 1.1)
    turned = turn(hands, robot, left, 20.0 * TWIST, 5.0)
    angle = float(np.linalg.norm(pin.log3(turned[:3, :3] @ DESIRED[:3, :3].T)))
    assert angle == pytest.approx(TURNING.max_displacement, abs=1e-3)


def test_a_moment_is_none_of_a_hand_in_contact(hands: CompliantHands, robot: Any, left: int) -> None:
    robot.kinematics.poses[left] = DESIRED
    hands.turn_over("compliant-left")
    turn(hands, robot, left, NOTHING, 1.1)
    robot.stance = SimpleNamespace(effectors=(left,))
    assert np.array_equal(turn(hands, robot, left, TWIST, 1.0), DESIRED)
    robot.stance = SimpleNamespace(effectors=())
    assert np.array_equal(turn(hands, robot, left, NOTHING, 0.5), DESIRED), "nothing of it is left"
