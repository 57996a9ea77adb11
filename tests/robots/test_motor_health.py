"""How warm a robot's motors are and what feeds them, as they tell it, and as what stands in makes it up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from handhold.robots.errors import DescriptionError
from handhold.robots.unitree.motor_health import assess_motors, name_motors
from handhold.robots.unitree.motor_heat import AMBIENT, RISE, TIME_CONSTANT, MotorHeat
from handhold.robots.unitree.motor_reading import MotorReading

JOINTS = ("left_hip_pitch_joint", "left_knee_joint", "left_elbow_joint")
NAMES = name_motors(JOINTS)


@pytest.fixture
def reading() -> MotorReading:
    ones = np.ones(len(JOINTS))
    return MotorReading(
        time=0.0,
        positions=ones,
        velocities=ones,
        torques=ones,
        temperatures=np.array([40.0, 55.0, 31.0]),
        voltages=np.array([50.0, 12.0, 50.4]),
        angular_velocity=np.zeros(3),
        specific_force=np.ones(3),
        quaternion=np.ones(4),
    )


def test_the_hottest_motor_is_called_by_its_name_and_the_supply_is_what_most_motors_have(reading: MotorReading) -> None:
    health = assess_motors(NAMES, reading)
    assert (health.hottest, health.temperature, health.voltage, health.silent) == ("left knee", 55.0, 50.0, ())


def test_a_robot_whose_motors_tell_no_voltage_has_none(reading: MotorReading) -> None:
    assert assess_motors(NAMES, replace(reading, voltages=np.zeros(3))).voltage is None


@pytest.mark.parametrize("value", [0.0, math.nan])
def test_a_motor_that_tells_nothing_or_no_numbers_is_named(reading: MotorReading, value: float) -> None:
    def spoil(values: np.ndarray) -> np.ndarray:
        return np.array([values[0], values[1], value])

    rows = ("positions", "velocities", "torques", "temperatures")
    spoilt = replace(reading, **{row: spoil(getattr(reading, row)) for row in rows})
    assert assess_motors(NAMES, spoilt).silent == ("left elbow",)


def test_a_motor_warms_up_with_the_square_of_its_torque_as_fast_whatever_the_step() -> None:
    loads = np.array([0.0, 0.3, -0.3])
    coarse, fine = MotorHeat(JOINTS, {}), MotorHeat(JOINTS, {})
    coarse.advance(loads, TIME_CONSTANT)
    for _ in range(100):
        fine.advance(loads, TIME_CONSTANT / 100)
    expected = AMBIENT + (1.0 - math.exp(-1.0)) * RISE * loads**2
    assert coarse.temperatures == pytest.approx(expected)
    assert fine.temperatures == pytest.approx(expected)


def test_a_joint_that_there_is_not_cannot_be_hot() -> None:
    with pytest.raises(DescriptionError, match="no joint 'tail' to be hot"):
        MotorHeat(JOINTS, {"tail": 90.0})
