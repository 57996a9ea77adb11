"""What images of the robot's own body say of where the camera is."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.body.body_alignment import BodyAlignment
from handhold.perception.body.mounting_estimate import make_pose
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import BadFrame
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box, make_capsule

PINHOLE = Intrinsics(width=848, height=480, fx=455.0, fy=455.0, cx=423.5, cy=239.5, baseline=0.095)
EXACT = StereoNoise(sigma=0.0, step=1e-4, holes=0.0, flying=0.0)
BODIES = (make_box((0.06, 0.05, 0.12)), make_capsule(0.05, 0.1), make_box((0.1, 0.03, 0.05)))
WALL = make_box((3.0, 3.0, 0.1))


def pose_bodies(seed):
    random = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (len(BODIES), 1, 1))
    for pose, x in zip(poses, (-0.25, 0.0, 0.25), strict=True):
        rotation, _ = np.linalg.qr(random.normal(size=(3, 3)))
        pose[:3, :3] = rotation * np.sign(np.linalg.det(rotation))
        pose[:3, 3] = [x, *random.uniform([-0.1, 0.5], [0.1, 0.8])]
    return poses


def see(camera_pose, poses, *, noise=EXACT, wall=None):
    rasteriser = Rasteriser(PINHOLE)
    bodies = Bodies(BODIES if wall is None else (*BODIES, WALL))
    all_poses = poses if wall is None else np.concatenate([poses, wall[None]])
    rasteriser.draw(bodies.place(camera_pose, all_poses), bodies.triangles)
    depth = noise.apply(rasteriser.inverse_depth, PINHOLE, np.random.default_rng(0))
    return DepthFrame(time=0.0, number=0, depth=depth, unit=UNIT, intrinsics=PINHOLE)


def draw_error(seed, degrees=2.0, millimeters=10.0):
    random = np.random.default_rng(100 + seed)
    turn, shift = random.normal(size=(2, 3))
    return np.concatenate(
        [np.radians(degrees) * turn / np.linalg.norm(turn), 1e-3 * millimeters * shift / np.linalg.norm(shift)]
    )


def find_error(frame, poses, iterations=8):
    """Align repeatedly, and return what the camera's pose is off by."""
    alignment, x = BodyAlignment(PINHOLE, BODIES), np.zeros(6)
    for _ in range(iterations):
        found = alignment.compare(frame, np.eye(4), poses, make_pose(x))
        x = x + np.linalg.solve(found.information, found.vector)
    return x


@pytest.mark.parametrize("seed", range(5))
def test_the_pose_of_the_camera_is_found(seed):
    poses, error = pose_bodies(seed), draw_error(seed)
    found = find_error(see(make_pose(error), poses), poses)
    # Depth is rounded to 1 mm, and the pixels are some thousands.
    assert np.allclose(found[:3], error[:3], atol=np.radians(0.05))
    assert np.allclose(found[3:], error[3:], atol=5e-4)


@pytest.mark.parametrize("seed", range(3))
def test_noise_leaves_the_error_that_the_information_says(seed):
    poses, error = pose_bodies(seed), draw_error(seed, 0.5, 2.0)
    frame = see(make_pose(error), poses, noise=StereoNoise())
    difference = find_error(frame, poses) - error
    information = BodyAlignment(PINHOLE, BODIES).compare(frame, np.eye(4), poses, make_pose(error)).information
    # The noise that is reckoned with is somewhat more than that of the image: by far less than 22 = chi2(6, 0.999).
    assert difference @ information @ difference < 22.0


@pytest.mark.parametrize("seed", range(3))
def test_a_wall_just_behind_the_body_does_not_pull(seed):
    poses, error = pose_bodies(seed), draw_error(seed)
    wall = np.eye(4)
    wall[2, 3] = 0.75 + 0.1
    found = find_error(see(make_pose(error), poses, wall=wall), poses)
    assert np.allclose(found[:3], error[:3], atol=np.radians(0.1))
    assert np.allclose(found[3:], error[3:], atol=1e-3)


def test_where_the_camera_is_right_nothing_is_to_be_changed():
    poses = pose_bodies(0)
    found = BodyAlignment(PINHOLE, BODIES).compare(see(np.eye(4), poses), np.eye(4), poses, np.eye(4))
    assert found.pixels > 1000
    assert found.spread == 1.0
    assert np.linalg.norm(np.linalg.solve(found.information, found.vector)) < 1e-3


def test_a_body_that_is_out_of_sight_says_nothing():
    poses = pose_bodies(0)
    frame = see(np.eye(4), poses)
    behind = poses.copy()
    behind[:, 2, 3] *= -1.0
    for others in (behind, poses + np.array([[0.0] * 3 + [5.0], [0.0] * 4, [0.0] * 4, [0.0] * 4])):
        found = BodyAlignment(PINHOLE, BODIES).compare(frame, np.eye(4), others, np.eye(4))
        assert found.pixels == 0
        assert not found.information.any()
        assert not found.vector.any()


def test_the_frame_of_another_camera_is_refused():
    poses = pose_bodies(0)
    with pytest.raises(BadFrame, match="another camera"):
        BodyAlignment(replace(PINHOLE, fx=456.0), BODIES).compare(see(np.eye(4), poses), np.eye(4), poses, np.eye(4))


def test_one_plate_says_nothing_of_how_it_slides_in_its_plane():
    plate = (make_box((0.3, 0.2, 0.01)),)
    pose = np.eye(4)
    pose[2, 3] = 0.8
    rasteriser = Rasteriser(PINHOLE)
    bodies = Bodies(plate)
    rasteriser.draw(bodies.place(np.eye(4), pose[None]), bodies.triangles)
    depth = EXACT.apply(rasteriser.inverse_depth, PINHOLE, np.random.default_rng(0))
    frame = DepthFrame(time=0.0, number=0, depth=depth, unit=UNIT, intrinsics=PINHOLE)
    information = BodyAlignment(PINHOLE, plate).compare(frame, np.eye(4), pose[None], np.eye(4)).information
    turned_and_shifted_in_the_plane = information[np.ix_([2, 3, 4], [2, 3, 4])]
    assert np.abs(turned_and_shifted_in_the_plane).max() < 1e-6 * information[5, 5]
