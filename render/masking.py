"""Which of a hand's controls the robot is told of while the interface uses them, and until they have been let go after."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handhold.devices.operator_input import Buttons, HandInput
from handhold.retarget.controls import TRIGGER_PICKUP
from handhold.retarget.sticks import is_centred


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMask:
    """What of one hand is kept from the robot.

    Attributes:
        stick: Its stick counts as centred.
        buttons: A/X, B/Y and menu count as let go; the click of the stick is always told.
        trigger: What the robot is told of the trigger; None for where it is.
    """

    stick: bool = False
    buttons: bool = False
    trigger: float | None = None


FREE = HandMask()
"""The robot is told everything."""


def step_mask(mask: HandMask, hand: HandInput, *, used: bool) -> HandMask:
    """Follow a hand by one sample.

    Args:
        mask: What has been kept from the robot.
        hand: The hand now.
        used: Whether the interface uses its controls.

    Returns:
        What is kept from now on: everything while they are used; after that the stick until it is centred, the buttons until
        all are let go, and the trigger until it is near to what the robot has been told.
    """
    if used:
        trigger = mask.trigger if mask.trigger is not None else hand.trigger
        return HandMask(stick=True, buttons=True, trigger=trigger if math.isfinite(trigger) else 0.0)
    if mask == FREE:
        return mask
    right, forward = (float(axis) for axis in hand.stick)
    buttons = hand.buttons
    return HandMask(
        stick=mask.stick and not is_centred((right, forward)),
        buttons=mask.buttons and (buttons.primary or buttons.secondary or buttons.menu),
        trigger=None if mask.trigger is None or abs(hand.trigger - mask.trigger) <= TRIGGER_PICKUP else mask.trigger,
    )


def mask_hand(hand: HandInput, mask: HandMask) -> HandInput:
    """Return what the robot is told of a hand; its squeeze, its poses and the click of its stick are never kept from it."""
    if mask == FREE:
        return hand
    return replace(
        hand,
        stick=np.zeros(2) if mask.stick else hand.stick,
        trigger=hand.trigger if mask.trigger is None else mask.trigger,
        buttons=Buttons(stick=hand.buttons.stick) if mask.buttons else hand.buttons,
    )
