"""Which of a hand's controls are passed to the robot while the interface uses them, and until they have been let go after."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample
from handhold.retarget.engagement.clutch import RELEASE_BELOW
from handhold.retarget.engagement.controls import TRIGGER_PICKUP
from handhold.retarget.engagement.sticks import is_centred


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMask:
    """What of one hand is kept from the robot.

    Attributes:
        stick: Its stick counts as centred.
        buttons: A/X, B/Y and menu count as let go; the click of the stick is always told.
        trigger: What is passed to the robot of the trigger; None for where it is.
        squeeze: The squeeze counts as let go: it chooses on the wheel.
    """

    stick: bool = False
    buttons: bool = False
    trigger: float | None = None
    squeeze: bool = False


FREE = HandMask()
"""Everything is passed to the robot."""


def step_mask(mask: HandMask, hand: HandSample, *, used: bool, squeeze_chooses: bool = False) -> HandMask:
    """Follow a hand by one sample.

    Args:
        mask: What has been kept from the robot.
        hand: The hand now.
        used: Whether the interface uses its controls.
        squeeze_chooses: Whether its trigger and its squeeze are one thing, as a pinch is.

    Returns:
        What is kept from now on: everything while they are used; after that the stick until it is centred, the buttons until
        all are let go, the trigger until it is near to what the robot has been told, and the squeeze until it is let go.
    """
    if used:
        trigger = mask.trigger if mask.trigger is not None else hand.trigger
        trigger = trigger if math.isfinite(trigger) else 0.0
        return HandMask(stick=True, buttons=True, trigger=trigger, squeeze=squeeze_chooses)
    if mask == FREE:
        return mask
    right, forward = (float(axis) for axis in hand.stick)
    buttons = hand.buttons
    return HandMask(
        stick=mask.stick and not is_centred((right, forward)),
        buttons=mask.buttons and (buttons.primary or buttons.secondary or buttons.menu),
        trigger=None if mask.trigger is None or abs(hand.trigger - mask.trigger) <= TRIGGER_PICKUP else mask.trigger,
        squeeze=mask.squeeze and not hand.squeeze <= RELEASE_BELOW,
    )


def mask_hand(hand: HandSample, mask: HandMask) -> HandSample:
    """Return what is passed to the robot of a hand; its poses and the click of its stick are never kept from it.

    Nor is its squeeze, unless it chooses on the wheel; kept from the robot it only lets go.
    """
    if mask == FREE:
        return hand
    return replace(
        hand,
        stick=np.zeros(2) if mask.stick else hand.stick,
        trigger=hand.trigger if mask.trigger is None else mask.trigger,
        squeeze=0.0 if mask.squeeze else hand.squeeze,
        buttons=Buttons(stick=hand.buttons.stick) if mask.buttons else hand.buttons,
    )
