"""What the operator asks of one effector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EffectorCommand:
    """What the operator asks of one effector in one step.

    Attributes:
        desired_pose: Pose in world, shape ``(4, 4)``.
        engaged: Whether the operator's clutch moves it.
        pressed: Whether the contact button was pressed.
        led: Whether somebody leads it: what pushes it is no surface.
        push: Commanded normal force, 0 to 1 of the largest the effector may bear.
    """

    desired_pose: np.ndarray
    engaged: bool
    pressed: bool
    push: float
    led: bool = False
