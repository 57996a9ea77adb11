"""An inertial unit that a joint turns, against one that were at the base's origin."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.simulation.inertial_unit import measure_motion
from handhold.robots.unitree.carried_unit import CarriedUnit
from handhold.robots.unitree.h1 import H1
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.unit_mount import UnitMount

DT = 2e-3
WAIST = 6


def place_base(time: float) -> np.ndarray:
    """Return the pose of a base that sways and turns at a time [s], shape ``(4, 4)``."""
    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.1 * np.sin(2.0 * time), 0.15 * np.cos(3.0 * time), 0.2 * np.sin(time))
    pose[:3, 3] = 0.05 * np.sin(3.0 * time), 0.04 * np.cos(2.0 * time), 0.03 * np.sin(5.0 * time)
    return pose


def turn_waist(time: float) -> float:
    return 0.6 * np.sin(2.5 * time)


class Unit:
    """A unit without noise that moves along a path."""

    def __init__(self) -> None:
        self.pose: np.ndarray | None = None
        self.velocity = np.zeros(3)

    def measure(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rate, force = np.zeros(3), np.zeros(3)
        measure_motion(pose if self.pose is None else self.pose, pose, self.velocity, DT, rate, force)
        self.pose = pose
        return rate, force


def make_reading(time: float, rate: np.ndarray, force: np.ndarray, attitude: np.ndarray) -> MotorReading:
    joints = np.zeros(len(H1.joints))
    positions = joints.copy()
    positions[WAIST] = turn_waist(time)
    return MotorReading(
        time=time,
        positions=positions,
        velocities=joints,
        torques=joints,
        temperatures=joints,
        voltages=joints,
        angular_velocity=rate,
        specific_force=force,
        quaternion=pin.Quaternion(attitude).coeffs(),
    )


def test_it_tells_what_one_at_the_base_would_have_told() -> None:
    carried, at_waist, at_base = CarriedUnit(H1.unit, WAIST), Unit(), Unit()
    rates, forces, speed = [], [], np.zeros(3)
    for k in range(1000):
        time = k * DT
        base = place_base(time)
        pose = base @ H1.unit.place(turn_waist(time))
        reading = carried.carry_to_base(make_reading(time, *at_waist.measure(pose), pose[:3, :3]))
        rate, force = at_base.measure(base)
        attitude = pin.Quaternion(reading.quaternion).toRotationMatrix()
        assert attitude == pytest.approx(base[:3, :3], abs=1e-9)
        if k > 3:
            rates.append(reading.angular_velocity - rate)
            forces.append(reading.specific_force - force)
            speed = speed + DT * base[:3, :3] @ forces[-1]
    assert np.abs(rates).max() < 2e-3
    # By a difference of rates the angular acceleration is one of a period ago.
    assert np.abs(forces).max() < 0.05
    assert np.abs(speed).max() < 2e-3


def test_a_state_that_is_told_again_is_the_same_again() -> None:
    carried = CarriedUnit(H1.unit, WAIST)
    carried.carry_to_base(make_reading(0.0, np.zeros(3), np.array([0.0, 0.0, 9.81]), np.eye(3)))
    reading = make_reading(0.1, np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.0, 9.8]), np.eye(3))
    first, again = carried.carry_to_base(reading), carried.carry_to_base(reading)
    assert again.repeats(first)


def test_a_unit_on_the_base_tells_what_it_tells() -> None:
    reading = make_reading(0.0, np.ones(3), np.ones(3), np.eye(3))
    assert CarriedUnit(UnitMount(), None).carry_to_base(reading) is reading
