"""A camera's mounting, learnt from the floor and from the robot's body."""

import numpy as np
import pytest

from handhold.perception.body.mounting import MountingCheck
from handhold.perception.body.mounting_estimate import exponentiate, make_pose
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box, make_capsule

PINHOLE = Intrinsics(width=424, height=240, fx=228.0, fy=228.0, cx=211.5, cy=119.5, baseline=0.095)
ARM = (make_capsule(0.05, 0.12), make_box((0.03, 0.05, 0.08)))
RATE = 5.0
HEIGHT = 1.6
TILT = 0.5  # [rad] that the camera looks down
FLOOR = np.array([0.0, -np.cos(TILT), -np.sin(TILT), HEIGHT])


def see_plane(plane, x):
    """Return a plane of the described frame as a camera that is displaced by x sees it."""
    return np.append(exponentiate(x[:3]).T @ plane[:3], plane[3] + plane[:3] @ x[3:])


def draw_error(seed, degrees=2.0, millimeters=10.0):
    random = np.random.default_rng(100 + seed)
    turn, shift = random.normal(size=(2, 3))
    return np.concatenate(
        [np.radians(degrees) * turn / np.linalg.norm(turn), 1e-3 * millimeters * shift / np.linalg.norm(shift)]
    )


def move_arm(seed, time):
    """Poses of an arm that turns about and goes to and fro before the camera."""
    random = np.random.default_rng(seed)
    axes, phases = random.normal(size=(2, 3)), random.uniform(0.0, 2.0 * np.pi, size=(2, 3))
    poses = np.tile(np.eye(4), (2, 1, 1))
    for k, pose in enumerate(poses):
        pose[:3, :3] = exponentiate(axes[k] * (1.0 + 0.3 * time))
        pose[:3, 3] = [0.3 * k - 0.15, 0.0, 0.65] + np.array([0.1, 0.08, 0.12]) * np.sin(time + phases[k])
    return poses


class Scene:
    """A camera that is displaced by x, before which the arm moves."""

    def __init__(self, seed):
        self._seed = seed
        self._rasteriser, self._bodies = Rasteriser(PINHOLE), Bodies(ARM)
        self._random = np.random.default_rng(seed)

    def see(self, time, x):
        poses = move_arm(self._seed, time)
        self._rasteriser.clear()
        self._rasteriser.draw(self._bodies.place(make_pose(x), poses), self._bodies.triangles)
        depth = StereoNoise().apply(self._rasteriser.inverse_depth, PINHOLE, self._random)
        return DepthFrame(time=time, number=0, depth=depth, unit=UNIT, intrinsics=PINHOLE), poses


def learn(check, scene, times, x, *, floor=True):
    """Look again and again; returns the first time at which the mounting is called wrong, or None."""
    noticed = None
    for time in times:
        if floor:
            check.see_floor(time, see_plane(FLOOR, x), FLOOR)
        frame, poses = scene.see(time, x)
        check.see_body(frame, np.eye(4), poses)
        if noticed is None and check.estimate.is_wrong:
            noticed = time
    return noticed


def count_seconds(start, end):
    return np.arange(round(RATE * start), round(RATE * end)) / RATE


@pytest.mark.parametrize("seed", range(5))
def test_the_floor_tells_tilt_and_height_and_nothing_else(seed):
    check, error = MountingCheck(PINHOLE, ARM), draw_error(seed)
    for time in count_seconds(0.0, 10.0):
        assert check.see_floor(time, see_plane(FLOOR, error), FLOOR)
    estimate = check.estimate
    seen = see_plane(FLOOR, np.concatenate([estimate.rotation, estimate.translation]))
    # The weak knowledge that mountings are about right pulls by a part of a thousand.
    assert np.allclose(seen, see_plane(FLOOR, error), atol=2e-4)
    normal = FLOOR[:3]
    along, about = (normal @ block @ normal for block in (estimate.covariance[3:, 3:], estimate.covariance[:3, :3]))
    assert np.sqrt(along) < 2e-3
    assert np.sqrt(about) > np.radians(4.0)
    across = np.cross(normal, [1.0, 0.0, 0.0])
    assert np.sqrt(across @ estimate.covariance[3:, 3:] @ across) > 0.02
    assert np.sqrt(across @ estimate.covariance[:3, :3] @ across) < np.radians(0.3)


def test_where_only_the_floor_is_in_sight_a_hand_is_asked_for():
    check = MountingCheck(PINHOLE, ARM)
    for time in count_seconds(0.0, 10.0):
        check.see_floor(time, FLOOR, FLOOR)
    assert not check.estimate.is_known
    assert not check.estimate.is_wrong
    said = check.estimate.describe()
    assert "bring a hand before the camera" in said
    assert "turned to the side" in said
    assert "displaced to the side" in said


@pytest.mark.parametrize("other", [FLOOR - [0.0, 0.0, 0.0, 0.7], see_plane(FLOOR, np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0]))])
def test_a_table_or_a_ramp_is_not_taken_for_the_floor(other):
    check = MountingCheck(PINHOLE, ARM)
    before = check.estimate
    assert not check.see_floor(0.0, other, FLOOR)
    assert np.array_equal(check.estimate.covariance, before.covariance)


@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_an_error_is_noticed_and_found(seed, floor):
    check, error = MountingCheck(PINHOLE, ARM), draw_error(seed)
    assert learn(check, Scene(seed), count_seconds(0.0, 10.0), error, floor=floor) is not None
    estimate = check.estimate
    assert estimate.is_known
    assert np.linalg.norm(estimate.rotation - error[:3]) < np.radians(0.3)
    assert np.linalg.norm(estimate.translation - error[3:]) < 3e-3


def test_no_single_image_raises_an_alarm():
    for seed in range(5):
        check = MountingCheck(PINHOLE, ARM)
        frame, poses = Scene(seed).see(0.0, draw_error(seed, 2.0, 0.0))
        assert check.see_body(frame, np.eye(4), poses) > 0
        assert not check.estimate.is_wrong


@pytest.mark.parametrize(("degrees", "millimeters", "within"), [(2.0, 10.0, 10.0), (2.0, 0.0, 10.0), (0.0, 10.0, 15.0)])
def test_a_knock_is_noticed_though_all_was_well_for_long(degrees, millimeters, within):
    check, scene, error = MountingCheck(PINHOLE, ARM), Scene(0), draw_error(0, degrees, millimeters)
    knocked = 60.0
    for time in count_seconds(0.0, knocked):
        check.see_floor(time, FLOOR, FLOOR)
    assert learn(check, scene, count_seconds(knocked - 20.0, knocked) + 20.0, np.zeros(6)) is None
    noticed = learn(check, scene, count_seconds(knocked + 20.0, knocked + 50.0), error)
    assert noticed is not None
    assert noticed - knocked - 20.0 < within
    estimate = check.estimate
    assert np.linalg.norm(estimate.rotation - error[:3]) < np.radians(0.3)
    assert np.linalg.norm(estimate.translation - error[3:]) < 3e-3


def test_many_images_of_one_posture_count_no_more_than_a_few():
    seldom, often = MountingCheck(PINHOLE, ARM), MountingCheck(PINHOLE, ARM)
    scene = Scene(0)
    frame, poses = scene.see(0.0, np.zeros(6))
    for check, rate in ((seldom, 2), (often, 20)):
        for k in range(1, 3 * rate + 1):
            at_time = DepthFrame(time=k / rate, number=k, depth=frame.depth, unit=UNIT, intrinsics=PINHOLE)
            check.see_body(at_time, np.eye(4), poses)
    ratio = np.trace(often.estimate.covariance) / np.trace(seldom.estimate.covariance)
    # Ten times as many; the first image of all, which follows none, counts as much as one of half a second.
    assert 0.8 < ratio < 1.3
