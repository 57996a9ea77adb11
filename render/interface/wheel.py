"""The mode wheel: what stands on it, and how a hand points at it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from handhold.devices.control_names import HandsControlNames
from handhold.devices.display import Display
from handhold.devices.operator_sample import HandSample
from handhold.devices.stop import Stop
from handhold.render.interface.settings import HAPTIC_STRENGTHS, TURN_ANGLES, PicturePosition, Settings, Viewpoint
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import Toggle

POINTING = 0.5
"""Deflection of the stick [-] from which on it points at an item."""

TILT = math.radians(25.0)
"""Turn of the hand [rad] that points as a fully deflected stick does."""


class Page(Enum):
    """What the wheel shows."""

    MODES = "Modes"
    TOGGLES = "Of the mode"
    VIEWS = "View"
    SETTINGS = "Settings"
    MOVE = "Move"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One field of the wheel.

    Attributes:
        title: What it says.
        action: What choosing it does: ``"mode:NAME"``, ``"switch:NAME"``, ``"page:NAME"``, ``"view:NAME"``, ``"recentre"``,
            ``"set:NAME"``, ``"stop:hold"`` or ``"stop:resume"``.
        reason: Why it cannot be chosen now; empty where it can.
        present: Whether it is what is in force already.
    """

    title: str
    action: str
    reason: str = ""
    present: bool = False


STOP = Item(title="STOP", action=f"stop:{Stop.HOLD}")
"""Holds the robot: what one hand can do."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Wheel:
    """An open wheel.

    Attributes:
        hand: The hand that opened it and points: ``"left"`` or ``"right"``.
        page: What it shows.
        heading: What is written in its middle.
        pointed: Number of the item pointed at, or None.
        pose: Pose in the operator's room, x to the right, y up, z to the reader, shape ``(4, 4)``.
        rotation_hand: Orientation of the hand when it was opened, shape ``(3, 3)``, or None while it was not tracked.
        armed: Whether trigger and button have been let go, so that they choose when they go down.
        turned: Whether the stick has turned the room and not come back yet.
        refused: Whether the stick has asked the room to move in vain and not come back yet.
    """

    hand: str
    page: Page = Page.MODES
    heading: str = Page.MODES.value
    pointed: int | None = None
    pose: np.ndarray
    rotation_hand: np.ndarray | None = None
    armed: bool = False
    turned: bool = False
    refused: bool = False


def list_items(
    page: Page,
    settings: Settings,
    modes: tuple[ModeOffer, ...],
    mode: str,
    toggles: tuple[Toggle, ...] = (),
    *,
    stop: Item = STOP,
    display: Display = Display.OPAQUE,
) -> tuple[Item, ...]:
    """Return the items of a page, clockwise from the top.

    Args:
        page: The page.
        settings: The operator's choices.
        modes: Modes the robot has.
        mode: Name of the mode in charge.
        toggles: What can be turned on and off in it; where there is nothing, no page for it is offered.
        display: What the scene is shown on, which may let the real room be seen.
        stop: The stop, or the way out of it (``offer_stop``): on the first page at the top, wherever the rest is.
    """
    if page is Page.MODES:
        return (stop, *_list_mode_page(modes, mode, has_toggles=bool(toggles)))
    if page is Page.TOGGLES:
        return (*list_toggles(toggles), _BACK)
    if page is Page.VIEWS:
        return _list_views(settings, display)
    if page is Page.SETTINGS:
        return _list_settings(settings)
    return (Item(title="Done", action=f"page:{Page.MODES.name}"),)


def _list_mode_page(modes: tuple[ModeOffer, ...], mode: str, *, has_toggles: bool) -> tuple[Item, ...]:
    offered = {page: page.value for page in (Page.VIEWS, Page.SETTINGS, Page.MOVE)}
    if has_toggles:
        title = next((offer.profile.toggles_title for offer in modes if offer.name == mode), Page.TOGGLES.value)
        offered = {Page.TOGGLES: title, **offered}
    pages = tuple(Item(title=title, action=f"page:{page.name}") for page, title in offered.items())
    return (*list_modes(modes, mode), *pages, Item(title="Recentre", action="recentre"))


def offer_stop(stop: Stop, controls: HandsControlNames) -> Item:
    """Return the stop, which one hand can choose, or what is to be said of one that is latched.

    The wheel itself ends no stop: that takes both hands. Where what they do is done by accident as well, it has to be
    announced here first.

    Args:
        stop: The latched stop.
        controls: What the controls are called that are bound to the hands.
    """
    if not stop:
        return STOP
    if stop is not Stop.HOLD:
        return Item(title="Go on", action="", reason="the joints are damped: restart the robot")
    reason = ", ".join(controls.resume_steps) if controls.may_resume else ""
    return Item(title="Go on", action=f"stop:{Stop.RESUME}", reason=reason)


def list_modes(modes: tuple[ModeOffer, ...], mode: str) -> tuple[Item, ...]:
    """Return an item for every mode, the one of the name ``mode`` in charge; one that cannot be entered says why."""
    return tuple(
        Item(
            title=offer.title,
            action=f"mode:{offer.name}",
            reason=offer.obstacle,
            present=offer.name == mode,
        )
        for offer in modes
    )


def list_toggles(toggles: tuple[Toggle, ...]) -> tuple[Item, ...]:
    """Return an item for every toggle, which tells what it is now; choosing it turns it over."""
    return tuple(Item(title=f"{status.title}: {_on(status.on)}", action=f"switch:{status.name}") for status in toggles)


def _list_views(settings: Settings, display: Display) -> tuple[Item, ...]:
    views = tuple(
        Item(title=view.value.capitalize(), action=f"view:{view.name}", present=settings.view is view) for view in Viewpoint
    )
    room = (Item(title=f"Passthrough: {_on(settings.passthrough)}", action="set:passthrough"),)
    return (
        *views,
        *(room if display is Display.BLENDING else ()),
        Item(title=f"Picture: {settings.picture.value}", action="set:picture"),
        Item(title=f"Cloud: {_on(settings.cloud)}", action="set:cloud"),
        _BACK,
    )


def _list_settings(settings: Settings) -> tuple[Item, ...]:
    return (
        Item(title=f"Seated: {_on(settings.seated)}", action="set:seated"),
        Item(title=f"Left-handed: {_on(settings.left_handed)}", action="set:left_handed"),
        Item(title=f"Sticks swapped: {_on(settings.swap_sticks)}", action="set:swap_sticks"),
        Item(title=f"Turn by: {settings.turn_angle} deg", action="set:turn_angle"),
        Item(title=f"Vignette: {_on(settings.vignette)}", action="set:vignette"),
        Item(title=f"Wrist region: {_on(settings.wrist_region)}", action="set:wrist_region"),
        Item(title=f"Waist disc: {_on(settings.balance_disc)}", action="set:balance_disc"),
        Item(title=f"Hints: {_on(settings.hints)}", action="set:hints"),
        Item(title=f"Vibration: {100 * settings.haptics:.0f} %", action="set:haptics"),
        _BACK,
    )


_BACK = Item(title="Back", action=f"page:{Page.MODES.name}")


def _on(value: bool) -> str:
    return "on" if value else "off"


def change_setting(settings: Settings, name: str) -> Settings:
    """Return the settings with one of them turned to its next value; an unknown name changes nothing."""
    if name == "picture":
        positions = tuple(PicturePosition)
        return replace(settings, picture=positions[(positions.index(settings.picture) + 1) % len(positions)])
    if name == "turn_angle":
        return replace(settings, turn_angle=int(_next(TURN_ANGLES, settings.turn_angle)))
    if name == "haptics":
        return replace(settings, haptics=_next(HAPTIC_STRENGTHS, settings.haptics))
    if name not in _SWITCHES:
        return settings
    switched: dict[str, Any] = {name: not getattr(settings, name)}
    return replace(settings, **switched)


_SWITCHES = (
    "cloud",
    "passthrough",
    "left_handed",
    "swap_sticks",
    "seated",
    "vignette",
    "wrist_region",
    "balance_disc",
    "hints",
)


def _next(values: tuple[float, ...], value: float) -> float:
    """Return the next larger of some values, or the smallest after the largest."""
    return next((larger for larger in values if larger > value + 1e-9), values[0])


def point(wheel: Wheel, hand: HandSample, count: int) -> int | None:
    """Return the item a hand points at: by its stick, or by its tilt since the wheel was opened; else the last one.

    Args:
        wheel: The wheel.
        hand: The hand that points.
        count: Number of items.
    """
    right, up = read_direction(wheel, hand)
    length = math.hypot(right, up)
    if not (math.isfinite(right + up) and length >= POINTING):
        return wheel.pointed if wheel.pointed is not None and wheel.pointed < count else None
    return round(math.atan2(right, up) / math.tau * count) % count


def read_direction(wheel: Wheel, hand: HandSample) -> tuple[float, float]:
    """Return how far a hand points to the right and up, 1 at the end; a pushed stick comes before the hand's tilt."""
    right, up = (float(axis) for axis in hand.stick)
    if math.hypot(right, up) >= POINTING or wheel.rotation_hand is None or hand.pose is None:
        return right, up
    # How the hand has turned, in the room's axes: to the left about z, upwards against y of the wheel's reader.
    turn = hand.pose.rotation @ wheel.rotation_hand.T
    about = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    to_the_right, upwards = -float(about[2]), float(about @ wheel.pose[:3, 0])
    return to_the_right / TILT, upwards / TILT
