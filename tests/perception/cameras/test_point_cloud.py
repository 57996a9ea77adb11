"""Points of a frame, for people to look at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.point_cloud import MAX_POINTS, PointCloud, find_cloud_fault, make_point_cloud, merge_clouds

PINHOLE = Intrinsics(width=80, height=60, fx=70.0, fy=70.0, cx=39.5, cy=29.5)
POSE = np.array([[0.0, 0.0, 1.0, 0.2], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.5], [0.0, 0.0, 0.0, 1.0]])


def make_frame(depth: float = 2.0, **fields: object) -> DepthFrame:
    image = np.full((60, 80), round(1e3 * depth), dtype=np.uint16)
    return DepthFrame(time=3.0, number=1, depth=image, unit=1e-3, intrinsics=PINHOLE, **fields)  # type: ignore[arg-type]


def test_points_lie_where_the_camera_has_measured_them() -> None:
    cloud = make_point_cloud(make_frame(), POSE, 500)
    assert 250 < len(cloud.positions) <= 500
    np.testing.assert_allclose(cloud.positions[:, 0], 2.2, atol=1e-6)
    assert cloud.positions[:, 2].max() == pytest.approx(1.5 + 2.0 * 29.5 / 70.0, abs=0.1)
    assert cloud.time == 3.0
    assert find_cloud_fault(cloud) == ""


def test_what_was_not_measured_or_is_far_gives_no_point() -> None:
    frame = make_frame()
    frame.depth[:, :40] = 0
    frame.depth[:30] = 9000
    cloud = make_point_cloud(frame, POSE, MAX_POINTS)
    assert len(cloud.positions) == 30 * 40
    assert find_cloud_fault(make_point_cloud(make_frame(9.0), POSE, MAX_POINTS)) == ""


def test_points_have_the_colour_of_the_picture_or_of_their_depth() -> None:
    picture = np.tile(np.arange(80, dtype=np.uint8)[None, :, None], (60, 1, 3))
    colored = make_point_cloud(make_frame(color=picture), POSE, MAX_POINTS)
    assert set(colored.colors[:, 0].tolist()) == set(range(80))
    near, far = (make_point_cloud(make_frame(depth), POSE, 10).colors[0].astype(int) for depth in (0.5, 4.5))
    assert near[0] > far[0]
    assert near[2] < far[2]


def test_clouds_of_several_cameras_are_as_old_as_the_oldest() -> None:
    one, other = make_point_cloud(make_frame(), POSE, 100), replace(make_point_cloud(make_frame(), POSE, 50), time=2.5)
    both = merge_clouds([one, other])
    assert len(both.positions) == len(both.colors) == len(one.positions) + len(other.positions)
    assert both.time == 2.5


@pytest.mark.parametrize(
    ("positions", "colors", "time"),
    [
        (np.zeros((4, 2), np.float32), np.zeros((4, 2), np.uint8), 0.0),
        (np.zeros((4, 3)), np.zeros((4, 3), np.uint8), 0.0),
        (np.zeros((4, 3), np.float32), np.zeros((3, 3), np.uint8), 0.0),
        (np.zeros((4, 3), np.float32), np.zeros((4, 3), np.uint8), np.nan),
        (np.full((4, 3), np.nan, np.float32), np.zeros((4, 3), np.uint8), 0.0),
        (np.zeros((MAX_POINTS + 1, 3), np.float32), np.zeros((MAX_POINTS + 1, 3), np.uint8), 0.0),
    ],
)
def test_what_is_no_cloud_has_a_fault(positions: np.ndarray, colors: np.ndarray, time: float) -> None:
    assert find_cloud_fault(PointCloud(time=time, positions=positions, colors=colors))
