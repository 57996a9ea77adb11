"""Colours that people with any colour vision tell apart (Okabe and Ito, 2008), 0 to 255."""

from __future__ import annotations

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
GHOST = SKY_BLUE
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
