"""A robot that hangs is held as it was found, joints are moved one by one, and whatever goes wrong damps it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handhold.app.stand_in.program import find_model
from handhold.robots.joint_target import JointTarget
from handhold.robots.model import RobotModel, load_model
from handhold.robots.unitree.errors import AlreadyCommanded, HoldBroken, RobotSilent
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.hold_bounds import HoldBounds
from handhold.robots.unitree.hung_stand_in import HungStandIn
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.worlds import load_world

ELBOW = "left_elbow_joint"
PERIOD = 2e-3


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("g1")


@pytest.fixture
def hung(model: RobotModel) -> HungStandIn:
    stand = Stand(joints=dict(zip(model.joint_names, model.q_nominal[7:].tolist(), strict=True)), hung=0.3)
    body = StandInBody(find_model("g1"), stand, load_world("flat"), np.random.default_rng(0))
    return HungStandIn(body, model.joint_names)


def reach(model: RobotModel, hung: HungStandIn, bounds: HoldBounds | None = None) -> HeldRobot:
    return HeldRobot(model, hung.link, clock=hung.clock, sleep=hung.sleep, bounds=bounds)


def rest(hung: HungStandIn, duration: float) -> None:
    for _ in range(round(duration / PERIOD)):
        hung.sleep(PERIOD)


def is_slack(model: RobotModel, hung: HungStandIn) -> bool:
    """Whether its joints do no more than brake what still sinks."""
    rest(hung, 1.0)
    return bool(np.abs(hung.body.motors.told / model.motor_torques).max() < 0.03)


def drive(robot: HeldRobot, duration: float, targets: dict[int, JointTarget]) -> list[MotorReading]:
    readings = []
    for _ in range(round(duration / PERIOD)):
        readings.append(robot.wait())
        robot.send(targets)
    return readings


def test_it_is_held_where_it_was_found_without_a_jump(model: RobotModel, hung: HungStandIn) -> None:
    rest(hung, 3.0)
    robot = reach(model, hung)
    robot.hold()
    before, held = robot.reading.torques, drive(robot, 0.5, {})
    jumps = max(np.abs((reading.torques - before) / model.motor_torques).max() for reading in held)
    assert jumps < 5e-3, "half a percent of a motor's torque"
    assert np.abs(held[-1].positions - robot.posture).max() < 1e-3
    height = hung.body.base_height
    drive(robot, 1.0, {})
    assert hung.body.base_height == pytest.approx(height, abs=2e-3), "its hoist keeps it"


def test_one_joint_moves_and_the_others_stay(model: RobotModel, hung: HungStandIn) -> None:
    robot, elbow = reach(model, hung), model.joint_names.index(ELBOW)
    robot.hold()
    for k in range(500):
        robot.wait()
        robot.send({elbow: JointTarget(displacement=0.1 * math.sin(k * PERIOD * math.pi / 2))})
    moved = robot.reading.positions - robot.posture
    assert moved[elbow] == pytest.approx(0.1, abs=0.01)
    assert np.abs(np.delete(moved, elbow)).max() < 0.01


def test_one_that_is_held_up_is_damped_and_the_joint_is_named(model: RobotModel, hung: HungStandIn) -> None:
    robot, elbow = reach(model, hung), model.joint_names.index(ELBOW)
    robot.hold()
    with pytest.raises(HoldBroken, match=ELBOW):
        drive(robot, 0.5, {elbow: JointTarget(displacement=0.4)})
    assert robot.command is None
    assert is_slack(model, hung)


@pytest.mark.parametrize("bounds", [HoldBounds(temperature=20.0), HoldBounds(torque=0.01)])
def test_one_that_is_past_a_bound_is_not_held_at_all(model: RobotModel, hung: HungStandIn, bounds: HoldBounds) -> None:
    robot = reach(model, hung, bounds)
    with pytest.raises(HoldBroken):
        robot.hold()
    assert robot.command is None


def test_one_that_falls_silent_is_damped(model: RobotModel, hung: HungStandIn) -> None:
    robot = reach(model, hung)
    robot.hold()
    spoilt = replace(robot.reading, torques=np.full(model.n, np.nan))
    hung.link.read = lambda: spoilt  # type: ignore[method-assign]
    with pytest.raises(RobotSilent):
        robot.wait()
    assert robot.command is None


def test_one_that_falls_silent_before_it_is_held_is_sent_nothing(model: RobotModel, hung: HungStandIn) -> None:
    robot, sent = reach(model, hung), []
    hung.link.write = sent.append  # type: ignore[method-assign]
    hung.link.read = lambda: robot.reading  # type: ignore[method-assign]
    with pytest.raises(RobotSilent):
        robot.hold()
    assert sent == []


def test_one_that_somebody_else_commands_is_left_alone(model: RobotModel, hung: HungStandIn) -> None:
    robot = reach(model, hung)
    hung.link.is_commanded = lambda: True  # type: ignore[method-assign]
    with pytest.raises(AlreadyCommanded):
        robot.hold()
    assert robot.command is None
    with pytest.raises(AlreadyCommanded):
        reach(model, hung)


def test_let_go_its_torques_fade_and_it_is_damped(model: RobotModel, hung: HungStandIn) -> None:
    robot = reach(model, hung)
    robot.hold()
    drive(robot, 0.2, {})
    robot.let_go()
    assert robot.command is None
    assert is_slack(model, hung)
