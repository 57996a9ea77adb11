"""A robot that is driven by its maker's protocol, on a link that is made up: what is refused, and what is not believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from handhold.robots.control.hand_over import DURATION
from handhold.robots.errors import CommandNotFinite
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.errors import AlreadyCommanded, NotStanding, NotThere, RobotSilent, UnknownMotors, WrongMotors
from handhold.robots.unitree.motor_health import SilentMotors
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unitree_robot import UnitreeRobot

PERIOD = 2e-3


class Time:
    """A clock that goes on when somebody sleeps, or waits for a reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, duration: float) -> None:
        self.now += duration


class Link:
    """A robot that stands still, with the torques that carry it; every reading differs by its noise."""

    interface = "made up"

    def __init__(self, model: RobotModel, torques: np.ndarray) -> None:
        self.motors, self.commands, self.rival, self.time = model.n, [], False, Time()
        self.damped = self.released = False
        self.random, self.silent, self.frozen, self.spoilt, self.closed = np.random.default_rng(0), False, False, False, False
        self.reading = MotorReading(
            time=0.0,
            positions=model.q_nominal[7:].copy(),
            velocities=np.zeros(model.n),
            torques=torques,
            temperatures=np.full(model.n, 30.0),
            voltages=np.full(model.n, 50.0),
            angular_velocity=np.zeros(3),
            specific_force=np.array([0.0, 0.0, GRAVITY]),
            quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
        )

    def read(self) -> MotorReading | None:
        self.time.sleep(PERIOD)
        if self.silent:
            return None
        if not self.frozen:
            noisy = np.array([0.0, 0.0, GRAVITY]) + self.random.normal(0.0, 0.02, 3)
            self.reading = replace(self.reading, specific_force=noisy, time=self.time.now)
        return replace(self.reading, torques=np.nan * self.reading.torques) if self.spoilt else self.reading

    def is_commanded(self) -> bool:
        return self.rival

    def release(self) -> None:
        self.released = True

    def write(self, command: JointCommand) -> None:
        self.commands.append(command)

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("g1")


@pytest.fixture(scope="module")
def torques(model: RobotModel) -> np.ndarray:
    """Joint torques with which it stands."""
    from handhold.retarget.bracing.seiko.seiko import Seiko
    from handhold.robots.contact import Stance
    from handhold.robots.qp import make_solver

    seiko = Seiko(model, Stance.of_reference(model, (0, 1)), model.q_nominal, make_solver("daqp"))
    return np.asarray(seiko.joint_torques)


@pytest.fixture
def link(model: RobotModel, torques: np.ndarray) -> Any:
    return Link(model, torques)


def take_over(model: RobotModel, link: Any) -> UnitreeRobot:
    return UnitreeRobot(model, link, clock=link.time.clock, sleep=link.time.sleep)


def test_where_it_stands_is_estimated_and_what_its_soles_bear(model: RobotModel, link: Any) -> None:
    robot = take_over(model, link)
    state = robot.reset(model.q_nominal)
    robot.close()
    assert state.q[:3] == pytest.approx(model.q_nominal[:3], abs=5e-3)
    assert state.v[:6] == pytest.approx(0.0, abs=0.02)
    assert state.contact_wrenches[:2, 2].sum() == pytest.approx(model.weight, rel=0.02)
    assert state.contact_wrenches[2:] == pytest.approx(0.0, abs=3.0)


def test_one_that_is_silent_is_not_taken_over(model: RobotModel, link: Any) -> None:
    link.silent = True
    with pytest.raises(RobotSilent):
        take_over(model, link)


def test_one_that_a_hung_program_commands_is_not_taken_over(model: RobotModel, link: Any) -> None:
    link.rival = True
    with pytest.raises(AlreadyCommanded):
        take_over(model, link)


def test_a_protocol_of_other_motors_is_refused(model: RobotModel, link: Any) -> None:
    link.motors = 12
    with pytest.raises(WrongMotors):
        take_over(model, link)


def test_one_that_is_elsewhere_is_refused_by_the_joint_that_is_farthest_off(model: RobotModel, link: Any) -> None:
    positions = link.reading.positions.copy()
    positions[3] += 0.4
    link.reading = replace(link.reading, positions=positions)
    robot = take_over(model, link)
    with pytest.raises(NotThere, match=model.joint_names[3]):
        robot.reset(model.q_nominal)
    robot.close()


def test_one_that_hangs_is_refused(model: RobotModel, link: Any) -> None:
    link.reading = replace(link.reading, torques=np.zeros(model.n))
    robot = take_over(model, link)
    with pytest.raises(NotStanding):
        robot.reset(model.q_nominal)
    robot.close()


def test_what_is_no_number_or_nothing_new_is_not_believed(model: RobotModel, link: Any) -> None:
    robot = take_over(model, link)
    before = robot.reset(model.q_nominal)
    link.spoilt = True
    assert robot.read() is before
    link.spoilt, link.frozen = False, True
    first = robot.read()
    assert robot.read() is first
    link.frozen = False
    assert robot.read() is not first
    assert np.isfinite(robot.read().q).all()
    robot.close()


def test_a_command_that_is_no_number_is_refused_and_not_sent(model: RobotModel, link: Any) -> None:
    robot = take_over(model, link)
    ones = np.ones(model.n)
    good = JointCommand(time=0.0, positions=ones, velocities=ones, torques=ones, stiffness=ones, damping=ones)
    robot.send(good)
    with pytest.raises(CommandNotFinite):
        robot.send(replace(good, torques=np.nan * ones))
    assert len(link.commands) == 1
    robot.close()
    assert link.closed


def test_it_is_handed_over_and_back_without_a_jump(model: RobotModel, link: Any) -> None:
    robot = take_over(model, link)
    state = robot.reset(model.q_nominal)
    assert link.released
    nothing = np.zeros(model.n)
    softly = np.full(model.n, 1e-3)
    asked = JointCommand(
        time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=softly, damping=np.ones(model.n)
    )
    before, jumps = state.joint_torques, []
    for _ in range(round(2.0 * DURATION / PERIOD)):
        torques = robot.send(asked)
        jumps.append(np.abs(torques - before).max())
        before = torques
    assert link.commands[-1] is asked, "ours alone in the end"
    assert max(jumps) < 1.2 * np.abs(state.joint_torques).max() * PERIOD / DURATION
    robot.hand_back()
    assert not robot.returned
    for _ in range(round(1.1 * DURATION / PERIOD)):
        robot.send(asked)
    assert robot.returned
    held = link.commands[-1]
    assert held.positions == pytest.approx(state.q[7:], abs=1e-9)
    assert held.stiffness.min() > 0.0


def test_who_gives_it_up_is_obeyed_at_once_however_far_it_has_been_handed_over_or_back(model: RobotModel, link: Any) -> None:
    robot = take_over(model, link)
    robot.reset(model.q_nominal)
    nothing, ones = np.zeros(model.n), np.ones(model.n)
    brake = JointCommand(time=0.0, positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=ones)
    drive = replace(brake, stiffness=ones)
    robot.send(drive)
    robot.send(brake)
    assert link.commands[-1] is brake
    assert robot.is_given_up
    robot.send(drive)
    assert link.commands[-1].stiffness.min() > 1.0, "it is handed over anew"
    robot.hand_back()
    robot.send(drive)
    robot.send(brake)
    assert link.commands[-1] is brake


def test_another_robot_of_as_many_joints_is_refused_whatever_their_order(model: RobotModel, link: Any) -> None:
    described = model.description.model_copy(update={"source": "mine.toml"})
    other = RobotModel(described)
    other.joint_names = ("left_toe_joint", *other.joint_names[1:])
    with pytest.raises(UnknownMotors, match=r"mine\.toml"):
        take_over(other, link)


def test_one_that_lacks_a_motor_is_refused_by_its_name(model: RobotModel, link: Any) -> None:
    lacking = [model.joint_names.index(f"{side}_wrist_yaw_joint") for side in ("left", "right")]

    def lack(values: np.ndarray) -> np.ndarray:
        return np.where(np.isin(np.arange(model.n), lacking), 0.0, values)

    rows = ("positions", "torques", "temperatures", "voltages")
    link.reading = replace(link.reading, **{row: lack(getattr(link.reading, row)) for row in rows})
    with pytest.raises(SilentMotors, match="left wrist yaw, right wrist yaw"):
        take_over(model, link)
