"""Depth frames that tests make up, and what comes of them in a camera."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.perception.cameras.camera_errors import RecordingEnded
from handhold.perception.cameras.depth_camera import DepthCamera
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics

PINHOLE = Intrinsics(width=96, height=64, fx=80.25, fy=79.5, cx=47.3, cy=32.6, baseline=0.095)
D455 = Intrinsics(width=848, height=480, fx=425.3456, fy=424.71, cx=421.1234, cy=241.5, baseline=0.095)

ARRIVAL = 300.0
"""How long is waited for what comes at once [s]: only what hangs gets there."""


def make_frames(count: int, intrinsics: Intrinsics = PINHOLE, *, unit: float = 1e-3, color: bool = True) -> list[DepthFrame]:
    """Make frames of noise at 30 Hz that begin at some time and number."""
    random = np.random.default_rng(0)
    size = (intrinsics.height, intrinsics.width)
    return [
        DepthFrame(
            time=1234.5 + number / 30.0,
            number=number,
            depth=random.integers(0, 9000, size, dtype=np.uint16),
            unit=unit,
            intrinsics=intrinsics,
            color=random.integers(0, 256, (*size, 3), dtype=np.uint8) if color else None,
        )
        for number in range(7, 7 + count)
    ]


def read_all(camera: DepthCamera) -> Iterator[DepthFrame]:
    """Yield what a recording has."""
    while True:
        try:
            frame = camera.read(ARRIVAL)
        except RecordingEnded:
            return
        assert frame is not None
        yield frame


def assert_same(frame: DepthFrame | None, sent: DepthFrame) -> None:
    """See that a frame is what was sent."""
    assert frame is not None
    assert np.array_equal(frame.depth, sent.depth)
    assert frame.unit == sent.unit
    assert frame.number == sent.number
    # recordings have a millisecond to six digits
    assert abs(frame.time - sent.time) < 1e-8
