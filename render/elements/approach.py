"""A hand that comes near a surface: how far it is, what would touch, and whether it may be sent there as it is."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import repeat, write
from handhold.render.elements.element import Element
from handhold.render.elements.hand_side import find_outer_side
from handhold.render.elements.surface_points import lay_points
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Lines
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import Approach, ContactState, HandReport

SHOWN_WITHIN = 0.3
"""Distance within which the shadow of a hand is seen [m]."""
AT_REST_WITHIN = 0.15
"""Distance within which this is shown of a hand that nobody moves [m]: what its button would send it to."""
TEXT = 0.042
"""Height of the distance [m]: 1.4 deg from 1.7 m away."""
BEFORE, BESIDE, ABOVE = 0.04, 0.2, 0.22
"""How far before the line's beginning, to its outer side and over it its length is written [m]: off the surface, and seen past
the robot from behind it."""
LEADER = 0.7
"""Part of the way there that a thin line leads [-]: it ends before the plate."""
WIDTH, THIN = 0.009, 0.0045
SURFACE_OFFSET = 0.005
"""Distance of the patch from its surface, the shadow lies below it [m]."""
SHADOW = 0.002
DARKEST, STEPS = 0.75, 6
"""How dark the shadow of a hand that touches is, and in how many steps it fades: the page makes an area anew for each."""
SPREAD = 2.5
"""How many times as wide as what would touch the shadow is at ``SHOWN_WITHIN``."""
RINGS = (1.0, 0.8, 0.6, 0.4)
"""Radii of the discs that make a soft shadow together, in parts of the shadow's."""
SHADOW_OF, PATCH, TIP, FOOT, LEADER_START, LEADER_END, GAZE_START, GAZE_END, RING, WORDS = range(10)
"""Figures in the frame of the surface: the shadow, what would touch, both ends of the line from the hand to the surface, of
the thin one to the words, and of the one to where a hand that is askew looks; what it would have to look into; the words."""
_ANGLES = np.linspace(0.0, math.tau, 24, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_RECTANGLE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


def _fan(corners: np.ndarray) -> np.ndarray:
    """Return the corners of the triangles that make a convex polygon, shape ``(3 k, 2)``."""
    first = np.repeat(corners[:1], len(corners) - 2, axis=0)
    return np.stack([first, corners[1:-1], corners[2:]], axis=1).reshape(-1, 2)


def _outline(corners: np.ndarray) -> np.ndarray:
    """Return both ends of the edges of a polygon, shape ``(2 k, 2)``."""
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1).reshape(-1, 2)


class _Figures:
    """Points of all that is drawn of an approach, for one kind of hand: lines and areas that are alike are one element.

    Attributes:
        points: Shape ``(points, 2)``.
        figures: Which figure each is a point of, shape ``(points,)``.
        ends: Where shadow, area, thick lines, thin lines, and those of a hand that is askew end.
    """

    def __init__(self, touching: np.ndarray) -> None:
        """Take the corners of what would touch."""
        discs = np.concatenate([ring * _fan(_CIRCLE[::2]) for ring in RINGS])
        area, outline, ring = _fan(touching), _outline(touching), _outline(_CIRCLE)
        pieces = {
            "shadow": [(SHADOW_OF, discs)],
            "area": [(PATCH, area)],
            "thick": [(TIP, _POINT), (FOOT, _POINT), (PATCH, outline)],
            "thin": [(LEADER_START, _POINT), (LEADER_END, _POINT)],
            "askew": [(GAZE_START, _POINT), (GAZE_END, _POINT), (RING, ring)],
            "words": [(WORDS, _POINT)],
        }
        figures = [figure for group in pieces.values() for figure in group]
        self.points = np.concatenate([points for _, points in figures])
        self.figures = np.repeat([figure for figure, _ in figures], [len(points) for _, points in figures])
        lengths = [sum(len(points) for _, points in group) for group in pieces.values()]
        self.ends = tuple(np.cumsum(lengths).tolist())


_POINT = np.ones((1, 2))
_ROUND, _ANGULAR = _Figures(_CIRCLE), _Figures(_RECTANGLE)


def draw_approach(snapshot: Snapshot, hand: str) -> tuple[Element, ...]:
    """Return the path of a hand to the surface in front of it: its length, its shadow, what would touch; red where it may not.

    Where the hand is askew, two more lines tell how to turn it: where it looks, and the ring on the surface within which that
    must be.
    """
    status: HandStatus = getattr(snapshot, hand)
    report: HandReport = getattr(snapshot.report, hand)
    approach = report.approach
    if approach is None or not _is_sound(approach) or not is_near(status, approach):
        return ()
    color = palette.ALARM if approach.obstacle else palette.CANDIDATE
    shape = _ROUND if approach.is_round else _ANGULAR
    sizes = np.array(_size_figures(approach, find_outer_side(snapshot, hand)))
    # a copy: what comes from the link may not be written to, which would be another type to compile for
    laid = lay_points(np.array(approach.pose, dtype=np.float64), shape.points, shape.figures, sizes)
    shadow, area, thick, thin, askew, words = shape.ends
    edges, middle = laid[area:thick].reshape(-1, 2, 3), approach.pose[:3, 3]
    leaders = laid[thick : askew if sizes[RING, 0] else thin].reshape(-1, 2, 3)
    return (
        *_draw_shadow(laid[:shadow], middle, _find_remoteness(approach)),
        _fill(laid[shadow:area], middle, color, 0.45),
        Lines(ends=edges, colors=repeat(color, 1.0, len(edges)), width=WIDTH),
        Lines(ends=leaders, colors=_color_leaders(color, len(leaders)), width=THIN),
        write(describe_approach(approach), laid[words - 1], height=TEXT, plate=_choose_plate(approach)),
    )


def _size_figures(approach: Approach, side: tuple[float, float, float]) -> list[tuple[float, float, float]]:
    """Return along x and y of the surface, and off it, what points of all figures are multiplied by and lifted to.

    Args:
        approach: The approach.
        side: Direction to the outer side of the hand, where the distance is written.
    """
    u, v = approach.half_lengths
    away, ring, wrist = max(approach.distance, 0.0), _find_ring(approach), _find_height(approach)
    spread = 1.5 * (1.0 + (SPREAD - 1.0) * _find_remoteness(approach))
    (words_x, axis_x), (words_y, axis_y), (words_z, axis_z) = (
        approach.pose[:3, :3].T @ np.array([(BESIDE * side[0], BESIDE * side[1], ABOVE), approach.axis]).T
    ).tolist()
    gaze, middle = wrist / max(axis_z, 0.2), 0.5 * away
    words_z += away + BEFORE
    sizes = {
        SHADOW_OF: (spread * u, spread * v, SHADOW),
        PATCH: (u, v, SURFACE_OFFSET),
        TIP: (0.0, 0.0, away),
        FOOT: (0.0, 0.0, 0.0),
        LEADER_START: (0.0, 0.0, middle),
        LEADER_END: (LEADER * words_x, LEADER * words_y, middle + LEADER * (words_z - middle)),
        GAZE_START: (0.0, 0.0, wrist),
        GAZE_END: (-gaze * axis_x, -gaze * axis_y, wrist - gaze * axis_z),
        RING: (ring, ring, SURFACE_OFFSET),
        WORDS: (words_x, words_y, words_z),
    }
    return [sizes[figure] for figure in range(len(sizes))]


@lru_cache(maxsize=16)
def _color_leaders(color: palette.Color, count: int) -> np.ndarray:
    """Return the colours of thin lines: of a ring that one is to look into it is that of what may be done."""
    colors = np.array(repeat(palette.CANDIDATE, 1.0, count))
    colors[:2] = to_linear(color)
    colors.setflags(write=False)
    return colors


def _find_remoteness(approach: Approach) -> float:
    """Return how far a hand is off, from 0 where it touches to 1 where its shadow begins to be seen."""
    return min(1.0, max(0.0, approach.distance / SHOWN_WITHIN))


def describe_approach(approach: Approach) -> str:
    """Return how far a surface is, and why a hand may not be sent there, in words."""
    centimetres = f"{100.0 * max(approach.distance, 0.0):.0f} cm"
    return f"{centimetres}\n{approach.obstacle}" if approach.obstacle else centimetres


def _choose_plate(approach: Approach) -> np.ndarray | None:
    return to_linear(palette.ALARM, 0.9) if approach.obstacle else None


def is_near(status: HandStatus, approach: Approach) -> bool:
    """Say whether what is known of an approach is shown: while the hand is moved, and near a surface anyway."""
    moves = status.engaged or status.contact in (ContactState.APPROACHING, ContactState.TOUCHING)
    return moves or approach.distance <= AT_REST_WITHIN


def _is_sound(approach: Approach) -> bool:
    numbers = (approach.distance, approach.tilt, approach.max_tilt, *approach.half_lengths, *approach.axis.tolist())
    return all(map(math.isfinite, numbers)) and all(map(math.isfinite, approach.pose.ravel().tolist()))


def _draw_shadow(corners: np.ndarray, middle: np.ndarray, away: float) -> tuple[Fill, ...]:
    darkness = DARKEST * math.ceil(STEPS * (1.0 - away)) / STEPS
    # discs that lie on each other let through what all of them do
    alpha = round(1.0 - (1.0 - darkness) ** (1.0 / len(RINGS)), 3)
    return (_fill(corners, middle, palette.BLACK, alpha),) if darkness > 0.0 else ()


def _fill(corners: np.ndarray, middle: np.ndarray, color: palette.Color, alpha: float) -> Fill:
    """Return triangles that lie on a plate with a middle, corners of shape ``(3 k, 3)``."""
    triangles = corners.reshape(-1, 3, 3)
    middles = np.empty((len(triangles), 3), dtype=np.float32)
    middles[:] = middle
    return Fill(triangles=triangles, colors=repeat(color, alpha, len(triangles)), middles=middles)


def _find_ring(approach: Approach) -> float:
    """Return the radius of the ring that a hand that is askew would have to look into [m]; 0 where it is not."""
    if approach.tilt <= approach.max_tilt or not 0.0 < approach.max_tilt < 0.5 * math.pi:
        return 0.0
    return _find_height(approach) * math.tan(approach.max_tilt)


def _find_height(approach: Approach) -> float:
    """Return how far over the surface the wrist is taken to be [m]."""
    return max(approach.distance, 0.0) + max(approach.half_lengths)
