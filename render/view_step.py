"""One step of the operator's interface: the wheel is opened, pointed at and chosen from, the room placed and moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.render.masking import step_mask
from handhold.render.placement import place_wheel
from handhold.render.room import (
    HANDS_IN_USE,
    WAITS_FOR_ROBOT,
    drive_room,
    find_head,
    follow_robot,
    is_squeezing,
    place_anew,
    place_if_due,
    step_vignette,
)
from handhold.render.settings import Viewpoint
from handhold.render.snapshot import Snapshot
from handhold.render.view_state import ViewState, find_items, refuse
from handhold.render.wheel import Item, Page, Wheel, change_setting, point

CLICK_HELD = 0.4
"""A click of one stick alone, held for this long [s], opens and closes the wheel as the menu button does: the right
controller of some headsets has none. Only while the other hand is tracked."""

REQUEST_HELD = 0.25
"""A request is repeated in all samples for this long [s], because the link drops what it cannot send at once."""

CHOOSES_AT = 0.6
"""Pull of the trigger [-] that chooses; below ``LET_GO_BELOW`` it may choose again."""

LET_GO_BELOW = 0.3


def step(state: ViewState, operator_input: OperatorInput, snapshot: Snapshot | None, dt: float) -> ViewState:
    """Follow the operator by one sample.

    Args:
        state: State so far.
        operator_input: The newest sample, as the device gives it: in the operator's room.
        snapshot: The newest snapshot, or None before the first.
        dt: Time since the last step [s].

    Returns:
        New state. The room has moved only if the operator has asked: by choosing a view, a recentring or a seat on the wheel,
        by the headset's own recentring, or by the stick on the wheel's page for it; by looking from a view that goes along
        with a robot that walks; and once when robot and head are first seen.
    """
    state = _age(state, dt)
    state = place_if_due(state, operator_input, snapshot)
    state = follow_robot(state, operator_input, snapshot, dt)
    state = _open_or_close(state, operator_input, dt)
    if state.wheel is not None:
        state = _use_wheel(state, state.wheel, operator_input, snapshot, dt)
    state = replace(state, menu_down=_menu(operator_input), source=(operator_input.device, operator_input.origin))
    return _mask_hands(state, operator_input)


def _age(state: ViewState, dt: float) -> ViewState:
    age = state.request_age + dt
    over = age > REQUEST_HELD
    return replace(
        state,
        vignette=step_vignette(state, dt),
        request="" if over else state.request,
        request_age=0.0 if over else age,
    )


def _open_or_close(state: ViewState, operator_input: OperatorInput, dt: float) -> ViewState:
    if not operator_input.focused:
        # What was refused is forgotten with the wheel; that the room waits for the robot is not.
        note = state.note if state.note == WAITS_FOR_ROBOT else ""
        return replace(state, wheel=None, click_held=0.0, note=note)
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
    """Return which hand's stick is held down, and whether that is meant for the wheel.

    It is not while the other hand is not tracked: then it stops the robot (``step_stick_stop``). Nor where the menu button,
    which has its effect when it goes down, is all that the controller has for a stick.
    """
    left, right = operator_input.left, operator_input.right
    this, other, hand = (left, right, "left") if left.buttons.stick else (right, left, "right")
    alone = this.buttons.stick and not other.buttons.stick
    return hand, alone and other.pose is not None and not this.buttons.menu


def _menu(operator_input: OperatorInput) -> bool:
    return operator_input.left.buttons.menu or operator_input.right.buttons.menu


def _open(operator_input: OperatorInput, hand: str) -> Wheel:
    pose = _hand(operator_input, hand).pose
    rotation = pose.rotation if pose is not None and np.isfinite(pose.homogeneous).all() else None
    return Wheel(hand=hand, pose=place_wheel(find_head(operator_input)), rotation_hand=rotation)


def _use_wheel(
    state: ViewState, wheel: Wheel, operator_input: OperatorInput, snapshot: Snapshot | None, dt: float
) -> ViewState:
    hand = _hand(operator_input, wheel.hand)
    items = find_items(state, snapshot)
    if wheel.page is Page.MOVE:
        state, wheel = drive_room(state, wheel, operator_input, dt)
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
    if not item.action.startswith("mode:") or state.request.startswith(("mode:", "switch:")):
        return state
    return replace(state, request=f"preview:{item.action.removeprefix('mode:')}", request_age=0.0)


def _choose(state: ViewState, item: Item, operator_input: OperatorInput, snapshot: Snapshot | None) -> ViewState:
    reason = item.reason or (HANDS_IN_USE if _moves_room(item) and is_squeezing(operator_input) else "")
    if reason:
        return refuse(state, f"{item.title}: {reason}")
    kind, _, name = item.action.partition(":")
    state = replace(state, note="")
    if kind == "mode":
        return replace(state, wheel=None, request=item.action, request_age=0.0)
    if kind == "switch":
        return replace(state, request=item.action, request_age=0.0)
    if kind == "page" and state.wheel is not None:
        return replace(state, wheel=replace(state.wheel, page=Page[name], pointed=None))
    if kind == "view":
        state = replace(state, settings=replace(state.settings, view=Viewpoint[name]))
    elif kind == "set":
        state = replace(state, settings=change_setting(state.settings, name))
    return place_anew(state, operator_input, snapshot) if _moves_room(item) else state


def _moves_room(item: Item) -> bool:
    return item.action in ("recentre", "set:seated") or item.action.startswith("view:")


def _mask_hands(state: ViewState, operator_input: OperatorInput) -> ViewState:
    used = state.wheel.hand if state.wheel is not None else ""
    return replace(
        state,
        left=step_mask(state.left, operator_input.left, used=used == "left"),
        right=step_mask(state.right, operator_input.right, used=used == "right"),
    )


def _hand(operator_input: OperatorInput, hand: str) -> HandInput:
    return operator_input.left if hand == "left" else operator_input.right
