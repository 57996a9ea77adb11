"""The colour picture of a camera, as small as people look at it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.cameras.depth_frame import DepthFrame

MAX_SIZE = (240, 424)
"""Rows and columns of a picture at most [pixels]: half of a D455's; on a screen 1 m wide a pixel is 2.4 mm."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ColorPicture:
    """A colour picture.

    Attributes:
        time: When it was exposed, by the host's clock [s].
        image: Shape ``(height, width, 3)``, uint8 (sRGB), first row on top; both lengths are even.
    """

    time: float
    image: np.ndarray


def make_color_picture(frame: DepthFrame) -> ColorPicture | None:
    """Take the colours of a frame, several pixels as one where they are too many; None where it has none.

    Video is coded by pairs of pixels: of an odd number the last row or column is left out.
    """
    if frame.color is None or min(frame.color.shape[:2]) < 2:
        return None
    block = max(-(-length // most) for length, most in zip(frame.color.shape, MAX_SIZE, strict=False))
    height, width = (length // block // 2 * 2 for length in frame.color.shape[:2])
    if min(height, width) == 0:
        return None
    cells = frame.color[: height * block, : width * block].reshape(height, block, width, block, 3)
    image = (cells.sum(axis=(1, 3), dtype=np.uint32) // (block * block)).astype(np.uint8)
    return ColorPicture(time=frame.time, image=image)
