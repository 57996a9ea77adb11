"""Colours that people with any colour vision tell apart (Okabe and Ito, 2008), 0 to 255."""

from __future__ import annotations

from functools import cache

import numpy as np

Color = tuple[int, int, int]

BLACK: Color = (0, 0, 0)
ORANGE: Color = (230, 159, 0)
SKY_BLUE: Color = (86, 180, 233)
GREEN: Color = (0, 158, 115)
YELLOW: Color = (240, 228, 66)
BLUE: Color = (0, 114, 178)
VERMILLION: Color = (213, 94, 0)
PURPLE: Color = (204, 121, 167)

MEASURED_COM = BLACK
DESIRED_COM = GREEN
WHITE: Color = (255, 255, 255)
GHOST = SKY_BLUE
PREVIEW = PURPLE
CANDIDATE = YELLOW
CHOSEN = GREEN
LOADED = ORANGE
PLATE: Color = (22, 26, 32)
SUPPORT = BLUE
FORCE = ORANGE
ENGAGED = GREEN
HELD: Color = (120, 120, 120)
ALARM = VERMILLION


def to_hex(color: Color) -> str:
    """Return a colour as style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def to_bytes(color: tuple[float, float, float]) -> Color:
    """Return a colour given from 0 to 1 as 0 to 255."""
    red, green, blue = (round(255 * channel) for channel in color)
    return (red, green, blue)


@cache
def to_linear(color: Color, alpha: float = 1.0) -> np.ndarray:
    """Return a colour in linear light with its alpha, as scenes have them, 0 to 1, shape ``(4,)``, float32, read-only."""
    linear = np.append(decode_srgb(np.array(color) / 255.0), alpha).astype(np.float32)
    linear.setflags(write=False)
    return linear


def decode_srgb(share: np.ndarray) -> np.ndarray:
    """Return the linear light of colours as screens are sent them, both 0 to 1 (IEC 61966-2-1)."""
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def encode_srgb(color: np.ndarray) -> Color:
    """Return a colour in linear light, red, green, blue from 0 to 1, as screens are sent it."""
    share = np.where(color <= 0.0031308, 12.92 * color, 1.055 * np.maximum(color, 1e-9) ** (1.0 / 2.4) - 0.055)
    red, green, blue = np.clip(np.rint(255.0 * share), 0, 255).astype(int).tolist()
    return (red, green, blue)
