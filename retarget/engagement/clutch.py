"""The clutch between one hand of the operator and one of the robot."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

ENGAGE_ABOVE = 0.7
"""Squeeze [-] from which on a hand engages."""

RELEASE_BELOW = 0.3
"""Squeeze [-] up to which a hand counts as released; in between nothing changes, or a weary finger would flutter."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Clutch:
    """State of the clutch of one hand.

    Attributes:
        armed: The squeeze was seen released since anything last kept the hand from moving: squeezing now engages.
        engaged: The operator's hand moves the robot's.
        hand: Pose of the operator's hand when it engaged, homogeneous, shape ``(4, 4)``; None while not engaged.
        reference: Reference pose of the robot's hand then, likewise.
    """

    armed: bool = False
    engaged: bool = False
    hand: np.ndarray | None = None
    reference: np.ndarray | None = None


OPEN = Clutch()
"""Released, and the squeeze not yet seen released: a squeeze that is held does not engage."""

ARMED = Clutch(armed=True)
"""Released, and ready to engage."""


def step_clutch(clutch: Clutch, squeeze: float, hand: np.ndarray | None, reached: np.ndarray, *, at_rest: bool) -> Clutch:
    """Open or close a clutch by one sample.

    Args:
        clutch: State so far.
        squeeze: 0 released, 1 squeezed.
        hand: Pose of the operator's hand in world, homogeneous, shape ``(4, 4)``; None while anything keeps it from moving
            the robot: tracking, focus, link or a stop.
        reached: Reference pose of the robot's hand in world, likewise.
        at_rest: Whether the robot's hand has come to rest since it was released; it engages only then, so that nothing jerks.

    Returns:
        New state; the same object where nothing changed.
    """
    if hand is None:
        return OPEN
    if squeeze <= RELEASE_BELOW:
        return ARMED
    if clutch.armed and not clutch.engaged and squeeze >= ENGAGE_ABOVE and at_rest:
        return replace(ARMED, engaged=True, hand=hand, reference=np.array(reached, dtype=float))
    return clutch
