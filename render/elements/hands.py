"""What is shown at the operator's own hands: the state of the clutch, what the controls do, and a small stability region.

Of a fist, the grip pose's x axis comes out beside the thumb, z points from the knuckles to the wrist, and y out of the back of
the left hand and into the back of the right one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from handhold.devices.control_names import DEFAULT_CONTROL_NAMES, ControlNames, HandsControlNames
from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.elements.balance import choose_margin_color, find_active_edge, is_polygon, shade
from handhold.render.elements.drawing import HAND_ANCHORS, fade, make_area, make_outline, write
from handhold.render.elements.element import Element
from handhold.render.elements.hints import describe_resume_steps, list_hints
from handhold.render.interface.settings import Settings
from handhold.render.interface.wheel import Page, Wheel
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Lines
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_profile import ModeHints
from handhold.retarget.mode_report import ContactState, Grip

TEXT = 0.012
"""Height of a line [m]: 1.5 deg at an arm's length of 0.45 m."""
OVER_THE_HAND = 0.15
"""Distance of the words from the middle of the grip, beside the thumb [m]."""
OUTSIDE = {"left": 0.06, "right": -0.06}
"""How far to the outer side of the hand they are [m]."""

WRIST_RADIUS = 0.05
"""Radius of the small region's plate [m]."""
WRIST_AT = {"left": (0.0, 0.055, 0.09), "right": (0.0, -0.055, 0.09)}
"""Where it is worn: on the back of the hand, before the wrist [m]."""
LAYER = 0.0012
"""Distance of what lies on it, so that nothing shows through [m]."""


def draw_hand_words(
    hand: str,
    status: HandStatus | None,
    settings: Settings,
    hints: ModeHints,
    stop: Stop,
    wheel: Wheel | None,
    controls: HandsControlNames = DEFAULT_CONTROL_NAMES,
    *,
    looked_at: bool = True,
    commands: bool = True,
) -> tuple[Element, ...]:
    """Return what is written at a controller: whether it moves the robot, and what its controls do.

    Args:
        hand: ``"left"`` or ``"right"``.
        status: What became of the hand, or None before the robot is heard of.
        settings: The operator's choices.
        hints: What the mode in charge does with the controls.
        stop: The latched stop.
        wheel: The wheel, if it is open.
        controls: What the controls are called that are bound to the hands.
        looked_at: Whether the operator looks at the hand: what its controls do is shown only then.
        commands: Whether the hand commands anything of the robot.
    """
    lines = describe_hand(hand, status, settings, hints, stop, wheel, controls, looked_at=looked_at, commands=commands)
    if not lines:
        return ()
    engaged = status is not None and status.engaged
    plate = to_linear(palette.ENGAGED, 0.85) if engaged else None
    position = (OVER_THE_HAND, OUTSIDE[hand], 0.0)
    return (write("\n".join(lines), position, height=TEXT, plate=plate, anchor=HAND_ANCHORS[hand]),)


def describe_hand(
    hand: str,
    status: HandStatus | None,
    settings: Settings,
    hints: ModeHints,
    stop: Stop,
    wheel: Wheel | None,
    controls: HandsControlNames = DEFAULT_CONTROL_NAMES,
    *,
    looked_at: bool = True,
    commands: bool = True,
) -> tuple[str, ...]:
    """Return the lines written at a controller (see ``draw_hand_words``)."""
    if stop:
        return describe_resume_steps(controls) if stop is Stop.HOLD else ()
    state = _describe_clutch(status)
    if wheel is not None and wheel.hand == hand:
        return (*state, *_describe_wheel(wheel, controls.of(hand)))
    if not (settings.hints and looked_at):
        return state
    grips = status is not None and status.grip is not Grip.NONE and status.contact is ContactState.FREE
    return (*state, *list_hints(hand, hints, settings, controls, commands=commands, grips=grips))


def _describe_clutch(status: HandStatus | None) -> tuple[str, ...]:
    if status is None:
        return ()
    holds = ("the gripper holds something",) if status.grip is Grip.HOLDING else ()
    if status.engaged:
        return ("MOVING THE ROBOT", *holds)
    return (status.waiting, *holds) if status.waiting else holds


def _describe_wheel(wheel: Wheel, controls: ControlNames) -> tuple[str, ...]:
    stick, closes = controls.stick, f"{controls.opens_wheel}: close"
    if wheel.page is Page.MOVE:
        return (*((f"{stick}: move the room",) if stick else ()), f"{controls.trigger}: done", closes)
    return (f"{stick} or tilt: point" if stick else "tilt: point", f"{controls.trigger}: choose", closes)


def draw_wrist_region(snapshot: Snapshot, settings: Settings, heading: float) -> tuple[Element, ...]:
    """Return the small stability region on the wrist of the less skilled hand, the robot's forward away from the wearer.

    Args:
        snapshot: The region and the centre of mass.
        settings: The operator's choices.
        heading: Heading of the robot [rad].
    """
    found = _find_polygon(snapshot)
    if not settings.wrist_region or found is None or not np.isfinite(snapshot.position_com_in_world).all():
        return ()
    polygon, color, active = found
    hand = "right" if settings.left_handed else "left"
    middle = 0.5 * (polygon.min(axis=0) + polygon.max(axis=0))
    wrist = _Wrist(hand, middle, heading, polygon, snapshot.position_com_in_world[:2])
    flat = wrist.lay(polygon, 0)
    pieces: list[Element] = [
        _draw_plate(hand),
        make_area(flat + LAYER * wrist.normal, fade(color, 0.45), wrist.anchor, wrist.middle),
        make_outline(flat + 2.0 * LAYER * wrist.normal, 0.002, color, wrist.anchor),
        _mark_com(wrist.lay(snapshot.position_com_in_world[None, :2], 4)[0], hand),
    ]
    if active is not None:
        edge = wrist.lay(active, 3)[None].astype(np.float32)
        pieces.append(Lines(ends=edge, colors=color[None], width=0.006, anchor=wrist.anchor))
    if snapshot.report.region is not None:
        pieces.append(wrist.write(f"{100.0 * snapshot.report.region.margin:.0f} cm", color))
    return tuple(pieces)


def _find_polygon(snapshot: Snapshot) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
    """Return the region, its colour and its active edge; the support polygon where there is no region."""
    region = snapshot.report.region
    if region is not None and is_polygon(region.vertices):
        return region.vertices, choose_margin_color(region.margin), find_active_edge(region)
    polygon = snapshot.reference.support_polygon
    return (polygon, to_linear(palette.BALANCE), None) if is_polygon(polygon) else None


class _Wrist:
    """The plane of the small region on a wrist: like a watch's face, right and up as its wearer reads it."""

    def __init__(self, hand: str, middle: np.ndarray, heading: float, polygon: np.ndarray, com: np.ndarray) -> None:
        self.anchor = HAND_ANCHORS[hand]
        self.middle, self._axes = _MIDDLES[hand], _AXES[hand]
        self.normal = self._axes[:, 2]
        self._middle = middle
        c, s = math.cos(heading), math.sin(heading)
        reach = float(np.abs(np.vstack([polygon, com[None]]) - middle).max())
        # World x and y to the right and up of the reader, scaled to the plate.
        self._scale = np.array([[s, -c], [c, s]]) * (0.68 * WRIST_RADIUS / max(reach, 1e-3))

    def shrink(self, points: np.ndarray) -> np.ndarray:
        """Return points seen from above, shape ``(k, 2)``, in the plane, in parts of the plate's radius."""
        return (points - self._middle) @ self._scale.T / WRIST_RADIUS

    def put(self, points: np.ndarray, layer: int) -> np.ndarray:
        """Return points of the plane in the hand's frame, shape ``(k, 3)``."""
        flat = np.column_stack([WRIST_RADIUS * points, np.full(len(points), LAYER * layer)])
        return flat @ self._axes.T + self.middle

    def lay(self, polygon: np.ndarray, layer: int) -> np.ndarray:
        """Return points seen from above, shape ``(k, 2)``, in the hand's frame, shape ``(k, 3)``."""
        return self.put(self.shrink(polygon), layer)

    def write(self, text: str, color: np.ndarray) -> Element:
        """Return a text below the middle of the plane."""
        at = self.put(np.array([[0.0, -1.25]]), 2)[0]
        return write(text, at, height=TEXT, plate=shade(color), anchor=self.anchor, rotation=self._axes.astype(np.float32))


@cache
def _draw_plate(hand: str) -> Fill:
    """Return the plate of a hand, always the same."""
    corners = _put_flat(WRIST_RADIUS * _CIRCLE, hand)
    return make_area(corners, to_linear(palette.WHITE, 0.9), HAND_ANCHORS[hand], _MIDDLES[hand])


def _mark_com(com: np.ndarray, hand: str) -> Fill:
    """Return the black spot at a point of the plate."""
    spot = _draw_spot(hand)
    return replace(spot, triangles=spot.triangles + (com - _MIDDLES[hand]).astype(np.float32))


@cache
def _draw_spot(hand: str) -> Fill:
    corners = _put_flat(0.1 * WRIST_RADIUS * _CIRCLE, hand)
    return make_area(corners, to_linear(palette.BLACK), HAND_ANCHORS[hand], _MIDDLES[hand])


def _put_flat(points: np.ndarray, hand: str) -> np.ndarray:
    return points @ _AXES[hand][:, :2].T + _MIDDLES[hand]


_MIDDLES = {hand: np.array(wrist) for hand, wrist in WRIST_AT.items()}
_LEFT_AXES = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).T
# The back of the hand faces the reader, the thumb points to him.
_AXES = {"left": _LEFT_AXES, "right": np.diag((1.0, -1.0, -1.0)) @ _LEFT_AXES}
_ANGLES = np.linspace(0.0, math.tau, 32, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
