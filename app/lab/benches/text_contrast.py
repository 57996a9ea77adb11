"""The contrast of a text to what is behind it, by WCAG 2.2 (success criterion 1.4.3)."""

from __future__ import annotations

import numpy as np

from handhold.render.palette import decode_srgb
from handhold.render.scene import Label

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
"""Weights of linear red, green and blue in the relative luminance."""
FLARE = 0.05
"""Light that a screen in a bright room adds to black and white alike, of white's luminance."""


def measure_contrast(label: Label, behind: np.ndarray) -> float:
    """Return the smaller contrast of a text to its plate over the brightest and over the darkest pixel behind it.

    ``(L1 + 0.05) / (L2 + 0.05)`` of the relative luminances, the larger one above: from 1 (alike) to 21 (black and white).

    Args:
        label: The text and its plate.
        behind: The pixels behind both, shape ``(k, 3)``, uint8 (sRGB), k >= 1.
    """
    alpha = float(label.background[3])
    under = alpha * label.background[:3] + (1.0 - alpha) * decode_srgb(behind / 255.0)
    luminances = under @ LUMINANCE
    return min(compute_contrast(float(label.color[:3] @ LUMINANCE), float(ground)) for ground in _extremes(luminances))


def compute_contrast(one: float, other: float) -> float:
    """Return the contrast of two relative luminances [-]."""
    return (max(one, other) + FLARE) / (min(one, other) + FLARE)


def _extremes(luminances: np.ndarray) -> tuple[float, float]:
    return float(luminances.min()), float(luminances.max())
