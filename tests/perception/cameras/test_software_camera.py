"""What a program feeds to librealsense comes out of it."""

from dataclasses import replace

import numpy as np
import pytest
from camera_frames import ARRIVAL, D455, PINHOLE, assert_same, make_frames

from handhold.perception.cameras.camera_errors import CameraLost, StreamSize
from handhold.perception.cameras.software_camera import SoftwareCamera
from handhold.perception.cameras.software_device import ColorCamera
from handhold.perception.errors import BadFrame


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("intrinsics", [PINHOLE, D455])
def test_frames_come_out_as_they_went_in(intrinsics, color):
    camera = SoftwareCamera(intrinsics, 1e-3, color=ColorCamera(intrinsics=intrinsics) if color else None)
    for sent in make_frames(4, intrinsics, color=color):
        camera.push(sent)
        frame = camera.read(ARRIVAL)
        assert_same(frame, sent)
        assert (frame.color is not None) == color
    assert camera.read(0.0) is None
    camera.close()


def test_intrinsics_baseline_and_unit_are_what_the_library_streams():
    camera = SoftwareCamera(D455, 2.5e-4)
    (sent,) = make_frames(1, D455, unit=2.5e-4, color=False)
    camera.push(sent)
    frame = camera.read(ARRIVAL)
    # floats of 32 bits, written with seven digits
    assert frame.intrinsics == camera.intrinsics == D455
    assert frame.unit == 2.5e-4
    camera.close()


def test_only_the_newest_of_several_frames_is_read():
    camera = SoftwareCamera(PINHOLE, 1e-3)
    frames = make_frames(5, color=False)
    for sent in frames:
        camera.push(sent)
    assert_same(camera.read(ARRIVAL), frames[-1])
    assert camera.read(0.0) is None
    camera.close()


def look(intrinsics, transform, distance):
    """Return which column and row of a colour camera each pixel of a wall is seen at, shape ``(2, height, width)``."""
    v, u = np.mgrid[0 : PINHOLE.height, 0 : PINHOLE.width].astype(float)
    rays = np.stack([(u - PINHOLE.cx) / PINHOLE.fx, (v - PINHOLE.cy) / PINHOLE.fy, np.ones_like(u)])
    x, y, z = np.einsum("ij,jhw->ihw", transform[:3, :3], distance * rays) + transform[:3, 3, None, None]
    return np.stack([intrinsics.fx * x / z + intrinsics.cx, intrinsics.fy * y / z + intrinsics.cy])


def turned(angle):
    transform = np.eye(4)
    transform[:3, :3] = [[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]]
    transform[:3, 3] = [0.059, -0.01, 0.002]
    return transform


@pytest.mark.parametrize(
    ("size", "transform"),
    [((96, 64), np.eye(4)), ((240, 160), np.eye(4)), ((96, 64), turned(0.0)), ((240, 160), turned(0.06))],
)
def test_colour_is_laid_over_the_depth_image(size, transform):
    scale = size[0] / PINHOLE.width
    eye = replace(PINHOLE, width=size[0], height=size[1], fx=80.0 * scale, fy=80.0 * scale, cx=48.0 * scale, cy=32.0 * scale)
    camera = SoftwareCamera(PINHOLE, 1e-3, color=ColorCamera(intrinsics=eye, transform_depth_to_color=transform))
    picture = np.zeros((size[1], size[0], 3), dtype=np.uint8)
    picture[:, :, 0] = np.arange(size[0])
    picture[:, :, 1] = np.arange(size[1])[:, None]
    picture[:, :, 2] = 200
    (sent,) = make_frames(1, color=False)
    sent = replace(sent, depth=np.full_like(sent.depth, 700))
    camera.push(sent, picture)
    color = camera.read(ARRIVAL).color
    camera.close()
    u, v = look(eye, transform, 0.7)
    inside = (u > 2) & (u < size[0] - 3) & (v > 2) & (v < size[1] - 3)
    assert inside.mean() > 0.7
    assert (color[inside][:, 2] == 200).all()
    # the library takes whole pixels, of all those that a pixel of the depth image covers the last
    off_column, off_row = color[inside][:, 0] - u[inside], color[inside][:, 1] - v[inside]
    assert np.abs(off_column).max() <= 0.5 + 0.5 * scale + 0.1
    assert np.abs(off_row).max() <= 0.5 + 0.5 * scale + 0.1


def test_colour_is_black_where_nothing_was_measured():
    camera = SoftwareCamera(PINHOLE, 1e-3, color=ColorCamera(intrinsics=PINHOLE))
    (sent,) = make_frames(1)
    depth = np.full_like(sent.depth, 1000)
    depth[10:20, 30:50] = 0
    camera.push(replace(sent, depth=depth), np.full_like(sent.color, 90))
    color = camera.read(ARRIVAL).color
    camera.close()
    assert not color[10:20, 30:50].any()
    assert (color[22:, :] == 90).mean() > 0.9


def test_a_smooth_camera_averages_over_time():
    camera = SoftwareCamera(PINHOLE, 1e-3, is_smooth=True)
    random = np.random.default_rng(0)
    frames = make_frames(30, color=False)
    noisy = []
    for sent in frames:
        noisy.append(np.rint(1000 + 5 * random.standard_normal(sent.depth.shape)).astype(np.uint16))
        camera.push(replace(sent, depth=noisy[-1]))
        depth = camera.read(ARRIVAL).depth
    camera.close()
    assert depth.std() < 0.7 * noisy[-1].std()
    # the filter rounds down
    assert depth.mean() == pytest.approx(999.2, abs=0.5)


def test_what_is_not_of_this_camera_is_refused():
    camera = SoftwareCamera(PINHOLE, 1e-3, color=ColorCamera(intrinsics=PINHOLE))
    (sent,) = make_frames(1)
    for frame, picture, error in (
        (make_frames(1, D455)[0], None, StreamSize),
        (replace(sent, color=None), None, StreamSize),
        (sent, np.zeros((64, 95, 3), dtype=np.uint8), StreamSize),
        (sent, np.zeros((64, 96, 4), dtype=np.uint8), BadFrame),
        (sent, np.zeros((64, 96, 3)), BadFrame),
        (replace(sent, unit=1e-4), None, BadFrame),
    ):
        with pytest.raises(error):
            camera.push(frame, picture)
    camera.close()


def test_a_closed_camera_says_so():
    camera = SoftwareCamera(PINHOLE, 1e-3)
    camera.close()
    camera.close()
    with pytest.raises(CameraLost, match="closed"):
        camera.read(0.0)
    with pytest.raises(CameraLost, match="closed"):
        camera.push(make_frames(1, color=False)[0])
