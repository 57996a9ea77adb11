"""From a real OpenXR runtime to the hand of a simulated robot: the device, the messages and the control cycle, in lockstep."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin
import pytest
from monado import ANSWER_TIMEOUT, Controller, Headset, Pose, Session, find_runtime_json, open_monado, pose_at

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.link.messages import operator_codec
from handhold.devices.openxr.poses import convert_pose_from_openxr
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

pytestmark = pytest.mark.alone

PERIOD = 1e-3  # [s]
PERIODS_A_SAMPLE = 11  # a headset's 90 Hz
HAND_START = np.array([0.4, 0.3, 1.2])  # [m]: where the operator holds his hand to begin with
FORWARD, UP = np.array([0.2, 0.0, 0.0]), np.array([0.0, 0.0, 0.2])  # [m]
ASLANT = 0.2 / math.sqrt(3) * np.array([1.0, 1.0, -1.0])  # [m]
FOLLOWING = 0.02  # [m]: how near the simulated hand must come to where the operator's went
STAYING = 1e-3  # [m]: what clutching again may move, and less than a robot sways that balances
FLOAT32 = 1e-5  # [m]: poses pass through single precision twice
NAN = math.nan


class Teleoperation:
    """An operator whose left hand is where the test puts it, and a robot that follows in simulated time."""

    def __init__(self, session: Session, model: RobotModel) -> None:
        self._session = session
        self._codec = operator_codec()
        self._model = model
        self._robot = make_robot("mujoco", model, load_world("flat"))
        self._state = self._robot.reset(find_standing_posture(model))
        self._cycle = Cycle(model, self._state)
        self._effector = model.effector_of_hand("left")
        self.references: list[np.ndarray] = []
        self.position = HAND_START
        self.run(0.3, squeeze=0.0)

    def run(self, seconds: float, squeeze: float, pose: Pose | None = None, active: bool = True) -> None:
        """Let the operator hold his hand still for a time [s], or the runtime give a pose of the test's."""
        pose = pose or pose_at(pin.SE3(np.eye(3), self.position))
        for _ in range(math.ceil(seconds / (PERIODS_A_SAMPLE * PERIOD))):
            self._step(Controller(pose=pose, squeeze=squeeze, active=active))

    def reach(self, offset: np.ndarray, seconds: float, squeeze: float) -> None:
        """Let the operator move his hand in a straight line by an offset [m] within a time [s]."""
        start, count = self.position, math.ceil(seconds / (PERIODS_A_SAMPLE * PERIOD))
        for k in range(count):
            self.position = start + (k + 1) / count * offset
            self._step(Controller(pose=pose_at(pin.SE3(np.eye(3), self.position)), squeeze=squeeze))

    def _step(self, left: Controller) -> None:
        """Let the headset send a state, and the robot live until the next sample."""
        self._session.driver.send(Headset(left=left))
        sample = self._read()
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while not shows(sample.left, left):
            assert time.monotonic() < deadline, f"the runtime does not show {left}"
            sample = self._read()
        for _ in range(PERIODS_A_SAMPLE):
            command, self.last = self._cycle.step(sample, self._state, (), PERIOD)
            self.references.append(self.last.reference.q)
            self._robot.send(command)
            self._robot.advance(PERIOD)
            self._state = self._robot.read()

    def _read(self) -> OperatorInput:
        return self._codec.decode(bytes.fromhex(self._session.worker.ask("sample")["message"])).payload

    @property
    def hand(self) -> np.ndarray:
        """Where the simulated robot's hand is, by its measured joints and base [m]."""
        return self._model.effector_poses(self._state.q)[self._effector, :3, 3]

    def close(self) -> None:
        self._robot.close()


def shows(hand: HandInput, controller: Controller) -> bool:
    """Return whether a sample is of the state that the controller was put in."""
    if not controller.active or hand.pose is None:
        return controller.active == (hand.pose is not None)
    orientation, position = controller.pose
    if not np.isfinite([*orientation, *position]).all():
        return not np.isfinite(hand.pose.homogeneous).all()
    placed = convert_pose_from_openxr(np.array(position), np.array(orientation))
    return distance(hand.pose.translation, placed.translation) < FLOAT32 and hand.squeeze == controller.squeeze


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other))


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with open_monado(find_runtime_json(), tmp_path_factory.mktemp("monado")) as opened:
        yield opened


@pytest.fixture
def begin(session: Session, model: RobotModel) -> Iterator[Callable[[], Teleoperation]]:
    """Begin with a robot that stands; robots that are told the same do the same, bit for bit."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(contextlib.closing(Teleoperation(session, model)))


Begin = Callable[[], Teleoperation]


@pytest.mark.parametrize("offset", [FORWARD, UP, ASLANT], ids=["forward", "up", "aslant"])
def test_a_squeezed_hand_is_followed_within_2_cm(begin: Begin, offset: np.ndarray) -> None:
    robot = begin()
    start = robot.hand
    robot.run(0.2, squeeze=1.0)
    assert robot.last.left.engaged
    robot.reach(offset, 1.5, squeeze=1.0)
    robot.run(3.0, squeeze=1.0)
    assert distance(robot.hand, start + offset) < FOLLOWING


def test_a_hand_let_go_stays_whatever_the_operator_does(begin: Begin) -> None:
    still, moved = begin(), begin()
    for robot in (still, moved):
        robot.run(0.2, squeeze=1.0)
        robot.reach(FORWARD, 1.0, squeeze=1.0)
        robot.run(0.1, squeeze=0.0)
        assert not robot.last.left.engaged
    still.run(1.0, squeeze=0.0)
    moved.reach(-2.0 * UP, 1.0, squeeze=0.0)
    np.testing.assert_array_equal(moved.references, still.references)
    np.testing.assert_array_equal(moved.hand, still.hand)


def test_a_hand_lost_in_mid_motion_stays_and_needs_the_clutch(begin: Begin) -> None:
    lost, seen_again = begin(), begin()
    for robot in (lost, seen_again):
        robot.run(0.2, squeeze=1.0)
        robot.reach(FORWARD / 2, 0.75, squeeze=1.0)
        before = robot.hand
        robot.run(0.02, squeeze=1.0, active=False)
        assert not robot.last.left.engaged
        assert robot.last.counters.lost_tracking == 1
        robot.run(1.5, squeeze=1.0, active=False)
        assert distance(robot.hand, before) < FOLLOWING

    lost.run(1.0, squeeze=1.0, active=False)
    seen_again.reach(-2.0 * UP, 1.0, squeeze=1.0)
    assert seen_again.last.left.waiting
    np.testing.assert_array_equal(seen_again.references, lost.references)

    robot, stayed = seen_again, seen_again.hand
    robot.run(0.1, squeeze=0.0)
    robot.run(0.1, squeeze=1.0)
    assert robot.last.left.engaged
    assert distance(robot.hand, stayed) < STAYING
    robot.reach(UP / 2, 1.0, squeeze=1.0)
    robot.run(2.0, squeeze=1.0)
    assert distance(robot.hand, stayed + UP / 2) < FOLLOWING


BROKEN_POSES = {
    "a position that is not a number": ((0.0, 0.0, 0.0, 1.0), (NAN, NAN, NAN)),
    "an orientation that is not a number": ((NAN, NAN, NAN, NAN), (-0.3, 1.2, -0.4)),
    "a jump by 2 m": pose_at(pin.SE3(np.eye(3), HAND_START + np.array([2.0, 0.0, 0.0]))),
}


def reach_and_hold(robot: Teleoperation, pose: Pose | None) -> None:
    """Let the operator reach, the runtime give a pose for 50 ms, and the operator hold his hand where it was."""
    robot.run(0.2, squeeze=1.0)
    robot.reach(FORWARD / 2, 1.0, squeeze=1.0)
    robot.run(0.5, squeeze=1.0)
    robot.run(0.05, squeeze=1.0, pose=pose)
    robot.run(0.5, squeeze=1.0)
    assert robot.last.left.engaged


@pytest.fixture(scope="module")
def unbroken(session: Session, model: RobotModel) -> list[np.ndarray]:
    """References of a robot that no broken pose was given."""
    with contextlib.closing(Teleoperation(session, model)) as robot:
        reach_and_hold(robot, pose=None)
        assert robot.last.counters.refused_samples == 0
        return robot.references


@pytest.mark.parametrize("pose", BROKEN_POSES.values(), ids=BROKEN_POSES.keys())
def test_a_broken_pose_is_refused_and_counted_and_changes_no_reference(
    begin: Begin, unbroken: list[np.ndarray], pose: Pose
) -> None:
    robot = begin()
    reach_and_hold(robot, pose)
    assert robot.last.counters.refused_samples == 5
    np.testing.assert_array_equal(robot.references, unbroken)


@pytest.mark.parametrize("pose", BROKEN_POSES.values(), ids=BROKEN_POSES.keys())
def test_a_pose_that_stays_broken_leaves_the_hand_where_it_is(begin: Begin, pose: Pose) -> None:
    robot = begin()
    robot.run(0.5, squeeze=1.0)
    before = robot.hand
    robot.run(1.0, squeeze=1.0, pose=pose)
    assert not robot.last.left.engaged
    assert robot.last.left.waiting
    assert distance(robot.hand, before) < STAYING
