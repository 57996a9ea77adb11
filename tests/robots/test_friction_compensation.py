"""Torques against friction: of the desired velocity, smooth, and none at rest."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.robots.control.friction_compensation import SMALL_VELOCITY, FrictionCompensation
from handhold.robots.drives import Drives
from handhold.robots.model import RobotModel, load_model

KNEE = "left_knee_joint"


@pytest.fixture(scope="module")
def described() -> RobotModel:
    drives = Drives(friction={KNEE: 2.0}, viscous_friction={KNEE: 0.5}, rotor_inertia={KNEE: 0.07})
    return RobotModel(load_model("g1").description.model_copy(update={"drives": drives}))


def test_where_no_drives_are_described_torques_stay_the_very_same() -> None:
    model = load_model("g1")
    torques = np.ones(model.n)
    assert FrictionCompensation(model).add(torques, torques) is torques
    assert not model.pinocchio.armature.any()


def test_friction_is_compensated_with_the_desired_velocity_and_not_at_rest(described: RobotModel) -> None:
    knee, compensation = described.joint_names.index(KNEE), FrictionCompensation(described)
    torques, velocities = np.arange(float(described.n)), np.zeros(described.n)
    assert compensation.add(torques, velocities) == pytest.approx(torques)
    velocities[knee] = 20.0 * SMALL_VELOCITY
    added = compensation.add(torques, velocities) - torques
    assert added[knee] == pytest.approx(2.0 + 0.5 * velocities[knee], rel=1e-6)
    assert np.count_nonzero(added) == 1
    assert compensation.add(torques, -velocities) - torques == pytest.approx(-added)


def test_a_rotor_moves_with_its_joint_in_all_that_is_computed(described: RobotModel) -> None:
    knee = 6 + described.joint_names.index(KNEE)
    assert described.pinocchio.armature[knee] == 0.07
    assert np.count_nonzero(described.pinocchio.armature) == 1
