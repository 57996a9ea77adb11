"""Where the operator's strip of words stands: a frame that follows the head lazily: always found, never in the way.

Text that is fixed to the head cannot be looked at: it goes along with the gaze. Text that stands still is behind the operator
after a turn.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.devices.frame_value import frame_value
from handhold.render.interface.placement import find_heading, rotate_about_vertical

TURNS_FROM = math.radians(25.0)
"""How far the head turns before the frame goes along [rad]: one looks at what stands beside without chasing it."""

MOVES_FROM = 0.15
"""How far the head moves before the frame goes along [m]."""

TURNS_UNTIL, MOVES_UNTIL = math.radians(2.0), 0.02
"""How near the frame comes to the head's heading [rad] and position [m] before it is at rest again."""

TIME_CONSTANT = 0.35
"""Of its motion [s]."""


@frame_value
class Ahead:
    """The frame, upright in the operator's room: x to where the head faced, y left, z up.

    Attributes:
        position: Where the middle of the head was, in the room, shape ``(3,)`` [m]; None before the head has been seen.
        heading: Its heading [rad].
        following: Whether the frame is moving after the head.
    """

    position: np.ndarray | None = None
    heading: float = 0.0
    following: bool = False

    def place_in_room(self) -> np.ndarray:
        """Return its pose in the room, shape ``(4, 4)``, float32; the room's origin before the head has been seen."""
        pose = np.eye(4, dtype=np.float32)
        if self.position is not None:
            pose[:3, :3] = rotate_about_vertical(self.heading)
            pose[:3, 3] = self.position
        return pose


def step_ahead(ahead: Ahead, head: np.ndarray | None, dt: float) -> Ahead:
    """Follow the head by one sample.

    While it moves, what is missing shrinks by :math:`e^{-dt / T}`; otherwise the frame is at rest until the head
    leaves its dead band.

    Args:
        ahead: The frame so far.
        head: Pose of the head in the room, shape ``(4, 4)``, or None where it is not tracked: the frame stays.
        dt: Time since the last step [s].
    """
    if head is None:
        return ahead
    heading, position = find_heading(head), np.asarray(head[:3, 3], dtype=float)
    if not math.isfinite(heading + position.sum()):
        return ahead
    if ahead.position is None:
        return Ahead(position=position, heading=heading)
    turn, displacement = math.remainder(heading - ahead.heading, math.tau), position - ahead.position
    distance = math.hypot(*displacement.tolist())
    turns, moves = (TURNS_UNTIL, MOVES_UNTIL) if ahead.following else (TURNS_FROM, MOVES_FROM)
    if abs(turn) <= turns and distance <= moves:
        return replace(ahead, following=False) if ahead.following else ahead
    gain = -math.expm1(-dt / TIME_CONSTANT)
    return Ahead(position=ahead.position + gain * displacement, heading=ahead.heading + gain * turn, following=True)
