"""Poses and Jacobians of the effectors against pinocchio's own."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.description import known_robots
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
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
