"""The model of each robot that ships: mass, frames, limits, stance and meshes."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from shipped import ON_FEET

from handhold.robots.attachment import Attachment
from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import known_robots
from handhold.robots.errors import DescriptionError, FrameNotFound
from handhold.robots.model import RobotModel, load_model, weigh

# Positions of the stance are sums of a few lengths: rounding only.
STANCE_TOLERANCE = 1e-9
# A URDF that writes the right angles of a leg's six joints with five digits, each 3.7e-6 off, tilts the feet by that and
# puts one lower than the other [rad, m].
URDF_ROUNDING = 6 * 3.7e-6
MASSES = {
    "anymal": 35.7,
    "dual-panda": 34.9,
    "g1": 33.3,
    "h1": 51.6,
    "icub": 28.3,
    "talos": 90.3,
}  # [kg], by the makers' URDFs
MASS_TOLERANCE = 0.1


HUMANOIDS = ["g1", "h1", "icub", "talos"]
# Where each robot's left and right forearm begin.
ELBOWS = {
    "anymal": {"left": "j2s6s200_joint_6"},
    # The palm is at right angles to the forearm: it follows the flange.
    "dual-panda": {"left": "left_panda_joint7", "right": "right_panda_joint7"},
    "g1": {"left": "left_elbow_joint", "right": "right_elbow_joint"},
    "h1": {"left": "left_elbow_joint", "right": "right_elbow_joint"},
    "icub": {"left": "l_elbow", "right": "r_elbow"},
    "talos": {"left": "arm_left_4_joint", "right": "arm_right_4_joint"},
}


@pytest.fixture(scope="module", params=known_robots())
def model(request: pytest.FixtureRequest) -> RobotModel:
    return load_model(request.param)


def test_the_robots_shipped_are_those_tested() -> None:
    assert set(known_robots()) == set(MASSES)


def test_the_mass_is_that_of_the_whole_urdf_locked_links_included(model: RobotModel) -> None:
    full = pin.buildModelFromUrdf(str(model.description.urdf_file()), pin.JointModelFreeFlyer())
    copies = max(1, len(model.description.mounts))
    assert model.mass == pytest.approx(copies * pin.computeTotalMass(full), rel=1e-12)
    assert abs(model.mass - MASSES[model.description.name]) < MASS_TOLERANCE
    assert model.weight == pytest.approx(9.81 * model.mass)


def test_a_robot_on_legs_of_five_joints_that_is_to_walk_is_refused_in_one_line() -> None:
    walking = load_model("g1").description.walking
    described = load_model("h1").description.model_copy(update={"walking": walking, "source": "mine.toml"})
    with pytest.raises(
        DescriptionError, match=r"mine\.toml.*left_foot is on a leg of 5 joints.*leave \[walking\] out"
    ) as told:
        RobotModel(described)
    assert "\n" not in str(told.value)


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


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_the_nominal_stance_has_its_feet_on_the_ground_around_the_origin_and_upright(model: RobotModel) -> None:
    poses = model.effector_poses(model.q_nominal)
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    assert len(standing) in (2, 4)
    lowest = poses[standing, 2, 3] - [model.effectors[i].radius for i in standing]
    assert abs(lowest.mean()) < STANCE_TOLERANCE
    np.testing.assert_allclose(lowest, 0.0, atol=URDF_ROUNDING)
    np.testing.assert_allclose(poses[standing, :2, 3].mean(axis=0), 0.0, atol=STANCE_TOLERANCE)
    # A ball may lean a little; a sole may not.
    leaning = [0.15 if model.effectors[i].contact is ContactKind.POINT else URDF_ROUNDING for i in standing]
    tilt = np.linalg.norm(poses[standing, :3, 2] - [0.0, 0.0, 1.0], axis=1)
    assert np.all(tilt < leaning)


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_every_robot_looks_along_x_with_its_left_side_at_positive_y(model: RobotModel) -> None:
    poses = model.effector_poses(model.q_nominal)
    for effector, pose in zip(model.effectors, poses, strict=True):
        side = 1.0 if "left" in effector.name else -1.0
        if effector.standing:
            assert pose[0, 0] > 0.99
            assert side * pose[1, 3] > 0.05
        else:
            assert pose[0, 3] > 0.1


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_the_nominal_stance_is_within_limits_and_above_its_soles(model: RobotModel) -> None:
    q = model.q_nominal
    assert np.all(q[7:] > model.lower)
    assert np.all(q[7:] < model.upper)
    com = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q)
    poses = model.effector_poses(q)
    soles = [(i, e.half_lengths[0] if e.half_lengths else 0.0) for i, e in enumerate(model.effectors) if e.standing]
    # The middle half of the support.
    assert abs(com[0]) < 0.5 * max(poses[i, 0, 3] + half_length for i, half_length in soles)
    # All are symmetrical but for millimetres.
    assert abs(com[1]) < 0.005


def test_hands_look_away_from_what_they_would_touch(model: RobotModel) -> None:
    data = model.pinocchio.createData()
    pin.framesForwardKinematics(model.pinocchio, data, model.q_nominal)
    for side, elbow in ELBOWS[model.description.name].items():
        index = model.effector_of_hand(side)
        assert index is not None
        hand = model.effector_poses(model.q_nominal)[index]
        forearm = hand[:3, 3] - data.oMi[model.pinocchio.getJointId(elbow)].translation
        # The contact normal points out of the surface, back along the forearm (within 30 degrees).
        assert hand[:3, 2] @ forearm < -np.cos(np.deg2rad(30.0)) * np.linalg.norm(forearm)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_the_head_camera_looks_forward_and_down_with_its_picture_upright(robot: str) -> None:
    model = load_model(robot)
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
    description, scales = model.description, model.description.scales
    effort = model.pinocchio.effortLimit[6:]
    velocities = dict(zip(model.joint_names, model.pinocchio.velocityLimit[6:], strict=True)) | description.velocity_limits
    np.testing.assert_allclose(model.motor_torques, effort)
    np.testing.assert_allclose(model.torque_limits, scales.torque * effort)
    np.testing.assert_allclose(model.velocity_limits, scales.velocity * np.array(list(velocities.values())))
    # What a motor of such a robot can do: placeholders are far above.
    assert np.all(model.velocity_limits < 15.0)
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


def test_a_mesh_whose_y_axis_is_up_is_turned_upright() -> None:
    model = load_model("icub")
    data = model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, pin.neutral(model.pinocchio))
    foot = next(part for part in model.visuals.geometryObjects if part.name.startswith("l_foot"))
    assert "Y_UP" in Path(foot.meshPath).read_text(errors="ignore")[:2000]
    pose = data.oMi[foot.parentJoint] * foot.placement
    vertices = np.asarray(foot.geometry.vertices()) @ pose.rotation.T + pose.translation
    length, width, height = vertices.max(axis=0) - vertices.min(axis=0)
    assert length > 2.0 * width
    assert width < height < 0.5 * length


def test_a_link_without_inertia_gets_that_of_a_ball_of_water() -> None:
    model = load_model("icub").pinocchio
    full = pin.buildModelFromUrdf(str(load_model("icub").description.urdf_file()), pin.JointModelFreeFlyer())
    thigh = model.inertias[model.getJointId("r_hip_yaw")]
    assert np.abs(full.inertias[full.getJointId("r_hip_yaw")].inertia).max() < 1e-12
    radius = (3.0 * thigh.mass / (4.0 * np.pi * 1000.0)) ** (1.0 / 3.0)
    np.testing.assert_allclose(thigh.inertia, 0.4 * thigh.mass * radius**2 * np.eye(3), rtol=1e-9)
    # It is of the size of the other leg's, whose URDF has it.
    other = model.inertias[model.getJointId("l_hip_yaw")]
    assert 0.5 < np.trace(thigh.inertia) / np.trace(other.inertia) < 2.0


def test_base_rpy_turns_the_base_frame_and_nothing_else() -> None:
    description = load_model("talos").description.model_copy(update={"posture": {}})
    ahead, aside = RobotModel(description), RobotModel(description.model_copy(update={"base_rpy": (0.0, 0.0, 0.5 * np.pi)}))
    q = pin.neutral(ahead.pinocchio)
    turned = q.copy()
    # What looked along x now looks along the base's -y: turned by +90 degrees it looks along x again.
    turned[3:7] = pin.Quaternion(pin.utils.rotate("z", 0.5 * np.pi)).coeffs()
    np.testing.assert_allclose(aside.effector_poses(turned), ahead.effector_poses(q), atol=STANCE_TOLERANCE)
    com = [pin.centerOfMass(m.pinocchio, m.pinocchio.createData(), x) for m, x in ((ahead, q), (aside, turned))]
    np.testing.assert_allclose(com[0], com[1], atol=STANCE_TOLERANCE)
    mass_matrices = [pin.crba(m.pinocchio, m.pinocchio.createData(), x)[6:, 6:] for m, x in ((ahead, q), (aside, turned))]
    np.testing.assert_allclose(mass_matrices[0], mass_matrices[1], atol=STANCE_TOLERANCE)


def test_effectors_are_found_by_name_and_by_hand(model: RobotModel) -> None:
    for index, effector in enumerate(model.effectors):
        assert model.effector_index(effector.name) == index
    assert model.effectors[model.effector_of_hand("left") or 0].hand == "left"
    assert model.effector_of_hand("third") is None


def test_what_is_computed_of_a_model_is_computed_once_for_each() -> None:
    asked = []

    def weigh(model: RobotModel) -> float:
        asked.append(model)
        return model.mass

    first, second = load_model("talos"), load_model("g1")
    masses = [model.compute_once(weigh) for model in (first, second, first, second)]
    assert masses == [first.mass, second.mass] * 2
    assert asked == [first, second]


def test_what_a_scale_shows_beyond_the_description_is_in_the_trunk() -> None:
    model = load_model("g1")
    heavier = weigh(model, model.mass + 2.0)
    (added,) = heavier.description.attachments
    assert heavier.mass == pytest.approx(model.mass + 2.0)
    trunk = model.pinocchio.frames[model.trunk_frames[0]].parentJoint
    before, after = model.pinocchio.inertias[trunk], heavier.pinocchio.inertias[trunk]
    assert (added.mass, after.mass) == pytest.approx((2.0, before.mass + 2.0))
    assert after.lever == pytest.approx(before.lever)
    assert weigh(model, model.mass - 1.0) is model, "what its URDF has too much nobody knows where to take from"


def test_an_attachment_is_where_its_link_has_it() -> None:
    model = load_model("g1")
    battery = Attachment(frame="torso_link", mass=1.5, position=(0.1, 0.0, 0.2))
    described = model.description.model_copy(update={"attachments": (battery,)})
    heavier = RobotModel(described)
    data = model.pinocchio.createData()
    com = pin.centerOfMass(model.pinocchio, data, model.q_nominal)
    pin.updateFramePlacements(model.pinocchio, data)
    place = data.oMf[model.pinocchio.getFrameId("torso_link")].act(np.array(battery.position))
    expected = (model.mass * com + 1.5 * place) / (model.mass + 1.5)
    assert pin.centerOfMass(heavier.pinocchio, heavier.pinocchio.createData(), model.q_nominal) == pytest.approx(expected)
    with pytest.raises(FrameNotFound, match=r"attachments\.0"):
        RobotModel(model.description.model_copy(update={"attachments": (battery.model_copy(update={"frame": "tail"}),)}))
