"""Which side of a robot's hand has room for what is written of it."""

from __future__ import annotations

import math

from handhold.render.snapshot import Snapshot


def find_outer_side(snapshot: Snapshot, hand: str) -> tuple[float, float, float]:
    """Return the direction to the outer side of a hand in world, level, unit: the base's y axis, or its -y."""
    x, y, z, w = snapshot.q[3:7].tolist()
    left = 2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z)
    side = (1.0 if hand == "left" else -1.0) / max(math.hypot(*left), 1e-6)
    return side * left[0], side * left[1], 0.0
