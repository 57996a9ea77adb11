"""The operator's interface on the station: a wheel, settings and where the room stands, as a state that is stepped.

The sticks belong to the robot unless the wheel is open; then stick, trigger and buttons of the hand that opened it are the
interface's, and ``mask`` keeps them from the robot until they have been let go. A clutch and a stop always pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.render.masking import FREE, HandMask, mask_hand, step_mask
from handhold.render.placement import move_room, place_room, place_wheel, turn_room
from handhold.render.settings import Settings, Viewpoint
from handhold.render.snapshot import Snapshot
from handhold.render.wheel import Item, Page, Wheel, change_setting, list_items, point, read_direction

CLICK_HELD = 0.4
"""A click of one stick alone, held for this long [s], opens and closes the wheel as the menu button does: the right
controller of some headsets has none."""

REQUEST_HELD = 0.25
"""A request is repeated in all samples for this long [s], because the link drops what it cannot send at once."""

SPEED = 0.8
"""Speed of the room when the stick is at its end [m/s]."""

TURNS_AT = 0.7
"""Deflection of the stick [-] that turns the room once; below ``TURNS_AGAIN_BELOW`` it may turn again."""

TURNS_AGAIN_BELOW = 0.4

MOVES_AT = 0.2
"""Deflection of the stick [-] from which on the room moves."""

VIGNETTE_RISE = 8.0
"""How fast the edge darkens [1/s]."""

VIGNETTE_FALL = 3.0
"""How fast it brightens again [1/s]."""

CHOOSES_AT = 0.6
"""Pull of the trigger [-] that chooses; below ``LET_GO_BELOW`` it may choose again."""

LET_GO_BELOW = 0.3


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ViewState:
    """State of the interface.

    Attributes:
        settings: The operator's choices.
        position_eye_in_base: Where the robot's eyes are in its base's frame, shape ``(3,)`` [m].
        transform_room_to_world: Where the room stands, shape ``(4, 4)``, float32.
        placed: Whether the room has been placed; it is when robot and head are first seen.
        moves: How often the room has moved: poses before and after cannot be compared.
        vignette: 0 none to 1 only the middle is seen.
        wheel: The wheel while it is open.
        request: What the robot host is asked: ``""``, ``"mode:NAME"`` or ``"preview:NAME"``.
        request_age: For how long the present request has been made [s].
        left: What the robot is told of the left hand's controls.
        right: The same of the right hand.
        click_held: For how long one stick alone has been held down [s]; not a number once it has had its effect.
        menu_down: Whether a menu button was down in the last sample.
        source: Device and origin of the last sample.
        refused: Chosen items that cannot be chosen now, counted.
        note: Why the last choice or motion was refused, in words.
    """

    settings: Settings = field(default_factory=Settings)
    position_eye_in_base: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 0.6]))
    transform_room_to_world: np.ndarray = field(default_factory=lambda: np.eye(4, dtype=np.float32))
    placed: bool = False
    moves: int = 0
    vignette: float = 0.0
    wheel: Wheel | None = None
    request: str = ""
    request_age: float = 0.0
    left: HandMask = FREE
    right: HandMask = FREE
    click_held: float = 0.0
    menu_down: bool = True
    source: tuple[str, int] = ("", 0)
    refused: int = 0
    note: str = ""


def step(state: ViewState, operator_input: OperatorInput, snapshot: Snapshot | None, dt: float) -> ViewState:
    """Follow the operator by one sample.

    Args:
        state: State so far.
        operator_input: The newest sample, as the device gives it: in the operator's room.
        snapshot: The newest snapshot, or None before the first.
        dt: Time since the last step [s].

    Returns:
        New state. The room has moved only if the operator has asked: by choosing a view, a recentring or a seat on the wheel,
        by the headset's own recentring, or by the stick on the wheel's page for it; and once when robot and head are first
        seen.
    """
    state = _age(state, dt)
    state = _place_at_first(state, operator_input, snapshot)
    state = _open_or_close(state, operator_input, dt)
    if state.wheel is not None:
        state = _use_wheel(state, state.wheel, operator_input, snapshot, dt)
    state = replace(state, menu_down=_menu(operator_input), source=(operator_input.device, operator_input.origin))
    return _mask_hands(state, operator_input)


def mask(operator_input: OperatorInput, state: ViewState) -> OperatorInput:
    """Return what the robot is told of a sample: poses in its world, and only the controls that are meant for it.

    Squeezes and clicks of the sticks (clutch and stop) always pass. Another origin is counted whenever the room has moved.
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
    modes, mode = (snapshot.modes, snapshot.mode) if snapshot is not None else ((), "")
    return list_items(state.wheel.page, state.settings, modes, mode)


def _age(state: ViewState, dt: float) -> ViewState:
    fallen = max(0.0, state.vignette - VIGNETTE_FALL * dt)
    over = state.request_age + dt > REQUEST_HELD
    return replace(
        state, vignette=fallen, request="" if over else state.request, request_age=0.0 if over else state.request_age + dt
    )


def _place_at_first(state: ViewState, operator_input: OperatorInput, snapshot: Snapshot | None) -> ViewState:
    """Place the room when robot and head are first seen, and when the headset's own recentring has moved it."""
    recentred = state.source != (operator_input.device, operator_input.origin)
    if state.placed and not recentred:
        return state
    return _place(state, operator_input, snapshot) if operator_input.head is not None else replace(state, placed=False)


def _place(state: ViewState, operator_input: OperatorInput, snapshot: Snapshot | None) -> ViewState:
    if snapshot is None or not np.isfinite(snapshot.q[:7]).all():
        return state
    room = place_room(state.settings, _homogeneous(operator_input), snapshot, state.position_eye_in_base)
    return replace(state, transform_room_to_world=room, placed=True, moves=state.moves + 1)


def _open_or_close(state: ViewState, operator_input: OperatorInput, dt: float) -> ViewState:
    if not operator_input.focused:
        return replace(state, wheel=None, click_held=0.0)
    hand, held = _find_click(operator_input)
    click_held = state.click_held + dt if held else 0.0
    clicked = click_held >= CLICK_HELD
    pressed = _menu(operator_input) and not state.menu_down
    state = replace(state, click_held=np.nan if clicked else click_held)
    if not (pressed or clicked):
        return state
    if state.wheel is not None:
        return replace(state, wheel=None, note="")
    if pressed:
        hand = "left" if operator_input.left.buttons.menu else "right"
    return replace(state, wheel=_open(operator_input, hand), note="")


def _find_click(operator_input: OperatorInput) -> tuple[str, bool]:
    """Return which hand's stick is held down, and whether it alone is."""
    left, right = operator_input.left.buttons.stick, operator_input.right.buttons.stick
    return "left" if left else "right", left != right


def _menu(operator_input: OperatorInput) -> bool:
    return operator_input.left.buttons.menu or operator_input.right.buttons.menu


def _open(operator_input: OperatorInput, hand: str) -> Wheel:
    pose = _hand(operator_input, hand).pose
    rotation = pose.rotation if pose is not None and np.isfinite(pose.homogeneous).all() else None
    return Wheel(hand=hand, pose=place_wheel(_homogeneous(operator_input)), rotation_hand=rotation)


def _use_wheel(
    state: ViewState, wheel: Wheel, operator_input: OperatorInput, snapshot: Snapshot | None, dt: float
) -> ViewState:
    hand = _hand(operator_input, wheel.hand)
    items = find_items(state, snapshot)
    if wheel.page is Page.MOVE:
        state, wheel = _drive_room(state, wheel, operator_input, dt)
        pointed: int | None = 0
    else:
        pointed = point(wheel, hand, len(items))
    chooses = hand.trigger >= CHOOSES_AT or hand.buttons.primary
    armed = wheel.armed or not (hand.trigger > LET_GO_BELOW or hand.buttons.primary)
    state = replace(state, wheel=replace(wheel, pointed=pointed, armed=armed and not chooses))
    if pointed is None:
        return state
    if armed and chooses:
        return _choose(state, items[pointed], operator_input, snapshot)
    return _ask_for_preview(state, items[pointed])


def _ask_for_preview(state: ViewState, item: Item) -> ViewState:
    if not item.action.startswith("mode:") or state.request.startswith("mode:"):
        return state
    return replace(state, request=f"preview:{item.action.removeprefix('mode:')}", request_age=0.0)


def _choose(state: ViewState, item: Item, operator_input: OperatorInput, snapshot: Snapshot | None) -> ViewState:
    if item.reason:
        return replace(state, refused=state.refused + 1, note=f"{item.title}: {item.reason}")
    kind, _, name = item.action.partition(":")
    state = replace(state, note="")
    if kind == "mode":
        return replace(state, wheel=None, request=item.action, request_age=0.0)
    if kind == "page" and state.wheel is not None:
        return replace(state, wheel=replace(state.wheel, page=Page[name], pointed=None))
    if kind == "recentre":
        return _move_by_choice(state, operator_input, snapshot)
    if kind == "view":
        chosen = replace(state, settings=replace(state.settings, view=Viewpoint[name]))
        return _move_by_choice(chosen, operator_input, snapshot)
    changed = replace(state, settings=change_setting(state.settings, name))
    return _move_by_choice(changed, operator_input, snapshot) if name == "seated" else changed


def _move_by_choice(state: ViewState, operator_input: OperatorInput, snapshot: Snapshot | None) -> ViewState:
    """Place the room anew, the open wheel with it."""
    moved = _place(state, operator_input, snapshot)
    return replace(moved, vignette=_darken(moved.settings, 1.0))


def _drive_room(state: ViewState, wheel: Wheel, operator_input: OperatorInput, dt: float) -> tuple[ViewState, Wheel]:
    """Turn the room by the stick to the side, move it by the stick ahead; not while a hand moves the robot."""
    right, forward = read_direction(replace(wheel, rotation_hand=None), _hand(operator_input, wheel.hand))
    asked = abs(right) >= TURNS_AT or abs(forward) >= MOVES_AT
    if asked and max(operator_input.left.squeeze, operator_input.right.squeeze) >= 0.5:
        return replace(state, note="let go of both squeezes to move the room"), wheel
    head, room = _homogeneous(operator_input), state.transform_room_to_world
    if abs(right) >= TURNS_AT and not wheel.turned:
        room = turn_room(room, head, -np.copysign(np.radians(state.settings.turn_angle), right))
        return _moved(state, room, 1.0), replace(wheel, turned=True)
    if abs(right) < TURNS_AGAIN_BELOW:
        wheel = replace(wheel, turned=False)
    if MOVES_AT <= abs(forward) <= 2.0 and abs(right) < TURNS_AT:
        room = move_room(room, head, SPEED * min(max(forward, -1.0), 1.0) * dt)
        return _moved(state, room, min(1.0, state.vignette + (VIGNETTE_RISE + VIGNETTE_FALL) * dt)), wheel
    return state, wheel


def _moved(state: ViewState, room: np.ndarray, vignette: float) -> ViewState:
    return replace(
        state, transform_room_to_world=room, moves=state.moves + 1, vignette=_darken(state.settings, vignette), note=""
    )


def _darken(settings: Settings, vignette: float) -> float:
    return vignette if settings.vignette else 0.0


def _mask_hands(state: ViewState, operator_input: OperatorInput) -> ViewState:
    used = state.wheel.hand if state.wheel is not None else ""
    return replace(
        state,
        left=step_mask(state.left, operator_input.left, used=used == "left"),
        right=step_mask(state.right, operator_input.right, used=used == "right"),
    )


def _hand(operator_input: OperatorInput, hand: str) -> HandInput:
    return operator_input.left if hand == "left" else operator_input.right


def _homogeneous(operator_input: OperatorInput) -> np.ndarray | None:
    return None if operator_input.head is None else operator_input.head.homogeneous


def _to_world(room: pin.SE3, pose: pin.SE3 | None) -> pin.SE3 | None:
    return None if pose is None else room * pose


def _hand_to_world(room: pin.SE3, hand: HandInput) -> HandInput:
    if hand.pose is None and hand.aim is None:
        return hand
    return replace(hand, pose=_to_world(room, hand.pose), aim=_to_world(room, hand.aim))
