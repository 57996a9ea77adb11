"""An inertial unit that is off its base's origin, and one that a joint turns besides."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.contact_aided_filter import ContactAidedParameters
from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.simulation.inertial_unit import InertialUnit, measure_motion
from handhold.robots.unitree.g1 import G1
from handhold.robots.unitree.h1 import H1

DT = 2e-3
GRAVITATION = np.array([0.0, 0.0, -GRAVITY])
MOUNTS = {"g1": G1.unit, "h1": H1.unit}


def place_base(time: float) -> np.ndarray:
    """Return the pose of a base that begins at rest, sways and turns, at a time [s], shape ``(4, 4)``."""
    pose, swing = np.eye(4), 1.0 - np.cos(2.0 * time)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.1 * swing, 0.12 * (1.0 - np.cos(3.0 * time)), 0.2 * swing)
    pose[:3, 3] = 0.05 * swing, 0.04 * (1.0 - np.cos(3.0 * time)), 1.0 + 0.03 * swing
    return pose


def turn_waist(time: float) -> float:
    return 0.3 * (1.0 - np.cos(2.5 * time))


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


def differentiate(path, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return linear and angular velocity of a path in its own axes, at a time [s]."""
    step = 1e-5
    before, here, after = path(time - step), path(time), path(time + step)
    linear = here[:3, :3].T @ (after[:3, 3] - before[:3, 3]) / (2.0 * step)
    return linear, pin.log3(before[:3, :3].T @ after[:3, :3]) / (2.0 * step)


@pytest.mark.parametrize("robot", MOUNTS)
def test_a_base_is_followed_by_a_unit_elsewhere_on_the_robot(robot: str) -> None:
    """Without any contact: by what the unit tells alone."""
    model, mount = load_model(robot), MOUNTS[robot]
    estimator, unit = BaseEstimator(model, mount=mount), Unit()
    joints, velocities = model.q_nominal[7:].copy(), np.zeros(model.n)
    waist = model.joint_names.index(mount.joint) if mount.joint else None
    if waist is not None:
        joints[waist] = 0.0
    begun = place_base(0.0)
    estimator.reset(np.concatenate([begun[:3, 3], pin.Quaternion(begun[:3, :3]).coeffs(), joints]))
    unit.measure(begun @ mount.place(0.0))
    for k in range(1, 1000):
        time = k * DT
        if waist is not None:
            joints[waist], velocities[waist] = turn_waist(time), 0.75 * np.sin(2.5 * time)
        angle = 0.0 if waist is None else joints[waist]
        rate, force = unit.measure(place_base(time) @ mount.place(angle))
        estimator.update(InertialSample(time, rate, force), joints, np.zeros((len(model.effectors), 6)), DT, velocities)
    base = place_base(time)
    assert estimator.pose[:3] == pytest.approx(base[:3, 3], abs=2e-3)
    assert pin.Quaternion(estimator.pose[3:]).toRotationMatrix() == pytest.approx(base[:3, :3], abs=1e-5)
    linear, angular = differentiate(place_base, time)
    # The rate that carries it is one of 10 ms ago on the average.
    assert estimator.velocity[:3] == pytest.approx(linear, abs=8e-3)
    assert estimator.velocity[3:] == pytest.approx(angular, abs=5e-3)


@pytest.mark.parametrize("mount", [*MOUNTS.values(), UnitMount()], ids=[*MOUNTS, "at the origin"])
def test_a_base_moves_as_its_unit_has_it(mount: UnitMount) -> None:
    def place_unit(time: float) -> np.ndarray:
        return place_base(time) @ mount.place(turn_waist(time) if mount.joint else 0.0)

    time, step = 0.7, 1e-4
    angle, rate = (turn_waist(time), 0.75 * np.sin(2.5 * time)) if mount.joint else (0.0, 0.0)
    linear, angular = differentiate(place_unit, time)
    of_base = differentiate(place_base, time)
    rotation = mount.place(angle)[:3, :3]
    assert mount.carry_velocity(linear, angular, rotation) == pytest.approx(of_base[0], abs=1e-6)
    assert mount.carry_angular_velocity(angular, rotation, rate) == pytest.approx(of_base[1], abs=1e-6)
    turns = [differentiate(place_unit, time + shift)[1] for shift in (-step, step)]
    felt = []
    for path in (place_unit, place_base):
        poses = [path(time + shift) for shift in (-step, 0.0, step)]
        acceleration = (poses[0][:3, 3] - 2.0 * poses[1][:3, 3] + poses[2][:3, 3]) / step**2
        felt.append(poses[1][:3, :3].T @ (acceleration - GRAVITATION))
    spin = (turns[1] - turns[0]) / (2.0 * step)
    assert mount.carry_force(felt[0], angular, spin, rotation) == pytest.approx(felt[1], abs=1e-4)


def test_a_base_that_leans_about_a_foot_is_followed_by_where_that_stands() -> None:
    """The unit is hardly believed: what counts is where the foot is from it, not from the base."""
    model = load_model("g1")
    noise = InertialNoise(accelerometer=0.5)
    estimator = BaseEstimator(model, ContactAidedParameters(inertial=noise), G1.unit)
    kinematics, wrenches, unit = EffectorKinematics(model), np.zeros((len(model.effectors), 6)), Unit()
    wrenches[0, 2] = model.weight
    q = model.q_nominal
    kinematics.update(q)
    foot, begun = np.eye(4), pin.XYZQUATToSE3(q[:7]).homogeneous
    foot[:3, 3] = kinematics.poses[0, :3, 3]

    def place(time: float) -> np.ndarray:
        turn = np.eye(4)
        turn[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.25 * (1.0 - np.cos(2.0 * time)), 0.0)
        return np.asarray(foot @ turn @ np.linalg.inv(foot) @ begun)

    estimator.reset(q)
    unit.measure(begun @ G1.unit.place(0.0))
    for k in range(1, 800):
        rate, force = unit.measure(place(k * DT) @ G1.unit.place(0.0))
        estimator.update(InertialSample(k * DT, rate, force), q[7:], wrenches, DT)
    assert estimator.slips == 0
    assert estimator.pose[:3] == pytest.approx(place(k * DT)[:3, 3], abs=3e-3)


@pytest.mark.parametrize("robot", MOUNTS)
def test_a_base_is_as_uncertain_as_is_told(robot: str) -> None:
    model, mount, random = load_model(robot), MOUNTS[robot], np.random.default_rng(0)
    wrenches, noise, ratios = np.zeros((len(model.effectors), 6)), InertialNoise(), []
    wrenches[[effector.standing for effector in model.effectors], 2] = 0.5 * model.weight
    pose = pin.XYZQUATToSE3(model.q_nominal[:7]).homogeneous @ mount.place(0.0)
    for _ in range(20):
        estimator, unit = BaseEstimator(model, mount=mount), InertialUnit(pose, noise, random)
        estimator.reset(model.q_nominal)
        for k in range(1, 2000):
            estimator.update(unit.measure(k * DT, pose, DT), model.q_nominal[7:], wrenches, DT, np.zeros(model.n))
        velocity = pin.XYZQUATToSE3(estimator.pose).rotation @ estimator.velocity[:3]
        ratios.append(velocity / np.sqrt(np.diag(estimator.covariance)[3:6]))
    spread = np.sqrt(np.mean(np.square(ratios), axis=0))
    # Twenty draws tell a deviation to a sixth, and the filter takes the biases for larger than they are drawn.
    assert spread[:2] == pytest.approx(np.ones(2), abs=0.4)


def test_a_state_of_the_time_at_which_the_estimate_began_is_taken_in() -> None:
    model = load_model("g1")
    estimator, wrenches = BaseEstimator(model, mount=G1.unit), np.zeros((len(model.effectors), 6))
    estimator.reset(model.q_nominal)
    estimator.update(InertialSample(0.0, np.zeros(3), -GRAVITATION), model.q_nominal[7:], wrenches, 0.0)
    assert np.isfinite(estimator.covariance).all()
    assert estimator.pose == pytest.approx(model.q_nominal[:7])
