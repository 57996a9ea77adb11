"""A picture of the planes that were found in a depth image: each in a colour of its own, with its boundary."""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np

from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.planes.boundary import Patch
from handhold.perception.planes.plane import PlaneImage

_GOLDEN = 0.618
"""Step of the hue from one plane to the next: neighbours in the list look unlike."""

_TINT = 0.55
"""How much of a plane's colour covers what is seen [-]."""

_NOTHING = (24, 24, 32)
"""Where nothing was measured."""


def choose_color(number: int) -> tuple[int, int, int]:
    """Choose the colour of a plane by its place in the list."""
    red, green, blue = colorsys.hsv_to_rgb((number * _GOLDEN) % 1.0, 0.75, 1.0)
    return round(255 * red), round(255 * green), round(255 * blue)


def draw_planes(frame: DepthFrame, image: PlaneImage, patches: tuple[Patch, ...], file: Path) -> None:
    """Draw a depth image with its planes.

    Args:
        frame: What was measured; its colour picture is the background where it has one.
        image: Whose planes they are.
        patches: Their boundaries.
        file: A PNG file to write.

    Raises:
        OSError: The file cannot be written.
    """
    from PIL import Image, ImageDraw

    pixels = _draw_background(frame)
    stride = round(frame.intrinsics.width / image.labels.shape[1])
    labels = np.kron(image.labels, np.ones((stride, stride), dtype=np.int32))[: pixels.shape[0], : pixels.shape[1]]
    for number, patch in enumerate(patches):
        there = labels == patch.plane.label
        pixels[there] = (1.0 - _TINT) * pixels[there] + _TINT * np.array(choose_color(number))
    picture = Image.fromarray(pixels.astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    for number, patch in enumerate(patches):
        for polygon in (patch.boundary, *patch.holes):
            draw.line(_project(polygon, patch, frame), fill=choose_color(number), width=2)
    picture.save(file)


def _draw_background(frame: DepthFrame) -> np.ndarray:
    if frame.color is not None:
        return frame.color.astype(np.float64)
    depth = frame.depth.astype(np.float64)
    known = depth > 0
    near, far = np.percentile(depth[known], [1, 99]) if known.any() else (0.0, 1.0)
    gray = 230.0 - 180.0 * np.clip((depth - near) / max(far - near, 1.0), 0.0, 1.0)
    return np.where(known[:, :, None], gray[:, :, None], np.array(_NOTHING, dtype=np.float64))


def _project(polygon: np.ndarray, patch: Patch, frame: DepthFrame) -> list[tuple[float, float]]:
    """Return the pixels of a polygon's corners, the first one once more at the end."""
    i = frame.intrinsics
    points = patch.pose[:3, 3] + polygon @ patch.pose[:3, :2].T
    pixels = points[:, :2] / points[:, 2:] * [i.fx, i.fy] + [i.cx, i.cy]
    return [(float(u), float(v)) for u, v in np.vstack([pixels, pixels[:1]])]
