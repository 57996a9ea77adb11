"""Which motor of the maker's messages moves which joint of a model."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.direct_link import DirectMotorLink, DirectRobotLink
from handhold.robots.unitree.errors import UnknownMotors, UnwiredJoints
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.h1 import H1
from handhold.robots.unitree.makers_robot import MakersRobot
from handhold.robots.unitree.makers_robots import MAKERS_ROBOTS, find_makers_robot
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.wiring import Wiring

MAKERS_H1 = {
    "right_hip_roll_joint": 0,
    "right_hip_pitch_joint": 1,
    "right_knee_joint": 2,
    "left_hip_roll_joint": 3,
    "left_hip_pitch_joint": 4,
    "left_knee_joint": 5,
    "torso_joint": 6,
    "left_hip_yaw_joint": 7,
    "right_hip_yaw_joint": 8,
    "left_ankle_joint": 10,
    "right_ankle_joint": 11,
    "right_shoulder_pitch_joint": 12,
    "right_shoulder_roll_joint": 13,
    "right_shoulder_yaw_joint": 14,
    "right_elbow_joint": 15,
    "left_shoulder_pitch_joint": 16,
    "left_shoulder_roll_joint": 17,
    "left_shoulder_yaw_joint": 18,
    "left_elbow_joint": 19,
}
"""The maker's own list (unitree_sdk2, ``example/h1``); its slot 9 has no motor."""


def make_command(robot: MakersRobot, rng: np.random.Generator) -> JointCommand:
    rows = rng.normal(size=(5, len(robot.joints)))
    return JointCommand(time=1.0, positions=rows[0], velocities=rows[1], torques=rows[2], stiffness=rows[3], damping=rows[4])


def make_reading(motors: int, rng: np.random.Generator) -> MotorReading:
    rows = rng.normal(size=(5, motors))
    return MotorReading(
        time=1.0,
        positions=rows[0],
        velocities=rows[1],
        torques=rows[2],
        temperatures=rows[3],
        voltages=rows[4],
        angular_velocity=rng.normal(size=3),
        specific_force=rng.normal(size=3),
        quaternion=np.array([0.0, 0.0, 0.0, 1.0]),
    )


@pytest.mark.parametrize("name", MAKERS_ROBOTS)
def test_the_joints_of_a_shipped_robot_are_those_of_its_motors(name: str) -> None:
    assert find_makers_robot(load_model(name)) is MAKERS_ROBOTS[name]


def test_each_joint_of_an_h1_reaches_its_motor_and_the_slot_without_one_gets_nothing() -> None:
    model = load_model("h1")
    command = make_command(H1, np.random.default_rng(0))
    sent = Wiring(H1, model.joint_names).spread_command(command)
    for row in ("positions", "velocities", "torques", "stiffness", "damping"):
        values = getattr(sent, row)
        assert len(values) == 20
        assert values[9] == 0.0
        for joint, name in enumerate(model.joint_names):
            assert values[MAKERS_H1[name]] == getattr(command, row)[joint]


def test_what_the_slot_without_a_motor_tells_is_not_heard() -> None:
    rng = np.random.default_rng(1)
    told = make_reading(20, rng)
    spoilt = replace(told, positions=told.positions.copy(), temperatures=told.temperatures.copy())
    spoilt.positions[9], spoilt.temperatures[9] = np.nan, 200.0
    wiring = Wiring(H1, load_model("h1").joint_names)
    heard, same = wiring.gather_reading(spoilt), wiring.gather_reading(told)
    assert heard.is_finite
    for field in fields(heard):
        assert np.array_equal(getattr(heard, field.name), getattr(same, field.name))


@pytest.mark.parametrize("robot", [G1, H1])
def test_both_sides_understand_each_other_in_whatever_order_they_have_their_joints(robot: MakersRobot) -> None:
    rng = np.random.default_rng(2)
    ours, others = rng.permutation(robot.joints).tolist(), rng.permutation(robot.joints).tolist()
    robot_link = DirectRobotLink(Wiring(robot, others))
    motor_link = DirectMotorLink(robot_link, Wiring(robot, ours))
    command = make_command(robot, rng)
    motor_link.write(command)
    heard = robot_link.read()
    for name in robot.joints:
        assert heard.positions[others.index(name)] == command.positions[ours.index(name)]
        assert heard.damping[others.index(name)] == command.damping[ours.index(name)]
    told = make_reading(len(robot.joints), rng)
    robot_link.publish(told)
    read = motor_link.read()
    assert read is not None
    for name in robot.joints:
        assert read.torques[ours.index(name)] == told.torques[others.index(name)]


def test_a_go2s_messages_tell_no_voltage() -> None:
    told = make_reading(19, np.random.default_rng(3))
    assert not Wiring(H1, H1.joints).spread_reading(told).voltages.any()
    assert Wiring(G1, G1.joints).spread_reading(make_reading(29, np.random.default_rng(3))).voltages.all()


@pytest.mark.parametrize(
    ("joints", "words"), [(H1.joints[1:], "no right_hip_roll_joint"), ((*H1.joints, "left_toe_joint"), "left_toe_joint")]
)
def test_a_model_with_other_joints_is_refused_in_one_line(joints: tuple[str, ...], words: str) -> None:
    with pytest.raises(UnwiredJoints, match=words) as told:
        Wiring(H1, joints)
    assert "\n" not in str(told.value)


def test_a_robot_of_another_maker_is_refused_in_one_line() -> None:
    with pytest.raises(UnknownMotors, match="g1, h1") as told:
        find_makers_robot(load_model("talos"))
    assert "\n" not in str(told.value)
