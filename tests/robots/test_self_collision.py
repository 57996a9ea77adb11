"""Distances between a robot's bodies: against coal, against finite differences, and the capsules they are made of."""

import coal
import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.capsules import enclose, sample_shape
from handhold.robots.description import RobotDescription
from handhold.robots.errors import DescriptionError, FrameNotFound
from handhold.robots.model import RobotModel, load_model
from handhold.robots.pinocchio_views import view_joint_poses
from handhold.robots.self_collision import SelfCollision, fill_distance_gradient, measure_clearance

ROUNDING = 1e-9  # [m] coal's own closed form stops at about 1e-10
STEP = 1e-6  # [rad, m] of the central differences
GRADIENT = 1e-5  # [m/rad] their truncation, where the nearest points move fast
LEAK = 1e-6  # [m] the corners of cuts are rounded


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def measure(model, collision, q):
    data = model.pinocchio.createData()
    pin.computeJointJacobians(model.pinocchio, data, q)
    collision.update(view_joint_poses(data, model.pinocchio.njoints), everywhere=True)
    return data


def random_configuration(model, seed, spread=0.6):
    step = spread * np.random.default_rng(seed).normal(size=model.nv)
    return pin.integrate(model.pinocchio, model.q_nominal, step)


def measure_with_coal(model, data, pair):
    shapes = []
    for place in pair:
        body = model.bodies[place]
        first, second = body.capsule.ends
        length = float(np.linalg.norm(second - first))
        turn = (
            pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), second - first) if length else pin.Quaternion.Identity()
        )
        pose = data.oMi[body.joint] * pin.SE3(turn.matrix(), 0.5 * (first + second))
        shape = coal.Capsule(body.capsule.radius, length) if length else coal.Sphere(body.capsule.radius)
        shapes += [shape, coal.Transform3s(pose.rotation, pose.translation)]
    return coal.distance(*shapes, coal.DistanceRequest(), coal.DistanceResult())


def measure_depths(capsule, points):
    """Return how deep inside the capsule points are, shape ``(k,)`` [m]; negative outside."""
    axis = capsule.ends[1] - capsule.ends[0]
    length = max(float(axis @ axis), 1e-12)
    along = np.clip((points - capsule.ends[0]) @ axis / length, 0.0, 1.0)
    nearest = capsule.ends[0] + along[:, None] * axis
    return capsule.radius - np.linalg.norm(points - nearest, axis=1)


def compute_jacobian(collision, joint_jacobians):
    """Return the gradients of all distances, shape ``(pairs, nv)``."""
    count = len(collision.distances)
    rows = np.zeros((count, joint_jacobians.shape[1]))
    for pair in range(count):
        columns, signs = collision._columns[pair, : collision._counts[pair]].T
        fill_distance_gradient(
            joint_jacobians, collision.normals[pair], collision.points[pair], columns, signs, 1.0, rows[pair]
        )
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_coals_apart_and_signed_where_bodies_overlap(talos, seed):
    collision = SelfCollision(talos)
    data = measure(talos, collision, random_configuration(talos, seed))
    for pair, distance in zip(collision._pairs.tolist(), collision.distances.tolist(), strict=True):
        assert distance == pytest.approx(measure_with_coal(talos, data, pair), abs=ROUNDING)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_agree_with_central_differences_apart_and_overlapping(talos, seed):
    collision = SelfCollision(talos)
    q = random_configuration(talos, seed)
    data = measure(talos, collision, q)
    gradient = compute_jacobian(collision, data.J)
    difference = np.zeros_like(gradient)
    for j in range(talos.nv):
        step = np.zeros(talos.nv)
        step[j] = STEP
        for sign in (1.0, -1.0):
            measure(talos, collision, pin.integrate(talos.pinocchio, q, sign * step))
            difference[:, j] += sign * collision.distances / (2.0 * STEP)
    assert np.abs(gradient - difference).max() < GRADIENT


def test_beyond_the_influence_distance_a_bound_from_below_will_do(talos):
    collision = SelfCollision(talos)
    data = measure(talos, collision, talos.q_nominal)
    exact = collision.distances.copy()
    collision.update(view_joint_poses(data, talos.pinocchio.njoints))
    influence = talos.description.self_collision.influence_distance
    near = exact < influence
    assert np.array_equal(collision.distances[near], exact[near])
    assert np.all(collision.distances <= exact + ROUNDING)
    assert np.all(collision.distances[~near] >= influence)


def test_capsules_hold_the_meshes_they_are_fitted_to(talos):
    for geometry in talos.collisions.geometryObjects:
        points = sample_shape(geometry.geometry)
        depths = np.max([measure_depths(capsule, points) for capsule in enclose(points)], axis=0)
        assert depths.min() > -LEAK, geometry.name


def test_a_slab_between_two_cuts_is_held_whole():
    corners = np.array(np.meshgrid([-0.3, 0.3], [-0.1, 0.1], [-0.5, 0.5])).reshape(3, 8).T
    capsules = enclose(corners)
    assert len(capsules) == 3
    inside = np.random.default_rng(1).uniform(-1.0, 1.0, size=(2000, 3)) * (0.3, 0.1, 0.5)
    assert np.max([measure_depths(capsule, inside) for capsule in capsules], axis=0).min() > -LEAK


@pytest.mark.parametrize("robot", ["talos", "g1", "h1", "icub", "anymal"])
def test_a_shipped_robots_nominal_posture_keeps_its_bodies_apart(robot):
    model = load_model(robot)
    assert measure_clearance(model, model.q_nominal).distance > model.description.self_collision.least_distance


def change(model, **settings):
    content = model.description.model_dump()
    content["self_collision"] |= settings
    return RobotModel(RobotDescription.model_validate(content))


def test_an_unknown_link_is_answered_with_the_nearest_names(talos):
    with pytest.raises(FrameNotFound, match="head_2_link"):
        change(talos, bodies=talos.description.self_collision.bodies | {"head": ["head_3_link"]})


def test_an_unknown_body_is_answered_with_the_nearest_names(talos):
    with pytest.raises(ValueError, match="did you mean head"):
        change(talos, pairs=[["heat", "torso"]])


def test_bodies_on_one_joint_are_refused(talos):
    bodies = talos.description.self_collision.bodies | {"hand": ["gripper_left_base_link"]}
    with pytest.raises(DescriptionError, match="arm_left_7_joint"):
        SelfCollision(change(talos, bodies=bodies, pairs=[["hand", "left_arm"]]))
