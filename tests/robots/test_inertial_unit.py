"""The simulated inertial unit: gravity at rest, turns and accelerations as they are, noise as it is said to be."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.inertial import InertialNoise
from handhold.robots.model import GRAVITY
from handhold.robots.simulation.inertial_unit import InertialUnit

DT = 1e-3
SILENT = InertialNoise(gyroscope=0.0, accelerometer=0.0, gyroscope_drift=0.0, accelerometer_drift=0.0)


def make_unit(pose, noise=SILENT):
    unit = InertialUnit(pose, noise, np.random.default_rng(0))
    if noise is SILENT:
        unit.biases = np.zeros((2, 3))
    return unit


def pose_of(rotation, position):
    return pin.SE3(rotation, np.array(position)).homogeneous


def test_at_rest_it_measures_the_ground_that_bears_it():
    pose = pose_of(pin.rpy.rpyToMatrix(0.3, -0.2, 1.0), [1.0, 2.0, 3.0])
    sample = make_unit(pose).measure(DT, pose, DT)
    assert sample.angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    assert sample.specific_force == pytest.approx(GRAVITY * pose[2, :3])


def test_turns_and_accelerations_are_measured_in_its_own_axes():
    turn, acceleration = np.array([0.2, -0.1, 0.5]), np.array([1.0, -2.0, 0.5])
    rotation, unit = np.eye(3), make_unit(np.eye(4))
    for k in range(1, 100):
        rotation = rotation @ pin.exp3(DT * turn)
        # As engines step: the velocity first.
        sample = unit.measure(k * DT, pose_of(rotation, 0.5 * k * (k + 1) * DT**2 * acceleration), DT)
        assert sample.angular_velocity == pytest.approx(turn, abs=1e-6)
    assert rotation @ sample.specific_force == pytest.approx(acceleration + np.array([0.0, 0.0, GRAVITY]), abs=0.01)


def test_noise_has_the_density_that_it_is_said_to_have():
    unit, samples = make_unit(np.eye(4), InertialNoise()), []
    for k in range(5000):
        samples.append(unit.measure(k * DT, np.eye(4), DT).angular_velocity - unit.biases[0])
    assert np.std(samples) == pytest.approx(InertialNoise().gyroscope / np.sqrt(DT), rel=0.05)
