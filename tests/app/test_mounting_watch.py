"""Where Talos' camera really is, learnt from what it sees of the floor and of Talos' own arms."""

import math

import numpy as np
import pinocchio as pin
import pytest
from camera_scenes import draw_postures

from handhold.app.camera.mounting_watch import MountingWatch
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.simulated_view import SimulatedView
from handhold.perception.planes.plane_finder import PlaneFinder
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

RATE = 5.0
NOISE = StereoNoise(sigma=0.08)
EXACT_TURN, EXACT_SHIFT = math.radians(0.3), 3e-3
NOTICED_WITHIN = 10.0


@pytest.fixture(scope="module")
def talos():
    model = load_model("talos")
    return model, RobotShapes(model)


def draw_mounting(seed, degrees, millimeters):
    random = np.random.default_rng(1000 + seed)
    turn, shift = random.normal(size=(2, 3))
    pose = np.eye(4)
    pose[:3, :3] = pin.exp3(math.radians(degrees) * turn / np.linalg.norm(turn))
    pose[:3, 3] = 1e-3 * millimeters * shift / np.linalg.norm(shift)
    return pose


def watch(talos, mounting, duration, seed, *, joint_error=0.0, world="flat"):
    """Let Talos move its arms from posture to posture, one a second; returns all estimates."""
    model, shapes = talos
    random = np.random.default_rng(seed)
    postures = draw_postures(model, shapes, random, round(duration) + 2)
    offsets = joint_error * random.normal(size=model.n)
    surroundings = load_world(world)
    solids = np.array([solid.to_se3().homogeneous for solid in surroundings.solids]).reshape(-1, 4, 4)
    timing = FrameTiming(rate=RATE, latency=0.0)
    view = SimulatedView(model, surroundings, mounting=mounting, timing=timing, noise=NOISE, seed=seed)
    learner, finder = MountingWatch(model, shapes, view.intrinsics), PlaneFinder(view.intrinsics)
    estimates = []
    for k in range(round(RATE * duration)):
        before, part = divmod(k / RATE, 1.0)
        q = postures[int(before)] + part * (postures[int(before) + 1] - postures[int(before)])
        view.advance(k / RATE, q, lambda: solids)
        frame = view.take()
        q[7:] += offsets
        learner.see(frame, q, finder.find(frame))
        estimates.append(learner.estimate)
    return estimates


def find_remaining(estimate, mounting):
    """Return what a mounting is off by once it is corrected [rad, m]."""
    left = np.linalg.inv(estimate.correction) @ mounting
    return np.linalg.norm(pin.log3(left[:3, :3])), np.linalg.norm(left[:3, 3])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("degrees", "millimeters"), [(2.0, 10.0), (2.0, 0.0), (0.0, 10.0)])
def test_a_mounting_that_is_off_is_noticed_and_corrected(talos, seed, degrees, millimeters):
    mounting = draw_mounting(seed, degrees, millimeters)
    estimates = watch(talos, mounting, NOTICED_WITHIN, seed)
    assert any(estimate.is_wrong for estimate in estimates)
    last = estimates[-1]
    assert last.is_wrong
    assert last.is_known
    assert last.describe().startswith("the camera is not where its description says")
    turn, shift = find_remaining(last, mounting)
    assert turn < EXACT_TURN
    assert shift < EXACT_SHIFT


@pytest.mark.parametrize("seed", range(5))
def test_a_camera_without_error_gives_no_alarm(talos, seed):
    estimates = watch(talos, np.eye(4), 60.0, seed)
    assert not any(estimate.is_wrong for estimate in estimates)
    assert estimates[-1].is_known
    assert estimates[-1].describe() == "the camera is where its description says"


@pytest.mark.parametrize("seed", range(3))
def test_joints_that_are_a_third_of_a_degree_off_give_no_alarm(talos, seed):
    estimates = watch(talos, np.eye(4), 20.0, seed, joint_error=math.radians(0.3))
    assert not any(estimate.is_wrong for estimate in estimates)


@pytest.mark.parametrize("seed", range(2))
def test_walls_about_the_arms_do_not_disturb(talos, seed):
    mounting = draw_mounting(seed, 2.0, 10.0)
    last = watch(talos, mounting, NOTICED_WITHIN, seed, world="wall")[-1]
    turn, shift = find_remaining(last, mounting)
    assert last.is_wrong
    assert turn < EXACT_TURN
    assert shift < EXACT_SHIFT


def test_arms_that_are_not_in_view_leave_the_heading_unknown(talos):
    model, shapes = talos
    q = model.q_nominal.copy()
    q[7 + model.joint_names.index("head_1_joint")] = -0.2  # 0.4 rad down with the mounting
    view = SimulatedView(model, load_world("flat"), timing=FrameTiming(rate=RATE, latency=0.0), noise=NOISE)
    learner, finder = MountingWatch(model, shapes, view.intrinsics), PlaneFinder(view.intrinsics)
    for k in range(50):
        view.advance(k / RATE, q, lambda: np.zeros((0, 4, 4)))
        frame = view.take()
        learner.see(frame, q, finder.find(frame))
    estimate = learner.estimate
    assert not estimate.is_known
    assert not estimate.is_wrong
    up = shapes.compute(q)[0][2, :3]
    assert np.sqrt(up @ estimate.covariance[:3, :3] @ up) > math.radians(2.0)
    assert "bring a hand before the camera" in estimate.describe()
