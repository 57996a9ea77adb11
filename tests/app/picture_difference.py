"""How alike two pictures of the gallery are."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter

BLUR = 3
"""Side of the square that pixels are averaged over [pixels]: drivers cut edges into pixels in other ways."""

CLEARLY = 24.0
"""From how large a difference on a pixel differs clearly, of 255: what files of 256 colours and other roundings never make."""


def measure_difference(picture: np.ndarray, other: np.ndarray) -> float:
    """Return the ratio of the pixels of two pictures, shape ``(height, width, 3)``, uint8, that differ clearly, 0 to 1."""
    difference = picture.astype(np.float32) - other.astype(np.float32)
    blurred = uniform_filter(difference, size=(BLUR, BLUR, 1))
    return float((np.abs(blurred).max(axis=2) > CLEARLY).mean())
