"""The mode wheel: what stands on it, and how a hand points at it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from handhold.devices.operator_input import HandInput
from handhold.render.settings import HAPTIC_STRENGTHS, TURN_ANGLES, PicturePlace, Settings, Viewpoint
from handhold.render.snapshot import ModeStatus, SwitchStatus

POINTING = 0.5
"""Deflection of the stick [-] from which on it points at an item."""

TILT = math.radians(25.0)
"""Turn of the hand [rad] that points as a fully deflected stick does."""


class Page(Enum):
    """What the wheel shows."""

    MODES = "Modes"
    BALANCE = "Balance"
    PLAY = "Play"
    VIEWS = "View"
    SETTINGS = "Settings"
    MOVE = "Move"


SWITCH_PAGES = {"motions": Page.PLAY}
"""The page of what can be switched in a mode, by its name; of any other mode it is about balance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One field of the wheel.

    Attributes:
        title: What it says.
        action: What choosing it does: ``"mode:NAME"``, ``"switch:NAME"``, ``"page:NAME"``, ``"view:NAME"``, ``"recentre"`` or
            ``"set:NAME"``.
        reason: Why it cannot be chosen now; empty where it can.
        present: Whether it is what is in force already.
    """

    title: str
    action: str
    reason: str = ""
    present: bool = False


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Wheel:
    """An open wheel.

    Attributes:
        hand: The hand that opened it and points: ``"left"`` or ``"right"``.
        page: What it shows.
        pointed: Number of the item pointed at, or None.
        pose: Pose in the operator's room, x to the right, y up, z to the reader, shape ``(4, 4)``.
        rotation_hand: Orientation of the hand when it was opened, shape ``(3, 3)``, or None while it was not tracked.
        armed: Whether trigger and button have been let go, so that they choose when they go down.
        turned: Whether the stick has turned the room and not come back yet.
        refused: Whether the stick has asked the room to move in vain and not come back yet.
    """

    hand: str
    page: Page = Page.MODES
    pointed: int | None = None
    pose: np.ndarray
    rotation_hand: np.ndarray | None = None
    armed: bool = False
    turned: bool = False
    refused: bool = False


def list_items(
    page: Page, settings: Settings, modes: tuple[ModeStatus, ...], mode: str, switches: tuple[SwitchStatus, ...] = ()
) -> tuple[Item, ...]:
    """Return the items of a page, clockwise from the top.

    Args:
        page: The page.
        settings: The operator's choices.
        modes: Modes the robot has.
        mode: Name of the mode in charge.
        switches: What can be turned on and off in it; where there is nothing, no page for it is offered.
    """
    if page is Page.MODES:
        return _list_mode_page(modes, mode, (SWITCH_PAGES.get(mode, Page.BALANCE),) if switches else ())
    if page in (Page.BALANCE, Page.PLAY):
        return (*list_switches(switches), _BACK)
    if page is Page.VIEWS:
        return _list_views(settings)
    if page is Page.SETTINGS:
        return _list_settings(settings)
    return (Item(title="Done", action=f"page:{Page.MODES.name}"),)


def _list_mode_page(modes: tuple[ModeStatus, ...], mode: str, of_mode: tuple[Page, ...]) -> tuple[Item, ...]:
    offered = (*of_mode, Page.VIEWS, Page.SETTINGS, Page.MOVE)
    pages = tuple(Item(title=page.value, action=f"page:{page.name}") for page in offered)
    return (*list_modes(modes, mode), *pages, Item(title="Recentre", action="recentre"))


def list_modes(modes: tuple[ModeStatus, ...], mode: str) -> tuple[Item, ...]:
    """Return an item for every mode, the one of the name ``mode`` in charge; one that cannot be entered says why."""
    return tuple(
        Item(
            title=status.title,
            action=f"mode:{status.name}",
            reason="" if status.feasible else status.reason or "not possible now",
            present=status.name == mode,
        )
        for status in modes
    )


def list_switches(switches: tuple[SwitchStatus, ...]) -> tuple[Item, ...]:
    """Return an item for everything that can be switched, which tells what it is now; choosing it turns it over."""
    return tuple(Item(title=f"{status.title}: {_on(status.on)}", action=f"switch:{status.name}") for status in switches)


def _list_views(settings: Settings) -> tuple[Item, ...]:
    views = tuple(
        Item(title=view.value.capitalize(), action=f"view:{view.name}", present=settings.view is view) for view in Viewpoint
    )
    return (
        *views,
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
        places = tuple(PicturePlace)
        return replace(settings, picture=places[(places.index(settings.picture) + 1) % len(places)])
    if name == "turn_angle":
        return replace(settings, turn_angle=int(_next(TURN_ANGLES, settings.turn_angle)))
    if name == "haptics":
        return replace(settings, haptics=_next(HAPTIC_STRENGTHS, settings.haptics))
    if name not in _SWITCHES:
        return settings
    switched: dict[str, Any] = {name: not getattr(settings, name)}
    return replace(settings, **switched)


_SWITCHES = ("cloud", "left_handed", "swap_sticks", "seated", "vignette", "wrist_region", "hints")


def _next(values: tuple[float, ...], value: float) -> float:
    """Return the next larger of some values, or the least after the largest."""
    return next((larger for larger in values if larger > value + 1e-9), values[0])


def point(wheel: Wheel, hand: HandInput, count: int) -> int | None:
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


def read_direction(wheel: Wheel, hand: HandInput) -> tuple[float, float]:
    """Return how far a hand points to the right and up, 1 at the end; a pushed stick comes before the hand's tilt."""
    right, up = (float(axis) for axis in hand.stick)
    if math.hypot(right, up) >= POINTING or wheel.rotation_hand is None or hand.pose is None:
        return right, up
    # How the hand has turned, in the room's axes: to the left about z, upwards against y of the wheel's reader.
    turn = hand.pose.rotation @ wheel.rotation_hand.T
    about = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    to_the_right, upwards = -float(about[2]), float(about @ wheel.pose[:3, 0])
    return to_the_right / TILT, upwards / TILT
