"""What a thumb on a stick means."""

from __future__ import annotations

import math

DEAD_ZONE = 0.15
"""Deflection [-] up to which a stick counts as released: sticks do not centre exactly, and thumbs rest on them."""


def remove_dead_zone(deflection: float) -> float:
    """Compute what one axis of a stick asks for: 0 within the dead zone, then a line to 1 (or -1) at the end."""
    beyond = abs(deflection) - DEAD_ZONE
    return math.copysign(min(beyond / (1.0 - DEAD_ZONE), 1.0), deflection) if beyond > 0.0 else 0.0


def remove_round_dead_zone(stick: tuple[float, float]) -> tuple[float, float]:
    """Compute what both axes of a stick ask for together, in the direction it points: at most 1 long."""
    length = math.hypot(*stick)
    if length <= DEAD_ZONE:
        return 0.0, 0.0
    scale = remove_dead_zone(length) / length
    return scale * stick[0], scale * stick[1]


def is_centred(stick: tuple[float, float]) -> bool:
    """Say whether a stick is released."""
    return math.hypot(*stick) <= DEAD_ZONE
