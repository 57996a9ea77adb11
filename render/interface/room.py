"""How the operator's room is placed, driven and taken along with a robot that walks, as steps of the interface's state.

While a hand squeezes, the room stands still: the robot's hand would be dragged along with it. What is asked meanwhile is
refused and not put off, for a world that jumps as a hand lets go is not what anybody expects then.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.devices.control_names import HandsControlNames
from handhold.devices.operator_sample import OperatorSample
from handhold.devices.stop import Stop
from handhold.render.interface.placement import find_followed_point, move_room, place_room, turn_room
from handhold.render.interface.view_state import ViewState, refuse
from handhold.render.interface.wheel import Wheel, read_direction
from handhold.render.snapshot import Snapshot
from handhold.retarget.engagement.clutch import RELEASE_BELOW

WAITS_FOR_ROBOT = "the room moves as soon as robot and headset are seen"
"""What is shown of a request that cannot be done yet."""

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

MAX_TIME_STEP = 0.05
"""Of a longer time between two samples only so much counts [s]: after a pause the room must not leap."""

FOLLOWS_FROM = 0.1
"""How far the robot goes before the room goes along [m]: more than a robot sways that balances."""

FOLLOWS_UNTIL = 0.02
"""How near the room comes to where it should be before it is at rest again [m]."""

FOLLOWING_TIME = 0.25
"""Time constant of the room's motion after the robot [s]: a step's bobbing is smoothed, and the lag is a hand's breadth."""

MAX_FOLLOWING_SPEED = 1.5
"""Maximum speed of the room in that motion [m/s], faster than the robots walk."""


def is_squeezing(operator_input: OperatorSample) -> bool:
    """Say whether a clutch may be closed: a squeeze that is not known counts as held."""
    return any(not hand.squeeze <= RELEASE_BELOW for hand in (operator_input.left, operator_input.right))


def find_head(operator_input: OperatorSample) -> np.ndarray | None:
    """Return the pose of the head in the room, shape ``(4, 4)``, or None where it is not tracked."""
    return None if operator_input.head is None else operator_input.head.homogeneous


def place_if_due(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None) -> ViewState:
    """Place the room when robot and head are first seen, when the headset's own recentring has moved it, or late.

    Late is what has been asked for while there was no robot to place it by; it waits until both hands have let go as well.
    """
    recentred = state.source != (operator_input.device, operator_input.origin)
    if state.placed and not recentred:
        return state
    if operator_input.head is None:
        return replace(state, placed=False)
    if state.moves and not recentred and is_squeezing(operator_input):
        return state
    return _place(state, operator_input, snapshot)


def place_anew(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None) -> ViewState:
    """Place the room by the settings, now or as soon as robot and head are seen."""
    if operator_input.head is None:
        return replace(state, placed=False, note=WAITS_FOR_ROBOT)
    state = _place(state, operator_input, snapshot)
    return state if state.placed else replace(state, note=WAITS_FOR_ROBOT)


def _place(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None) -> ViewState:
    if snapshot is None or not np.isfinite(snapshot.q[:7]).all():
        return replace(state, placed=False)
    return replace(
        state,
        transform_room_to_world=place_room(
            state.settings, find_head(operator_input), snapshot, state.position_eye_in_base, state.obstacles
        ),
        placed=True,
        followed=find_followed_point(state.settings, snapshot, state.position_eye_in_base),
        following=False,
        # What is first seen does not move.
        vignette=_darken(state, 1.0) if state.moves else state.vignette,
        moves=state.moves + 1,
        note="" if state.note == WAITS_FOR_ROBOT else state.note,
    )


def explain_hands_in_use(controls: HandsControlNames) -> str:
    """Return why the room does not move while a hand squeezes, by what the controls are called that do."""
    return f"let go of {controls.squeezes} first"


def drive_room(state: ViewState, wheel: Wheel, operator_input: OperatorSample, dt: float) -> tuple[ViewState, Wheel]:
    """Turn the room by the stick to the side, move it by the stick ahead; not while a hand squeezes.

    Args:
        state: State so far.
        wheel: The open wheel, on its page for this.
        operator_input: The newest sample.
        dt: Time since the last one [s].
    """
    hand = operator_input.left if wheel.hand == "left" else operator_input.right
    right, forward = read_direction(replace(wheel, rotation_hand=None), hand)
    if not (abs(right) >= TURNS_AT or abs(forward) >= MOVES_AT):
        wheel = replace(wheel, refused=False)
    elif is_squeezing(operator_input):
        return (state if wheel.refused else refuse(state, explain_hands_in_use(state.controls))), replace(wheel, refused=True)
    if abs(right) < TURNS_AGAIN_BELOW:
        wheel = replace(wheel, turned=False)
    head, room = find_head(operator_input), state.transform_room_to_world
    if abs(right) >= TURNS_AT and not wheel.turned:
        room = turn_room(room, head, -math.copysign(math.radians(state.settings.turn_angle), right))
        return _drive(state, room, 1.0), replace(wheel, turned=True)
    if MOVES_AT <= abs(forward) <= 2.0 and abs(right) < TURNS_AT:
        dt = min(dt, MAX_TIME_STEP)
        room = move_room(room, head, SPEED * min(max(forward, -1.0), 1.0) * dt)
        return _drive(state, room, min(1.0, state.vignette + (VIGNETTE_RISE + VIGNETTE_FALL) * dt)), wheel
    return state, wheel


def _drive(state: ViewState, room: np.ndarray, vignette: float) -> ViewState:
    return replace(state, transform_room_to_world=room, moves=state.moves + 1, vignette=_darken(state, vignette), note="")


def follow_robot(state: ViewState, operator_input: OperatorSample, snapshot: Snapshot | None, dt: float) -> ViewState:
    """Take the room along with a robot that walks, in the views that are at the robot; it never turns by itself.

    Args:
        state: State so far.
        operator_input: The newest sample; while a hand squeezes the room stays, and comes after.
        snapshot: Where the robot is; one that sinks down or falls is not followed.
        dt: Time since the last sample [s].
    """
    if state.followed is None or not state.placed or snapshot is None or snapshot.stop is Stop.DAMP:
        return state
    point = find_followed_point(state.settings, snapshot, state.position_eye_in_base)
    if point is None or not np.isfinite(point).all() or is_squeezing(operator_input):
        return state
    displacement = point - state.followed
    distance = float(np.linalg.norm(displacement))
    if distance <= (FOLLOWS_UNTIL if state.following else FOLLOWS_FROM):
        return replace(state, following=False) if state.following else state
    return _move_along(state, displacement, distance, min(dt, MAX_TIME_STEP))


def _move_along(state: ViewState, displacement: np.ndarray, distance: float, dt: float) -> ViewState:
    stride = min(distance * -math.expm1(-dt / FOLLOWING_TIME), MAX_FOLLOWING_SPEED * dt)
    shift = stride / distance * displacement
    room = state.transform_room_to_world.copy()
    room[:3, 3] += shift
    # As dark as the stick's motion makes it at the same speed.
    max_vignette = min(1.0, stride / max(dt, 1e-6) / SPEED)
    vignette = max(state.vignette, min(max_vignette, state.vignette + (VIGNETTE_RISE + VIGNETTE_FALL) * dt))
    return replace(
        state,
        transform_room_to_world=room,
        followed=None if state.followed is None else state.followed + shift,
        following=True,
        vignette=_darken(state, vignette),
    )


def step_vignette(state: ViewState, dt: float) -> float:
    """Return how dark the edge still is after a time [s] in which nothing moves."""
    return max(0.0, state.vignette - VIGNETTE_FALL * dt)


def _darken(state: ViewState, vignette: float) -> float:
    return vignette if state.settings.vignette else 0.0
