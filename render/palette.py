"""What the colours mean: one meaning each, in colours that people with any colour vision tell apart (Okabe and Ito, 2008).

Colours are red, green and blue from 0 to 255. Everything that is drawn takes its colour by its meaning; where there is more to
tell than there are colours, shapes, widths, dashes and words tell it.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

Color = tuple[int, int, int]

MEASURED: Color = (0, 0, 0)
"""Where the robot's centre of mass is."""
REFERENCE: Color = (86, 180, 233)
"""What the robot tracks: the ghost, the desired centre of mass. Sky blue."""
ENGAGED: Color = (0, 158, 115)
"""What the operator commands or has taken. Bluish green."""
PREVIEW: Color = (204, 121, 167)
"""Previews: poses, their regions, footsteps. Reddish purple."""
CANDIDATE: Color = (240, 228, 66)
"""What is offered: surfaces to brace on. Yellow."""
FORCE: Color = (230, 159, 0)
"""Contact forces. Orange."""
BALANCE: Color = (0, 114, 178)
"""Where the centre of mass may be. Blue."""
ALARM: Color = (213, 94, 0)
"""What is wrong, at its limit, late, refused or stopped. Vermilion."""
HELD: Color = (120, 120, 120)
"""What stays as it is. Grey."""

MEANINGS: dict[str, Color] = {
    "measured": MEASURED,
    "reference": REFERENCE,
    "commanded": ENGAGED,
    "coming": PREVIEW,
    "offered": CANDIDATE,
    "force": FORCE,
    "balance": BALANCE,
    "alarm": ALARM,
    "held": HELD,
}
"""All of them, by their names in docs/interface.md."""

MARGINS: tuple[tuple[float, Color], ...] = (
    (0.08, BALANCE),
    (0.06, (0, 90, 141)),
    (0.04, (0, 66, 103)),
    (0.02, (0, 43, 67)),
)
"""Colours of margins from these on [m]: one hue in steps of lightness, the darker the smaller; below is an alarm."""

BLACK: Color = (0, 0, 0)
WHITE: Color = (255, 255, 255)
PLATE: Color = (22, 26, 32)
UNAVAILABLE: Color = (70, 70, 70)
"""Inks and plates, which mean nothing by themselves."""

MIN_CONTRAST = 4.5
"""Ratio of the luminances of text and plate [-] that people with a moderately low vision need (WCAG 2.2, 1.4.3)."""


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


def decode_srgb(encoded: np.ndarray) -> np.ndarray:
    """Return the linear light of colours as screens are sent them, both 0 to 1 (IEC 61966-2-1)."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def encode_srgb(color: np.ndarray) -> Color:
    """Return a colour in linear light, red, green, blue from 0 to 1, as screens are sent it."""
    encoded = np.where(color <= 0.0031308, 12.92 * color, 1.055 * np.maximum(color, 1e-9) ** (1.0 / 2.4) - 0.055)
    red, green, blue = np.clip(np.rint(255.0 * encoded), 0, 255).astype(int).tolist()
    return (red, green, blue)


def measure_contrast(text: np.ndarray, plate: np.ndarray) -> float:
    r"""Measure the contrast of a text on its plate over what is behind at its worst, black or white, 1 to 21 [-].

    .. math:: (L_1 + 0.05) / (L_2 + 0.05), \quad L = 0.2126 R + 0.7152 G + 0.0722 B

    of the lighter and the darker one (WCAG 2.2, relative luminance); a plate is blended over what is behind in linear light.

    Args:
        text: Linear colour, shape ``(4,)``; its alpha is 1.
        plate: The same of what it stands on, whose alpha may be less.
    """
    ink, own, alpha = _measure_luminance(text), _measure_luminance(plate), float(plate[3])
    plates = (alpha * own, alpha * own + 1.0 - alpha)
    return min((max(ink, behind) + 0.05) / (min(ink, behind) + 0.05) for behind in plates)


def _measure_luminance(color: np.ndarray) -> float:
    return float(color[:3] @ (0.2126, 0.7152, 0.0722))


def choose_ink(plate: np.ndarray) -> np.ndarray:
    """Return black or white, whichever is read better on a plate whatever is behind, as linear colour, shape ``(4,)``."""
    return _choose_ink(*plate.tolist())


@lru_cache(64)
def _choose_ink(red: float, green: float, blue: float, alpha: float) -> np.ndarray:
    plate, black, white = np.array((red, green, blue, alpha)), to_linear(BLACK), to_linear(WHITE)
    return black if measure_contrast(black, plate) > measure_contrast(white, plate) else white
