"""Controls that the operator uses and that do nothing now: each time they are, the reason is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from handhold.devices.control_names import ControlNames, HandsControlNames
from handhold.devices.frame_value import frame_value
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.render.interface.masking import HandMask
from handhold.render.interface.settings import Settings
from handhold.render.interface.wheel import Page, Wheel
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_profile import UNKNOWN, ModeProfile, find_profile
from handhold.retarget.mode_report import ContactState, Grip

MESSAGE_TIME = 3.0
"""For how long it is shown [s]."""
USED_AT, RELEASED_AT = 0.5, 0.3
"""Pull of a trigger and deflection of a stick [-] from which on it is used, and below which it is let go again."""
KEPT_FOR = 0.8
"""How long a stick is kept from the robot, since it was never let go, before that is told [s]: after each choice on the wheel
it is for a moment."""
HANDS = ("left", "right")


class Control(Enum):
    """A control of a hand, by its name in ``ControlNames`` where it has one, and how it is used."""

    TRIGGER = "trigger"
    STICK = "stick"
    STICK_UP = "stick up"
    """Or down."""
    PRIMARY = "primary"
    SECONDARY = "secondary"
    KEPT_STICK = "kept stick"
    """One that was never let go since it was kept from the robot."""


BUTTONS = (Control.PRIMARY, Control.SECONDARY)

Use = tuple[str, Control]
"""A hand, and a control of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """What was used last and did nothing.

    Attributes:
        words: Why, for people, a line for each control; empty once it has been told for a while.
        hands: The hands that used them.
        count: How often something was.
        age: Time since then [s].
        used: What was used in the last sample.
        kept: For how long each hand's stick has been pushed and kept from the robot [s].
    """

    words: str = ""
    hands: tuple[str, ...] = ()
    count: int = 0
    age: float = 0.0
    used: frozenset[Use] = frozenset()
    kept: tuple[float, float] = (0.0, 0.0)


NOTHING_IGNORED = Ignored()


@frame_value
class Usage:
    """What decides about a control: see ``ViewState`` for what they are."""

    settings: Settings
    controls: HandsControlNames
    wheel: Wheel | None
    masks: tuple[HandMask, HandMask]


def step_ignored(
    ignored: Ignored, operator_input: OperatorSample, snapshot: Snapshot | None, usage: Usage, dt: float
) -> Ignored:
    """Follow the operator by one sample.

    Args:
        ignored: What was shown before.
        operator_input: The newest sample, as the device gives it.
        snapshot: The newest snapshot, or None before the first.
        usage: The interface after the sample.
        dt: Time since the last one [s].
    """
    age = ignored.age + dt
    words = ignored.words if age < MESSAGE_TIME else ""
    hands = (operator_input.left, operator_input.right)
    left, right = (
        kept + dt if mask.stick and _deflect(hand) >= USED_AT and not _is_wheels(side, usage) else 0.0
        for side, hand, mask, kept in zip(HANDS, hands, usage.masks, ignored.kept, strict=True)
    )
    used = frozenset(_list_used(hands, (left, right), ignored.used)) if operator_input.focused else frozenset()
    if not words and not ignored.words and used == ignored.used and (left, right) == ignored.kept:
        # nothing is told, so that it does not matter since when
        return ignored
    now = replace(ignored, words=words, age=age, used=used, kept=(left, right))
    begun = sorted(used - ignored.used, key=lambda use: (use[0], use[1].value))
    reasons = [(hand, reason) for hand, control in begun if (reason := _explain(hand, control, snapshot, usage))]
    if not reasons:
        return now
    users, words_of_all = (tuple(dict.fromkeys(column)) for column in zip(*reasons, strict=True))
    return replace(now, words="\n".join(words_of_all), hands=users, count=now.count + 1, age=0.0)


def _list_used(hands: tuple[HandSample, HandSample], kept: tuple[float, float], before: frozenset[Use]) -> Iterator[Use]:
    """Yield what is used: what is pulled or pushed is until it is let go."""
    for side, hand, kept_for in zip(HANDS, hands, kept, strict=True):
        for control, pull in (
            (Control.TRIGGER, hand.trigger),
            (Control.STICK, _deflect(hand)),
            (Control.STICK_UP, _deflect_up(hand)),
        ):
            if pull >= (RELEASED_AT if (side, control) in before else USED_AT):
                yield side, control
        for control in BUTTONS:
            if getattr(hand.buttons, control.value):
                yield side, control
        if kept_for >= KEPT_FOR:
            yield side, Control.KEPT_STICK


def _deflect(hand: HandSample) -> float:
    return math.hypot(float(hand.stick[0]), float(hand.stick[1]))


def _deflect_up(hand: HandSample) -> float:
    """Return how far a stick is pushed up or down [-]; 0 where it is pushed to the side rather."""
    right, up = abs(float(hand.stick[0])), abs(float(hand.stick[1]))
    return up if up > right else 0.0


def _is_wheels(hand: str, usage: Usage) -> bool:
    return usage.wheel is not None and usage.wheel.hand == hand


def _is_kept(hand: str, control: Control, usage: Usage) -> bool:
    """Say whether a control is kept from the robot: it has just been the wheel's."""
    mask = usage.masks[HANDS.index(hand)]
    if control is Control.TRIGGER:
        return mask.trigger is not None
    return mask.buttons if control in BUTTONS else mask.stick


def _explain(hand: str, control: Control, snapshot: Snapshot | None, usage: Usage) -> str:
    """Return why a control that begins to be used does nothing; empty where it does something, or where it is told already."""
    if _is_wheels(hand, usage):
        assert usage.wheel is not None
        chooses = control in (Control.TRIGGER, Control.PRIMARY) and usage.wheel.page is not Page.MOVE
        return explain_pointing(usage.controls.of(hand)) if chooses and usage.wheel.pointed is None else ""
    if control is Control.KEPT_STICK:
        return f"{hand} {usage.controls.of(hand).stick}: let it go first, it counts from its middle"
    if snapshot is None or snapshot.stop or _is_kept(hand, control, usage):
        return ""
    profile = find_profile(snapshot.modes, snapshot.mode)
    return "" if profile is UNKNOWN else _explain_in_mode(hand, control, snapshot, profile, usage)


def explain_pointing(controls: ControlNames) -> str:
    """Return that something on the wheel must be pointed at first, and how a hand does that."""
    by_stick = f"by the {controls.stick}, or " if controls.stick else ""
    return f"point at something first: {by_stick}by tilting the hand"


def _explain_in_mode(hand: str, control: Control, snapshot: Snapshot, profile: ModeProfile, usage: Usage) -> str:
    names, hints = usage.controls.of(hand), profile.hints
    name = str(getattr(names, "stick" if control is Control.STICK_UP else control.value))
    if not name or (control is Control.TRIGGER and names.trigger_is_squeeze):
        return ""
    words = name if control in BUTTONS else f"{hand} {name}"
    left_stick = (hand == "left") != usage.settings.swap_sticks
    status = snapshot.left if hand == "left" else snapshot.right
    grips = status.grip is not Grip.NONE and status.contact is ContactState.FREE
    read = {
        Control.TRIGGER: hints.trigger or grips,
        Control.STICK: hints.left_stick if left_stick else hints.right_stick,
        # A stick that is not read at all has been told as such.
        Control.STICK_UP: left_stick or hints.right_stick_up or not hints.right_stick,
        Control.PRIMARY: hints.primary,
        Control.SECONDARY: hints.secondary,
    }[control]
    if not read:
        direction = " up or down" if control is Control.STICK_UP else ""
        return f"{words}{direction} does nothing in the mode {profile.title}"
    if control is not Control.TRIGGER:
        return ""
    if grips:
        return "" if status.engaged else f"{words}: hold {names.squeeze} first: the gripper moves only while the hand is held"
    if status.contact is not ContactState.LOADED:
        return f"{words}: this hand does not bear yet" + (f" ({names.primary}: {hints.primary})" if names.primary else "")
    return "" if status.engaged else f"{words}: hold {names.squeeze} first, then pull: it pushes only while the hand is held"
