"""The model of each robot that ships: mass, frames, limits, stance and meshes."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.description import known_robots
from handhold.robots.model import RobotModel, load_model

# Positions of the stance are sums of a few lengths: rounding only.
STANCE_TOLERANCE = 1e-9
MASSES = {"talos": 90.3, "g1": 33.3}  # [kg], by the makers' URDFs
MASS_TOLERANCE = 0.1


@pytest.fixture(scope="module", params=["talos", "g1"])
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_model(request.param)


def test_the_robots_shipped_are_those_tested() -> None:
    assert set(known_robots()) == set(MASSES)


def test_the_mass_is_that_of_the_whole_urdf_locked_links_included(model: RobotModel) -> None:
    full = pin.buildModelFromUrdf(str(model.description.urdf_file()), pin.JointModelFreeFlyer())
    assert model.mass == pytest.approx(pin.computeTotalMass(full), rel=1e-12)
    assert abs(model.mass - MASSES[model.description.name]) < MASS_TOLERANCE
    assert model.weight == pytest.approx(9.81 * model.mass)


def test_locked_joints_are_no_part_of_the_configuration(model: RobotModel) -> None:
    assert model.nq == model.nv + 1 == model.n + 7
    assert len(model.joint_names) == model.n
    assert not set(model.description.locked_joints) & set(model.joint_names)


def test_locked_joints_stand_at_their_values() -> None:
    description = load_model("g1").description
    bent = RobotModel(description.model_copy(update={"locked_joints": {"left_elbow_joint": 0.7}, "posture": {}}))
    free = load_model("g1")
    q_bent = pin.neutral(bent.pinocchio)
    q_free = pin.neutral(free.pinocchio)
    q_free[7 + free.joint_names.index("left_elbow_joint")] = 0.7
    np.testing.assert_allclose(bent.effector_poses(q_bent), free.effector_poses(q_free), atol=STANCE_TOLERANCE)
    assert bent.mass == pytest.approx(free.mass, rel=1e-12)


def test_the_nominal_stance_has_flat_soles_on_the_ground_around_the_origin(model: RobotModel) -> None:
    poses = model.effector_poses(model.q_nominal)
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    assert len(standing) == 2
    np.testing.assert_allclose(poses[standing, 2, 3], 0.0, atol=STANCE_TOLERANCE)
    np.testing.assert_allclose(poses[standing, :2, 3].mean(axis=0), 0.0, atol=STANCE_TOLERANCE)
    np.testing.assert_allclose(poses[standing, :3, 2], [[0.0, 0.0, 1.0]] * 2, atol=1e-6)


def test_the_nominal_stance_is_within_limits_and_above_its_soles(model: RobotModel) -> None:
    q = model.q_nominal
    assert np.all(q[7:] > model.lower)
    assert np.all(q[7:] < model.upper)
    com = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q)
    half_length = min(effector.half_lengths[0] for effector in model.effectors if effector.half_lengths)
    assert abs(com[0]) < 0.5 * half_length
    # Both are symmetrical but for millimetres.
    assert abs(com[1]) < 0.005


def test_hands_look_away_from_what_they_would_touch(model: RobotModel) -> None:
    elbows = {"talos": ("arm_left_4_joint", "arm_right_4_joint"), "g1": ("left_elbow_joint", "right_elbow_joint")}
    data = model.pinocchio.createData()
    pin.framesForwardKinematics(model.pinocchio, data, model.q_nominal)
    for side, elbow in zip(("left", "right"), elbows[model.description.name], strict=True):
        index = model.effector_of_hand(side)
        assert index is not None
        hand = model.effector_poses(model.q_nominal)[index]
        forearm = hand[:3, 3] - data.oMi[model.pinocchio.getJointId(elbow)].translation
        # The contact normal points out of the surface, back along the forearm (within 30 degrees).
        assert hand[:3, 2] @ forearm < -np.cos(np.deg2rad(30.0)) * np.linalg.norm(forearm)


def test_the_head_camera_looks_forward_and_down_with_its_picture_upright(model: RobotModel) -> None:
    camera = model.description.cameras[0]
    data = model.pinocchio.createData()
    pin.framesForwardKinematics(model.pinocchio, data, model.q_nominal)
    pose = data.oMf[model.pinocchio.getFrameId(camera.frame)] * camera.offset.to_se3()
    right, down, forward = pose.rotation.T
    assert forward[0] > 0.6
    assert forward[2] < 0.01
    assert right[1] < -0.99
    assert down[2] < 0.0


def test_limits_are_scaled_and_the_motors_are_not(model: RobotModel) -> None:
    scales = model.description.scales
    effort = model.pinocchio.effortLimit[6:]
    np.testing.assert_allclose(model.motor_torques, effort)
    np.testing.assert_allclose(model.torque_limits, scales.torque * effort)
    np.testing.assert_allclose(model.velocity_limits, scales.velocity * model.pinocchio.velocityLimit[6:])
    assert np.all(model.lower < model.upper)


def test_limits_of_the_description_replace_those_of_the_urdf() -> None:
    description = load_model("g1").description
    changed = RobotModel(
        description.model_copy(
            update={"torque_limits": {"left_knee_joint": 50.0}, "velocity_limits": {"left_knee_joint": 2.0}}
        )
    )
    knee = changed.joint_names.index("left_knee_joint")
    assert changed.motor_torques[knee] == 50.0
    assert changed.torque_limits[knee] == pytest.approx(50.0 * description.scales.torque)
    assert changed.velocity_limits[knee] == pytest.approx(2.0 * description.scales.velocity)


def test_meshes_load_without_a_warning_and_belong_to_joints_of_the_model(model: RobotModel) -> None:
    fresh = RobotModel(model.description)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        geometries = fresh.visuals, fresh.collisions
    for geometry in geometries:
        assert geometry.ngeoms > 20
        assert all(part.parentJoint < model.pinocchio.njoints for part in geometry.geometryObjects)


def test_effectors_are_found_by_name_and_by_hand(model: RobotModel) -> None:
    for index, effector in enumerate(model.effectors):
        assert model.effector_index(effector.name) == index
    assert model.effectors[model.effector_of_hand("left") or 0].name == "left_hand"
    assert model.effector_of_hand("third") is None
