"""Colour pictures as a camera could take them."""

from __future__ import annotations

import numpy as np


def make_image(number: int, shape: tuple[int, int] = (240, 424)) -> np.ndarray:
    """Return a picture of soft colours with a box in it that moves on from number to number."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    image = np.stack([rows * 255 // shape[0], columns * 255 // shape[1], np.full(shape, 90)], axis=-1).astype(np.uint8)
    left = 20 + 4 * number
    image[shape[0] // 4 : shape[0] // 2, left : left + 40] = (200, 60, 40)
    return image
