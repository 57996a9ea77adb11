"""Poses and Jacobians of the effectors against pinocchio's own."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.robots.description import known_robots
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian, rotation_log
from handhold.robots.model import load_model

ROUNDING = 1e-12  # [m, -] a few products in double precision


def random_configuration(model, seed):
    q = model.q_nominal.copy()
    random = np.random.default_rng(seed)
    return pin.integrate(model.pinocchio, q, 0.5 * random.normal(size=model.nv))


@pytest.mark.parametrize("robot", known_robots())
def test_poses_and_jacobians_are_pinocchios(robot):
    model = load_model(robot)
    kinematics = EffectorKinematics(model, with_trunk=True)
    data = model.pinocchio.createData()
    for seed in range(3):
        q = random_configuration(model, seed)
        kinematics.update(q)
        pin.computeJointJacobians(model.pinocchio, data, q)
        pin.updateFramePlacements(model.pinocchio, data)
        for k, frame in enumerate((*model.effector_frames, model.pinocchio.getFrameId("root_joint"), *model.trunk_frames)):
            jacobian = pin.getFrameJacobian(model.pinocchio, data, frame, pin.LOCAL_WORLD_ALIGNED)
            assert np.abs(kinematics.poses[k] - data.oMf[frame].homogeneous).max() < ROUNDING
            assert np.abs(kinematics.jacobians[k] - jacobian).max() < ROUNDING
        assert np.abs(kinematics.position_com_in_world - pin.centerOfMass(model.pinocchio, data, q)).max() < ROUNDING


def test_the_contact_jacobian_is_local_for_planes_and_in_world_axes_for_points():
    model = load_model("talos")
    kinematics = EffectorKinematics(model)
    q = random_configuration(model, 5)
    kinematics.update(q)
    out = np.zeros((9, model.nv))
    fill_contact_jacobian(kinematics.jacobians, kinematics.poses, np.array([1, 2]), 1, np.zeros((2, 3)), out)
    local = pin.computeFrameJacobian(model.pinocchio, kinematics.data, q, model.effector_frames[1], pin.LOCAL)
    world = pin.computeFrameJacobian(model.pinocchio, kinematics.data, q, model.effector_frames[2], pin.LOCAL_WORLD_ALIGNED)
    assert np.abs(out[:6] - local).max() < ROUNDING
    assert np.abs(out[6:] - world[:3]).max() < ROUNDING


@given(st.floats(0.0, np.pi - 1e-7), st.integers(0, 10_000))
def test_the_rotation_log_turns_back_what_exp_turned(angle, seed):
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    out = np.zeros(3)
    rotation_log(pin.exp3(angle * axis), out)
    assert np.abs(out - angle * axis).max() < 1e-6  # near pi the sine carries seven digits less


@pytest.mark.parametrize("axis", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.0, -0.8]])
def test_the_rotation_log_of_half_a_turn_is_pi_about_the_axis_or_its_opposite(axis):
    out = np.zeros(3)
    rotation_log(pin.exp3(np.pi * np.array(axis)), out)
    assert np.linalg.norm(out) == pytest.approx(np.pi, abs=1e-6)
    assert abs(out @ np.array(axis)) == pytest.approx(np.pi, abs=1e-6)
