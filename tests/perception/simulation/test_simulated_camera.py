"""A stereo camera in a simulated world."""

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.errors import PerceptionError
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.simulated_camera import FrameTiming, SimulatedCamera, TimeRunsBack
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box

PINHOLE = Intrinsics(width=212, height=120, fx=106.0, fy=106.0, cx=105.5, cy=59.5, baseline=0.095)
EXACT = StereoNoise(sigma=0.0, step=1e-4, holes=0.0, flying=0.0)
PERIOD = 1.0 / 30.0
STEP = 2e-3  # [s] of the simulation
WALL = make_box((2.0, 2.0, 0.1))


def make_camera(**settings):
    return SimulatedCamera("test", PINHOLE, (WALL,), **settings)


def place_wall(distance):
    """Poses of the wall whose near face is at a distance [m]."""
    pose = np.eye(4)
    pose[2, 3] = distance + 0.1
    return pose[None]


def run(camera, duration, distance=lambda time: 1.0, step=STEP):
    """Go on in steps, and return the times at which frames were taken, and the frames."""
    taken = []
    for k in range(round(duration / step) + 1):
        camera.advance(k * step, np.eye(4), place_wall(distance(k * step)))
        frame = camera.take()
        if frame is not None:
            taken.append((k * step, frame))
    return taken


@pytest.mark.parametrize("seed", range(3))
def test_bodies_are_placed_as_their_poses_say(seed):
    random = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (3, 1, 1))
    for pose in poses:
        pose[:3, :3] = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose[:3, 3] = random.normal(size=3)
    boxes = (make_box((0.1, 0.2, 0.3)), make_box((0.3, 0.2, 0.1)))
    placed = Bodies(boxes).place(poses[2], poses[:2])
    points = np.concatenate(
        [box.corners.reshape(-1, 3) @ p[:3, :3].T + p[:3, 3] for box, p in zip(boxes, poses, strict=False)]
    )
    expected = (points - poses[2, :3, 3]) @ poses[2, :3, :3]
    assert np.allclose(placed.reshape(-1, 3), expected, atol=1e-12)


def test_frames_come_at_the_rate_and_after_the_latency():
    taken = run(make_camera(), 1.0)
    times = np.array([frame.time for _, frame in taken])
    # Exposed and taken at the first step that is not before.
    assert np.allclose(times, PERIOD * np.arange(len(times)), atol=STEP)
    assert all(0.06 - 1e-9 <= when - frame.time < 0.06 + STEP for when, frame in taken)
    assert [frame.number for _, frame in taken] == list(range(len(taken)))
    assert len(taken) == 29


def test_a_frame_shows_where_everything_was_at_its_time():
    taken = run(make_camera(noise=EXACT, timing=FrameTiming(latency=0.1)), 0.5, lambda time: 1.0 + time)
    for _, frame in taken:
        # Depth is rounded to the unit, and the smallest disparity is not quite none.
        assert UNIT * frame.depth[60, 100] == pytest.approx(1.0 + frame.time, abs=1.5 * UNIT)


def test_the_rate_can_be_set():
    assert len(run(make_camera(timing=FrameTiming(rate=5.0, latency=0.0)), 0.99)) == 5


def test_frames_that_no_step_came_for_are_counted_as_lost():
    taken = run(make_camera(timing=FrameTiming(latency=0.0)), 0.5, step=0.1)
    assert [frame.number for _, frame in taken] == [0, 3, 6, 9, 12, 15]


def test_who_takes_frames_seldom_gets_the_newest():
    camera = make_camera(timing=FrameTiming(latency=0.06))
    for k in range(501):
        camera.advance(k * STEP, np.eye(4), place_wall(1.0))
    frame = camera.take()
    assert 1.0 - frame.time < 0.06 + PERIOD + STEP
    assert camera.take() is None


def test_the_same_seed_gives_the_same_frames_and_another_one_others():
    first, again, other = (run(make_camera(seed=seed), 0.2) for seed in (1, 1, 2))
    assert all(np.array_equal(a.depth, b.depth) for (_, a), (_, b) in zip(first, again, strict=True))
    assert not any(np.array_equal(a.depth, b.depth) for (_, a), (_, b) in zip(first, other, strict=True))


def test_a_frame_that_one_has_does_not_change_any_more():
    camera = make_camera(timing=FrameTiming(latency=0.0, color_lag=0.0), colors=np.ones((1, 3)))
    camera.advance(0.0, np.eye(4), place_wall(1.0))
    frame = camera.take()
    depth, color = frame.depth.copy(), frame.color.copy()
    camera.advance(0.1, np.eye(4), place_wall(2.0))
    assert np.array_equal(frame.depth, depth)
    assert np.array_equal(frame.color, color)


def test_colour_is_of_a_moment_after_depth():
    lag = 0.01

    def distance(time):
        """A wall that is there until just after the first exposure, and then is behind the camera."""
        return 1.0 if time < 0.5 * lag else -5.0

    timing = FrameTiming(latency=0.02, color_lag=lag)
    (_, frame), *_ = run(make_camera(timing=timing, noise=EXACT, colors=np.array([[1.0, 0.0, 0.0]])), 0.03, distance)
    assert frame.time == 0.0
    assert (frame.depth > 0).all()
    assert np.ptp(frame.color.reshape(-1, 3), axis=0).max() == 0
    assert frame.color[0, 0, 0] < 50


def test_bodies_have_their_colours_and_faces_their_shades():
    box = make_box((0.3, 0.3, 0.3))
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(0.7), 0.0, np.sin(0.7)], [0.0, 1.0, 0.0], [-np.sin(0.7), 0.0, np.cos(0.7)]]
    pose[2, 3] = 1.5
    timing = FrameTiming(latency=0.0, color_lag=0.0)
    camera = SimulatedCamera("test", PINHOLE, (box,), timing=timing, colors=np.array([[0.0, 0.8, 0.0]]))
    camera.advance(0.0, np.eye(4), pose[None])
    picture = camera.take().color
    left, right = picture[60, 90], picture[60, 120]
    assert left[0] == left[2] == 0
    assert left[1] != right[1]
    assert min(left[1], right[1]) > 50


def test_only_what_is_due_is_asked_for():
    camera = make_camera(timing=FrameTiming(color_lag=0.01), colors=np.ones((1, 3)))
    due = []
    for k in range(round(0.1 / STEP)):
        due.append(camera.is_due(k * STEP))
        camera.advance(k * STEP, np.eye(4), place_wall(1.0))
    # Three exposures of depth, and each one's colour.
    assert sum(due) == 6


def test_time_does_not_run_back():
    camera = make_camera()
    camera.advance(1.0, np.eye(4), place_wall(1.0))
    with pytest.raises(TimeRunsBack, match="new camera"):
        camera.advance(0.5, np.eye(4), place_wall(1.0))


@pytest.mark.parametrize("wrong", [{"rate": 0.0}, {"latency": -0.1}, {"color_lag": -0.1}, {"latency": float("inf")}])
def test_a_timing_that_cannot_be_is_refused(wrong):
    with pytest.raises(PerceptionError):
        FrameTiming(**wrong)
