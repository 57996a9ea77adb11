"""The operator's interface on the station: a wheel, settings and where the room stands, as a state.

The sticks belong to the robot unless the wheel is open; then stick, trigger and buttons of the hand that opened it are the
interface's, and ``mask`` keeps them from the robot until they have been let go. A clutch and a stop always pass. The state is
stepped in ``view_step.py``, its room in ``room.py``.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.devices.amend import amend
from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, HandsControlNames
from handhold.devices.display import Display
from handhold.devices.frame_value import frame_value
from handhold.devices.operator_input import OperatorInput
from handhold.devices.operator_sample import OperatorSample, place_in_world
from handhold.devices.stop import Stop
from handhold.render.interface.ahead import Ahead
from handhold.render.interface.ignored import NOTHING_IGNORED, Ignored
from handhold.render.interface.margin_trend import NO_TREND, MarginTrend
from handhold.render.interface.masking import FREE, HandMask, mask_hand
from handhold.render.interface.settings import Settings
from handhold.render.interface.wheel import Item, Wheel, list_items, offer_stop
from handhold.render.obstacles import NO_OBSTACLES, Obstacles
from handhold.render.snapshot import Snapshot

STOP_ANNOUNCEMENT_TIME = 12.0
"""How long a session begins by telling what stops the robot [s], unless a hand is engaged before."""


@frame_value
class ViewState:
    """State of the interface.

    Attributes:
        settings: The operator's choices.
        position_eye_in_base: Where the robot's eyes are in its base's frame, shape ``(3,)`` [m].
        obstacles: The solids that are known.
        transform_room_to_world: Where the room stands, shape ``(4, 4)``, float64.
        placed: Whether the room is where it was last asked to be. It is placed when robot and head are first seen, and what is
            asked while they are not is done as soon as they are.
        moves: How often the room has jumped or been driven: poses before and after cannot be compared. Following a robot that
            walks is not counted: it goes slowly, and only while no hand moves the robot.
        followed: Where the point of the robot that the room goes along with was when the room was where it is now, in world,
            shape ``(3,)`` [m]; None where the room stands still.
        following: Whether the room is moving after that point.
        ahead: The frame that follows the head lazily, where the strip of words stands.
        looked_at: Which hands the operator looks at.
        vignette: 0 none to 1 only the middle is seen.
        trend: How the stability margin goes.
        wheel: The wheel while it is open.
        request: What the robot host is asked: ``""``, ``"mode:NAME"``, ``"preview:NAME"`` or ``"switch:NAME"``.
        request_age: For how long the present request has been made [s].
        stop: What was chosen on the wheel about the stop in the last sample: nothing, a hold, or a resume (which waits for
            both hands to do what ends a stop).
        announcing: For how much longer the operator is told what stops the robot [s].
        display: What the scene is shown on.
        controls: What the controls are called that are bound to the hands.
        left: What is passed to the robot of the left hand's controls.
        right: The same of the right hand.
        click_held: For how long one stick alone has been held down [s]; not a number once it has had its effect.
        menu_down: Whether a menu button was down in the last sample.
        source: Device and origin of the last sample.
        refused: What was asked of the interface and refused, counted: once for every choice and every push of the stick.
        note: Why the last choice or motion was refused or has to wait, in words.
        ignored: What was used last that does nothing now, and why.
    """

    settings: Settings = field(default_factory=Settings)
    position_eye_in_base: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 0.6]))
    obstacles: Obstacles = NO_OBSTACLES
    transform_room_to_world: np.ndarray = field(default_factory=lambda: np.eye(4))
    placed: bool = False
    moves: int = 0
    followed: np.ndarray | None = None
    following: bool = False
    ahead: Ahead = field(default_factory=Ahead)
    looked_at: frozenset[str] = frozenset()
    vignette: float = 0.0
    trend: MarginTrend = NO_TREND
    wheel: Wheel | None = None
    request: str = ""
    request_age: float = 0.0
    stop: Stop = Stop.NONE
    announcing: float = 0.0
    display: Display = Display.OPAQUE
    controls: HandsControlNames = DEFAULT_CONTROL_NAMES
    left: HandMask = FREE
    right: HandMask = FREE
    click_held: float = 0.0
    menu_down: bool = True
    source: tuple[str, int] = ("", 0)
    refused: int = 0
    note: str = ""
    ignored: Ignored = NOTHING_IGNORED


def mask(sample: OperatorSample, state: ViewState) -> OperatorInput:
    """Return what is passed to the robot of a sample: poses in its world, and only the controls that are meant for it.

    Clicks of the sticks (the stop) always pass, and so do squeezes, except of a hand that chooses on the wheel by what is its
    squeeze as well: that lets go. Another origin is counted whenever the room has jumped
    or been driven.
    """
    left, right = mask_hand(sample.left, state.left), mask_hand(sample.right, state.right)
    if state.settings.swap_sticks:
        left, right = amend(left, stick=right.stick), amend(right, stick=left.stick)
    masked = amend(sample, origin=sample.origin + state.moves, left=left, right=right)
    return place_in_world(masked, pin.SE3(state.transform_room_to_world), state.request)


def find_items(state: ViewState, snapshot: Snapshot | None) -> tuple[Item, ...]:
    """Return what stands on the open wheel, clockwise from the top; nothing while it is closed."""
    if state.wheel is None:
        return ()
    if snapshot is None:
        stop = offer_stop(Stop.NONE, state.controls)
        return list_items(state.wheel.page, state.settings, (), "", stop=stop, display=state.display)
    stop = offer_stop(snapshot.stop, state.controls)
    return list_items(
        state.wheel.page,
        state.settings,
        snapshot.modes,
        snapshot.mode,
        snapshot.report.toggles,
        stop=stop,
        display=state.display,
    )


def update(state: ViewState, **changes: Any) -> ViewState:
    """Return a state with some attributes changed; the same object where all are what they were, as in most frames."""
    changed = {name: value for name, value in changes.items() if not _is_alike(getattr(state, name), value)}
    return amend(state, **changed) if changed else state


def _is_alike(old: Any, new: Any) -> bool:
    """Say whether two values are one object, or equal values of a type that has no arrays."""
    return old is new or (type(old) is type(new) and isinstance(new, _PLAIN) and bool(old == new))


_PLAIN = (bool, int, float, str, frozenset)


def refuse(state: ViewState, note: str) -> ViewState:
    """Count a refusal and keep why, in words."""
    return amend(state, refused=state.refused + 1, note=note)
