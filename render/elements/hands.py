"""What the operator's own hands carry: the state of the clutch, what the controls do, and a small stability region.

Of a fist, the grip pose's x axis comes out beside the thumb, z points from the knuckles to the wrist, and y out of the back of
the left hand and into the back of the right one.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.render import palette
from handhold.render.elements.balance import choose_margin_color, find_active_edge, is_polygon
from handhold.render.elements.drawing import make_area, make_outline, write
from handhold.render.elements.element import Element
from handhold.render.elements.hints import WAY_OUT_OF_A_STOP, list_hints
from handhold.render.palette import to_linear
from handhold.render.placement import compute_base_pose
from handhold.render.scene import Anchor, Lines
from handhold.render.settings import Settings
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.render.wheel import Page, Wheel

ANCHORS = {"left": Anchor.LEFT_HAND, "right": Anchor.RIGHT_HAND}
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
    hand: str, status: HandStatus | None, settings: Settings, mode: str, stop: str, wheel: Wheel | None
) -> tuple[Element, ...]:
    """Return what is written at a controller: whether it moves the robot, and what its controls do.

    Args:
        hand: ``"left"`` or ``"right"``.
        status: What became of the hand, or None before the robot is heard of.
        settings: The operator's choices.
        mode: Name of the mode in charge.
        stop: The latched stop.
        wheel: The wheel, if it is open.
    """
    lines = describe_hand(hand, status, settings, mode, stop, wheel)
    if not lines:
        return ()
    engaged = status is not None and status.engaged
    plate = to_linear(palette.ENGAGED, 0.85) if engaged else to_linear(palette.PLATE, 0.72)
    position = (OVER_THE_HAND, OUTSIDE[hand], 0.0)
    return (write("\n".join(lines), position, height=TEXT, plate=plate, anchor=ANCHORS[hand]),)


def describe_hand(
    hand: str, status: HandStatus | None, settings: Settings, mode: str, stop: str, wheel: Wheel | None
) -> tuple[str, ...]:
    """Return the lines written at a controller (see ``draw_hand_words``)."""
    if stop:
        return WAY_OUT_OF_A_STOP if stop == "hold" else ()
    state = _describe_clutch(status)
    if wheel is not None and wheel.hand == hand:
        return (*state, *_describe_wheel(wheel))
    return (*state, *list_hints(hand, mode, settings)) if settings.hints else state


def _describe_clutch(status: HandStatus | None) -> tuple[str, ...]:
    if status is None:
        return ()
    if status.engaged:
        return ("MOVING THE ROBOT",)
    return (status.waiting,) if status.waiting else ()


def _describe_wheel(wheel: Wheel) -> tuple[str, ...]:
    if wheel.page is Page.MOVE:
        return ("stick: move the room", "trigger: done", "menu: close")
    return ("stick or tilt: point", "trigger: choose", "menu: close")


def draw_wrist_region(snapshot: Snapshot, settings: Settings) -> tuple[Element, ...]:
    """Return the small stability region on the wrist of the less skilled hand, the robot's forward away from the wearer."""
    found = _find_polygon(snapshot)
    if not settings.wrist_region or found is None or not np.isfinite(snapshot.position_com_in_world).all():
        return ()
    polygon, color, active = found
    hand = "right" if settings.left_handed else "left"
    base = compute_base_pose(snapshot.q)
    middle = 0.5 * (polygon.min(axis=0) + polygon.max(axis=0))
    place = _Wrist(hand, middle, math.atan2(base[1, 0], base[0, 0]), polygon, snapshot.position_com_in_world[:2])
    com = place.shrink(snapshot.position_com_in_world[None, :2])
    pieces: list[Element] = [
        make_area(place.put(_CIRCLE, 0), to_linear(palette.WHITE, 0.9), place.anchor, place.middle),
        make_area(place.lay(polygon, 1), _fade(color, 0.45), place.anchor, place.middle),
        make_outline(place.lay(polygon, 2), 0.002, color, place.anchor),
        make_area(place.put(0.1 * _CIRCLE + com, 4), _BLACK, place.anchor, place.middle),
    ]
    if active is not None:
        edge = place.lay(active, 3)[None].astype(np.float32)
        pieces.append(Lines(ends=edge, colors=color[None], width=0.006, anchor=place.anchor))
    if snapshot.region is not None:
        pieces.append(place.write(f"{100.0 * snapshot.region.margin:.0f} cm", color))
    return tuple(pieces)


def _find_polygon(snapshot: Snapshot) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
    """Return the region, its colour and its active edge; the support polygon where there is no region."""
    region = snapshot.region
    if region is not None and is_polygon(region.vertices):
        return region.vertices, choose_margin_color(region.margin), find_active_edge(region)
    polygon = snapshot.reference.support_polygon
    return (polygon, to_linear(palette.SUPPORT), None) if is_polygon(polygon) else None


class _Wrist:
    """The plane of the small region on a wrist: like a watch's face, right and up as its wearer reads it."""

    def __init__(self, hand: str, middle: np.ndarray, heading: float, polygon: np.ndarray, com: np.ndarray) -> None:
        sign = 1.0 if hand == "left" else -1.0
        self.anchor = ANCHORS[hand]
        self.middle = np.array(WRIST_AT[hand])
        # The back of the hand faces the reader, the thumb points to him.
        self._axes = np.array([[0.0, 0.0, -sign], [-1.0, 0.0, 0.0], [0.0, sign, 0.0]]).T
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
        return write(
            text, at, height=TEXT, plate=_fade(color * 0.55, 0.9), anchor=self.anchor, rotation=self._axes.astype(np.float32)
        )


_ANGLES = np.linspace(0.0, math.tau, 32, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_BLACK = to_linear(palette.BLACK)


def _fade(color: np.ndarray, alpha: float) -> np.ndarray:
    faded = color.copy()
    faded[3] = alpha
    return faded
