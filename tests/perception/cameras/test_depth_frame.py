"""What is no depth image is refused, in words."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import BadFrame

PINHOLE = Intrinsics(width=8, height=6, fx=4.0, fy=4.0, cx=4.0, cy=3.0)
FRAME = DepthFrame(time=0.0, number=0, depth=np.ones((6, 8), dtype=np.uint16), unit=1e-3, intrinsics=PINHOLE)


@pytest.mark.parametrize(
    "change",
    [
        {"depth": np.ones((6, 7), dtype=np.uint16)},
        {"depth": np.ones((6, 8), dtype=np.float32)},
        {"depth": np.ones((6, 8, 1), dtype=np.uint16)},
        {"unit": 0.0},
        {"unit": float("nan")},
        {"time": float("inf")},
        {"color": np.zeros((6, 7, 3), dtype=np.uint8)},
    ],
)
def test_a_frame_that_is_none_is_refused(change):
    with pytest.raises(BadFrame):
        replace(FRAME, **change)


@pytest.mark.parametrize(
    "change", [{"width": 0}, {"height": 5000}, {"fx": 0.0}, {"fy": float("nan")}, {"cx": 99.0}, {"baseline": -1.0}]
)
def test_intrinsics_of_no_camera_are_refused(change):
    with pytest.raises(BadFrame):
        replace(PINHOLE, **change)
