"""The operator's interface on the station: a wheel, settings and where the room stands, as a state.

The sticks belong to the robot unless the wheel is open; then stick, trigger and buttons of the hand that opened it are the
interface's, and ``mask`` keeps them from the robot until they have been let go. A clutch and a stop always pass. The state is
stepped in ``view_step.py``, its room in ``room.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.render.masking import FREE, HandMask, mask_hand
from handhold.render.settings import Settings
from handhold.render.snapshot import Snapshot
from handhold.render.wheel import Item, Wheel, list_items


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ViewState:
    """State of the interface.

    Attributes:
        settings: The operator's choices.
        position_eye_in_base: Where the robot's eyes are in its base's frame, shape ``(3,)`` [m].
        transform_room_to_world: Where the room stands, shape ``(4, 4)``, float32.
        placed: Whether the room is where it was last asked to be. It is placed when robot and head are first seen, and what is
            asked while they are not is done as soon as they are.
        moves: How often the room has jumped or been driven: poses before and after cannot be compared. Following a robot that
            walks is not counted: it goes slowly, and only while no hand moves the robot.
        followed: Where the point of the robot that the room goes along with was when the room was where it is now, in world,
            shape ``(3,)`` [m]; None where the room stands still.
        following: Whether the room is on its way after that point.
        vignette: 0 none to 1 only the middle is seen.
        wheel: The wheel while it is open.
        request: What the robot host is asked: ``""``, ``"mode:NAME"``, ``"preview:NAME"`` or ``"switch:NAME"``.
        request_age: For how long the present request has been made [s].
        stop_buttons: What is pressed with both hands to stop, for people: ``"sticks"`` or ``"menu buttons"``.
        left: What the robot is told of the left hand's controls.
        right: The same of the right hand.
        click_held: For how long one stick alone has been held down [s]; not a number once it has had its effect.
        menu_down: Whether a menu button was down in the last sample.
        source: Device and origin of the last sample.
        refused: What was asked of the interface and refused, counted: once for every choice and every push of the stick.
        note: Why the last choice or motion was refused or has to wait, in words.
    """

    settings: Settings = field(default_factory=Settings)
    position_eye_in_base: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 0.6]))
    transform_room_to_world: np.ndarray = field(default_factory=lambda: np.eye(4, dtype=np.float32))
    placed: bool = False
    moves: int = 0
    followed: np.ndarray | None = None
    following: bool = False
    vignette: float = 0.0
    wheel: Wheel | None = None
    request: str = ""
    request_age: float = 0.0
    stop_buttons: str = "sticks"
    left: HandMask = FREE
    right: HandMask = FREE
    click_held: float = 0.0
    menu_down: bool = True
    source: tuple[str, int] = ("", 0)
    refused: int = 0
    note: str = ""


def mask(operator_input: OperatorInput, state: ViewState) -> OperatorInput:
    """Return what the robot is told of a sample: poses in its world, and only the controls that are meant for it.

    Squeezes and clicks of the sticks (clutch and stop) always pass. Another origin is counted whenever the room has jumped
    or been driven.
    """
    left, right = mask_hand(operator_input.left, state.left), mask_hand(operator_input.right, state.right)
    if state.settings.swap_sticks:
        left, right = replace(left, stick=right.stick), replace(right, stick=left.stick)
    room = pin.SE3(state.transform_room_to_world.astype(float))
    return replace(
        operator_input,
        origin=operator_input.origin + state.moves,
        head=_to_world(room, operator_input.head),
        left=_hand_to_world(room, left),
        right=_hand_to_world(room, right),
        request=state.request,
    )


def find_items(state: ViewState, snapshot: Snapshot | None) -> tuple[Item, ...]:
    """Return what stands on the open wheel, clockwise from the top; nothing while it is closed."""
    if state.wheel is None:
        return ()
    if snapshot is None:
        return list_items(state.wheel.page, state.settings, (), "")
    return list_items(state.wheel.page, state.settings, snapshot.modes, snapshot.mode, snapshot.switches)


def refuse(state: ViewState, note: str) -> ViewState:
    """Count a refusal and keep why, in words."""
    return replace(state, refused=state.refused + 1, note=note)


def _to_world(room: pin.SE3, pose: pin.SE3 | None) -> pin.SE3 | None:
    return None if pose is None else room * pose


def _hand_to_world(room: pin.SE3, hand: HandInput) -> HandInput:
    if hand.pose is None and hand.aim is None:
        return hand
    return replace(hand, pose=_to_world(room, hand.pose), aim=_to_world(room, hand.aim))
