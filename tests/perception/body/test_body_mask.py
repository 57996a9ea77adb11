"""A robot's own body taken out of depth images."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.body.body_mask import MARGIN, BodyMask
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import BadFrame
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box, make_capsule

PINHOLE = Intrinsics(width=424, height=240, fx=228.0, fy=228.0, cx=211.5, cy=119.5, baseline=0.095)
EXACT = StereoNoise(sigma=0.0, step=1e-4, holes=0.0, flying=0.0)
ARM = (make_capsule(0.05, 0.15), make_box((0.04, 0.03, 0.08)))
WALL = make_box((3.0, 3.0, 0.1))
HANDFUL = 3  # pixels that fly off the body's edge to where their neighbours do as well


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def turn(random):
    pose = np.eye(4)
    rotation, _ = np.linalg.qr(random.normal(size=(3, 3)))
    pose[:3, :3] = rotation * np.sign(np.linalg.det(rotation))
    return pose


def see(body_poses, others=(), noise=EXACT, seed=0, bodies=ARM):
    """Return a frame, and which pixels see the body."""
    rasteriser = Rasteriser(PINHOLE)
    for number, (shapes, poses) in enumerate(
        (((shape for shape, _ in others), [pose for _, pose in others]), (bodies, body_poses))
    ):
        all_shapes = Bodies(tuple(shapes))
        if len(all_shapes.triangles):
            rasteriser.draw(all_shapes.place(np.eye(4), np.array(poses)), np.full(len(all_shapes.triangles), number))
    depth = noise.apply(rasteriser.inverse_depth, PINHOLE, np.random.default_rng(seed))
    frame = DepthFrame(time=0.0, number=0, depth=depth, unit=UNIT, intrinsics=PINHOLE)
    return frame, rasteriser.faces == 1


def locate(frame):
    """Return what each pixel sees in the camera's axes, shape ``(height, width, 3)`` [m]."""
    u, v = np.meshgrid(np.arange(PINHOLE.width), np.arange(PINHOLE.height))
    rays = np.stack([(u - PINHOLE.cx) / PINHOLE.fx, (v - PINHOLE.cy) / PINHOLE.fy, np.ones(u.shape)], axis=2)
    return rays * (UNIT * frame.depth)[:, :, None]


@pytest.mark.parametrize("seed", range(8))
def test_hardly_a_pixel_of_the_body_stays(seed):
    random = np.random.default_rng(seed)
    poses = [at(*random.uniform([-0.3, -0.2, 0.5], [0.3, 0.2, 1.0])) @ turn(random) for _ in ARM]
    frame, body = see(poses, [(WALL, at(0.0, 0.0, 2.0))], StereoNoise(), seed)
    masked = BodyMask(PINHOLE, ARM).apply(frame, np.eye(4), np.array(poses))
    seen = body & (frame.depth > 0)
    assert seen.sum() > 1000
    assert (seen & (masked.frame.depth > 0)).sum() <= HANDFUL
    assert masked.pixels == ((frame.depth > 0) & (masked.frame.depth == 0)).sum()


@pytest.mark.parametrize("seed", range(4))
def test_only_what_is_near_the_body_is_lost(seed):
    random = np.random.default_rng(seed)
    poses = [at(*random.uniform([-0.3, -0.2, 0.6], [0.3, 0.2, 0.9])) @ turn(random)]
    frame, body = see(poses, [(WALL, at(0.0, 0.0, 1.15))], bodies=ARM[:1])
    masked = BodyMask(PINHOLE, ARM[:1]).apply(frame, np.eye(4), np.array(poses))
    lost = (frame.depth > 0) & (masked.frame.depth == 0) & ~body
    points = (locate(frame)[lost] - poses[0][:3, 3]) @ poses[0][:3, :3]
    points[:, 2] -= np.clip(points[:, 2], -0.15, 0.15)
    # The body is drawn in blocks of a few pixels, which are a few mm wide.
    assert (np.linalg.norm(points, axis=1) - 0.05 < MARGIN + 0.01).all()


def test_the_wall_beside_a_hand_that_leans_on_it_stays():
    radius, distance = 0.05, 0.8
    hand = (make_capsule(radius, 0.0),)
    pose = at(0.0, 0.0, distance - radius)
    frame, body = see([pose], [(WALL, at(0.0, 0.0, distance + 0.1))], bodies=hand)
    masked = BodyMask(PINHOLE, hand).apply(frame, np.eye(4), pose[None])
    points = locate(frame)
    lost = (frame.depth > 0) & (masked.frame.depth == 0) & ~body
    rim = np.sqrt(2.0 * radius * MARGIN + MARGIN**2)
    reach = np.linalg.norm(points[:, :, :2], axis=2)
    assert lost.any()
    assert reach[lost].max() < rim + 0.01
    beside = (frame.depth > 0) & ~body & (reach > rim + 0.01)
    assert (masked.frame.depth[beside] > 0).all()


def test_what_is_before_the_body_stays():
    # The arm, grown, begins 0.77 m away.
    pose = at(0.0, 0.0, 1.0)
    plate = make_box((0.1, 0.1, 0.01))
    frame, body = see([pose, at(0.3, 0.0, 1.0)], [(plate, at(0.0, 0.0, 0.75))])
    masked = BodyMask(PINHOLE, ARM).apply(frame, np.eye(4), np.array([pose, at(0.3, 0.0, 1.0)]))
    before = (frame.depth > 0) & ~body
    assert before.sum() > 1000
    assert np.array_equal(masked.frame.depth[before], frame.depth[before])


def test_a_body_that_errors_have_displaced_lets_one_see_past_it():
    pose = at(0.0, 0.0, 0.7)
    frame, body = see([pose, at(0.2, 0.0, 0.7)], [(WALL, at(0.0, 0.0, 2.0))])
    moved = at(0.02, 0.0, 0.0) @ np.array([pose, at(0.2, 0.0, 0.7)])
    masked = BodyMask(PINHOLE, ARM).apply(frame, np.eye(4), moved)
    assert not (body & (masked.frame.depth > 0)).any()
    assert (masked.frame.depth[~body] > 0).sum() > 0.995 * (frame.depth[~body] > 0).sum()


def test_pixels_that_fly_off_the_edge_of_the_body_are_dropped():
    pose = at(0.0, 0.0, 0.7)
    noise = StereoNoise(sigma=0.02, holes=0.0, flying=1.0)
    column = (make_box((0.05, 0.2, 0.05)),)
    frame, _ = see([pose], [(WALL, at(0.0, 0.0, 2.0))], noise, bodies=column)
    between = (frame.depth > 900) & (frame.depth < 1700)
    masked = BodyMask(PINHOLE, column).apply(frame, np.eye(4), pose[None])
    assert between.sum() > 20
    assert (masked.frame.depth[between] > 0).sum() <= HANDFUL


def test_a_camera_within_the_margin_of_the_body_sees_past_it():
    # A shoulder just below the camera.
    pose = at(0.0, 0.12, 0.0)
    shoulder = (make_box((0.2, 0.1, 0.2)),)
    frame, body = see([pose], [(WALL, at(0.0, 0.0, 1.1))], bodies=shoulder)
    masked = BodyMask(PINHOLE, shoulder).apply(frame, np.eye(4), pose[None])
    past = ~body & (frame.depth > 0)
    assert past.mean() > 0.5
    assert np.array_equal(masked.frame.depth[past], frame.depth[past])


def test_the_frame_that_was_given_stays_as_it_is():
    pose = at(0.0, 0.0, 0.8)
    frame, _ = see([pose, pose])
    before = frame.depth.copy()
    mask = BodyMask(PINHOLE, ARM)
    first, second = (mask.apply(frame, np.eye(4), np.array([pose, pose])) for _ in range(2))
    assert np.array_equal(frame.depth, before)
    assert np.array_equal(first.frame.depth, second.frame.depth)
    assert (first.frame.time, first.frame.number) == (frame.time, frame.number)


def test_the_frame_of_another_camera_is_refused():
    frame, _ = see([at(0.0, 0.0, 0.8)] * 2)
    other = replace(PINHOLE, fx=230.0)
    with pytest.raises(BadFrame, match="another camera"):
        BodyMask(other, ARM).apply(frame, np.eye(4), np.tile(np.eye(4), (2, 1, 1)))
