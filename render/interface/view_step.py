"""One step of the operator's interface: the wheel is opened, pointed at and chosen from, the room placed and moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.interface.ahead import step_ahead
from handhold.render.interface.gaze import step_gaze
from handhold.render.interface.ignored import Usage, step_ignored
from handhold.render.interface.margin_trend import step_trend
from handhold.render.interface.masking import step_mask
from handhold.render.interface.placement import place_wheel
from handhold.render.interface.room import (
    MAX_TIME_STEP,
    WAITS_FOR_ROBOT,
    drive_room,
    explain_hands_in_use,
    find_head,
    follow_robot,
    is_squeezing,
    place_anew,
    place_if_due,
    step_vignette,
)
from handhold.render.interface.settings import Viewpoint
from handhold.render.interface.view_state import STOP_ANNOUNCEMENT_TIME, ViewState, find_items, refuse, update
from handhold.render.interface.wheel import Item, Page, Wheel, change_setting, point
from handhold.render.snapshot import Snapshot

CLICK_HELD = 0.4
"""A click of one stick alone, held for this long [s], opens and closes the wheel as the menu button does: the right
controller of some headsets has none. Only while the other hand is tracked."""

REQUEST_HELD = 0.25
"""A request is repeated in all samples for this long [s], because the link drops what it cannot send at once."""

CHOOSES_AT = 0.6
"""Pull of the trigger [-] that chooses; below ``RELEASED_BELOW`` it may choose again."""

RELEASED_BELOW = 0.3


def step(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None, dt: float) -> ViewState:
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
    state = _age(state, operator_input, snapshot, dt)
    held, operator_input = operator_input, _take_squeeze(state, operator_input)
    state = _follow_head(state, operator_input, dt)
    state = update(state, trend=step_trend(state.trend, snapshot))
    state = place_if_due(state, operator_input, snapshot)
    state = follow_robot(state, operator_input, snapshot, dt)
    state = _open_or_close(state, operator_input, dt)
    if state.wheel is not None:
        state = _use_wheel(state, state.wheel, operator_input, snapshot, dt)
    state = update(state, menu_down=_menu(operator_input), source=_find_source(state, operator_input))
    state = _mask_hands(state, held)
    usage = Usage(settings=state.settings, controls=state.controls, wheel=state.wheel, masks=(state.left, state.right))
    return update(state, ignored=step_ignored(state.ignored, operator_input, snapshot, usage, dt))


def _find_source(state: ViewState, operator_input: OperatorSample) -> tuple[str, int]:
    """Return device and origin of a sample: the same object while they are the same."""
    source = operator_input.device, operator_input.origin
    return state.source if source == state.source else source


def _follow_head(state: ViewState, operator_input: OperatorSample, dt: float) -> ViewState:
    """Let the strip come after the head, and note which hands it looks at."""
    head = find_head(operator_input)
    hands = {"left": operator_input.left.pose, "right": operator_input.right.pose}
    poses = {hand: None if pose is None else pose.homogeneous for hand, pose in hands.items()}
    looked_at = frozenset(hand for hand, pose in poses.items() if step_gaze(hand in state.looked_at, head, pose))
    return update(state, ahead=step_ahead(state.ahead, head, dt), looked_at=looked_at)


def _take_squeeze(state: ViewState, operator_input: OperatorSample) -> OperatorSample:
    """Return a sample in which nothing is squeezed by what chooses on the wheel, or has just chosen."""
    taken: dict[str, Any] = {}
    for hand, mask in (("left", state.left), ("right", state.right)):
        uses = state.wheel is not None and state.wheel.hand == hand and state.controls.of(hand).trigger_is_squeeze
        if uses or mask.squeeze:
            taken[hand] = replace(_hand(operator_input, hand), squeeze=0.0)
    return replace(operator_input, **taken) if taken else operator_input


def _age(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None, dt: float) -> ViewState:
    age = state.request_age + dt
    over = not state.request or age > REQUEST_HELD
    return update(
        state,
        vignette=step_vignette(state, dt),
        request="" if over else state.request,
        request_age=0.0 if over else age,
        stop=Stop.NONE,
        announcing=_time_announcement(state, operator_input, snapshot, dt),
    )


def _time_announcement(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None, dt: float) -> float:
    """Return for how long the operator is still told what stops: whoever puts the headset on anew, until a hand is engaged."""
    if operator_input.device != state.source[0] or not operator_input.focused:
        return STOP_ANNOUNCEMENT_TIME
    if snapshot is not None and (snapshot.left.engaged or snapshot.right.engaged):
        return 0.0
    # Pictures that were never drawn were not read.
    return max(0.0, state.announcing - min(dt, MAX_TIME_STEP))


def _open_or_close(state: ViewState, operator_input: OperatorSample, dt: float) -> ViewState:
    if not operator_input.focused:
        # What was refused is forgotten with the wheel; that the room waits for the robot is not.
        note = state.note if state.note == WAITS_FOR_ROBOT else ""
        return update(state, wheel=None, click_held=0.0, note=note)
    hand, held = _find_click(operator_input)
    click_held = state.click_held + dt if held else 0.0
    clicked = click_held >= CLICK_HELD
    pressed = _menu(operator_input) and not state.menu_down
    state = update(state, click_held=np.nan if clicked else click_held)
    if not (pressed or clicked):
        return state
    if state.wheel is not None:
        return update(state, wheel=None, note="")
    if pressed:
        hand = "left" if operator_input.left.buttons.menu else "right"
    return update(state, wheel=_open(operator_input, hand), note="")


def _find_click(operator_input: OperatorSample) -> tuple[str, bool]:
    """Return which hand's stick is held down, and whether that is meant for the wheel.

    It is not while the other hand is not tracked: then it stops the robot (``step_stick_stop``). Nor where the menu button,
    which has its effect when it goes down, is all that the controller has for a stick.
    """
    left, right = operator_input.left, operator_input.right
    this, other, hand = (left, right, "left") if left.buttons.stick else (right, left, "right")
    alone = this.buttons.stick and not other.buttons.stick
    return hand, alone and other.pose is not None and not this.buttons.menu


def _menu(operator_input: OperatorSample) -> bool:
    return operator_input.left.buttons.menu or operator_input.right.buttons.menu


def _open(operator_input: OperatorSample, hand: str) -> Wheel:
    pose = _hand(operator_input, hand).pose
    rotation = pose.rotation if pose is not None and np.isfinite(pose.homogeneous).all() else None
    return Wheel(hand=hand, pose=place_wheel(find_head(operator_input)), rotation_hand=rotation)


def _use_wheel(
    state: ViewState, wheel: Wheel, operator_input: OperatorSample, snapshot: Snapshot | None, dt: float
) -> ViewState:
    hand = _hand(operator_input, wheel.hand)
    items = find_items(state, snapshot)
    if wheel.page is Page.MOVE:
        state, wheel = drive_room(state, wheel, operator_input, dt)
        pointed: int | None = 0
    else:
        pointed = point(wheel, hand, len(items))
    chooses = hand.trigger >= CHOOSES_AT or hand.buttons.primary
    armed = wheel.armed or not (hand.trigger > RELEASED_BELOW or hand.buttons.primary)
    state = update(state, wheel=replace(wheel, pointed=pointed, armed=armed and not chooses))
    if pointed is None:
        return state
    if armed and chooses:
        return _choose(state, items[pointed], operator_input, snapshot)
    return _ask_for_preview(state, items[pointed])


def _ask_for_preview(state: ViewState, item: Item) -> ViewState:
    if not item.action.startswith("mode:") or state.request.startswith(("mode:", "switch:")):
        return state
    return update(state, request=f"preview:{item.action.removeprefix('mode:')}", request_age=0.0)


def _choose(state: ViewState, item: Item, operator_input: OperatorSample, snapshot: Snapshot | None) -> ViewState:
    in_use = _moves_room(item) and is_squeezing(operator_input)
    reason = item.reason or (explain_hands_in_use(state.controls) if in_use else "")
    if reason:
        return refuse(state, f"{item.title}: {reason}")
    kind, _, name = item.action.partition(":")
    state = update(state, note="")
    if kind == "mode":
        return update(state, wheel=None, request=item.action, request_age=0.0)
    if kind == "switch":
        return update(state, request=item.action, request_age=0.0)
    if kind == "stop":
        stop = Stop(name)
        announced = f"now {state.controls.stop_with_both} to go on" if stop is Stop.RESUME else ""
        return update(state, wheel=None, stop=stop, note=announced)
    if kind == "page" and state.wheel is not None:
        page = Page[name]
        heading = item.title if page is Page.TOGGLES else page.value
        return update(state, wheel=replace(state.wheel, page=page, heading=heading, pointed=None))
    if kind == "view":
        state = update(state, settings=replace(state.settings, view=Viewpoint[name]))
    elif kind == "set":
        state = update(state, settings=change_setting(state.settings, name))
    return place_anew(state, operator_input, snapshot) if _moves_room(item) else state


def _moves_room(item: Item) -> bool:
    return item.action in ("recentre", "set:seated") or item.action.startswith("view:")


def _mask_hands(state: ViewState, operator_input: OperatorSample) -> ViewState:
    used = state.wheel.hand if state.wheel is not None else ""
    return update(
        state,
        left=step_mask(
            state.left, operator_input.left, used=used == "left", squeeze_chooses=state.controls.left.trigger_is_squeeze
        ),
        right=step_mask(
            state.right, operator_input.right, used=used == "right", squeeze_chooses=state.controls.right.trigger_is_squeeze
        ),
    )


def _hand(operator_input: OperatorSample, hand: str) -> HandSample:
    return operator_input.left if hand == "left" else operator_input.right
