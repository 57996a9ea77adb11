"""The stability region as a disc at the operator's waist: three times its size, with the trend of the margin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from handhold.render import palette
from handhold.render.elements.balance import (
    choose_margin_color,
    choose_margin_width,
    find_active_edge,
    find_nearest_point,
    is_polygon,
    shade,
)
from handhold.render.elements.drawing import close_ring, face_origin, fade, lay_flat, make_area, write
from handhold.render.elements.element import Element
from handhold.render.interface.margin_trend import NO_TREND, TREND_DURATION, MarginTrend
from handhold.render.interface.placement import rotate_about_vertical
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Fill, Lines
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import StabilityRegion

DISC_AT = np.array([0.52, -0.80, -0.74])
"""Its middle before the head as it faced [m]: at the waist, and so far ahead and to the right that a robot that is looked down
at from behind, and its hands, are seen past its rim."""

RADIUS = 0.56
"""Of the disc [m]."""

ENLARGED = 3.0
"""How many times its size the region is drawn; one that would reach beyond ``REGION_REACH``, less."""

REGION_REACH = 0.5
"""How far from the disc's middle the region may reach [m]: that of two feet side by side never does, that of a brace may."""

LAYER = 0.002
"""Distance of what lies on the disc from what is below [m]."""

EDGE, ACTIVE_EDGE = 0.010, 0.023
DESIRED, MEASURED = 0.034, 0.021
"""Radii of the marks of the centre of mass [m]."""

TEXT = 0.036
WORDS_AT = np.array([0.34, -0.34, 0.10])
"""Where the margin is written, from the disc's middle [m]: over the far rim, beside the strip."""

CELLS = 16
"""Columns of the trend."""

FULL = 0.10
"""Margin that fills a column [m]."""

COLUMNS = "▁▂▃▄▅▆▇█"

STEADY = 0.003
"""Rate below which a margin counts as steady [m/s]."""

HEADING_STEP = math.radians(5.0)
"""In which steps the disc is turned against the frame that it stands in [rad]."""

KNOWN = 4
"""Trends whose words are kept: one lasts for several snapshots."""

UP = np.array([0.0, 0.0, 1.0])
_ANGLES = np.linspace(0.0, math.tau, 48, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


@dataclass(frozen=True, slots=True)
class DiscView:
    """What the disc is drawn by besides the snapshot.

    Attributes:
        trend: How the margin goes.
        heading_steps: Heading of the frame ahead of the operator in world, in steps of ``HEADING_STEP``.
    """

    trend: MarginTrend = NO_TREND
    heading_steps: int = 0


def find_disc_view(trend: MarginTrend, room: np.ndarray, heading: float) -> DiscView:
    """Return what the disc is drawn by.

    Args:
        trend: How the margin goes.
        room: Pose of the room in world, shape ``(4, 4)``.
        heading: Of the frame ahead of the operator, in the room [rad].
    """
    steps = (math.atan2(float(room[1, 0]), float(room[0, 0])) + heading) / HEADING_STEP
    return DiscView(trend, round(steps) if math.isfinite(steps) else 0)


def draw_balance_disc(snapshot: Snapshot, settings: Settings, disc_view: DiscView) -> tuple[Element, ...]:
    """Return the disc, turned as the world is, so that what is ahead of the robot is there as well.

    Args:
        snapshot: The region and the centre of mass.
        settings: The operator's choices; through the robot's own eyes the disc has no plate, which would cover its hands.
        disc_view: How the margin goes, and where the operator faces.
    """
    region = snapshot.report.region
    coms = np.array([snapshot.reference.position_com_in_world[:2], snapshot.position_com_in_world[:2]])
    if not settings.balance_disc or region is None or not is_polygon(region.vertices) or not np.isfinite(coms).all():
        return ()
    plane = _Plane(region.vertices, disc_view.heading_steps)
    color = choose_margin_color(region.margin)
    points = np.concatenate([region.vertices, coms, find_nearest_point(region, coms[1])[None], find_active_edge(region)])
    laid = plane.lay(points)
    flat, (desired, measured, nearest, start, end) = laid[:-5], laid[-5:]
    plate = () if settings.view is Viewpoint.FIRST_PERSON else (_draw_plate(),)
    return (
        *plate,
        make_area(flat, fade(color, 0.4), Anchor.AHEAD, DISC_AT),
        _make_lines(np.concatenate([close_ring(flat), [(measured, nearest)]]), EDGE, color),
        _make_lines(np.array([(start, end)]) + LAYER * UP, ACTIVE_EDGE * choose_margin_width(region.margin), color),
        _mark(desired, measured),
        _write_margin(region, disc_view.trend),
    )


class _Plane:
    """The disc's plane: a region's own points enlarged about its middle, and turned to the world."""

    def __init__(self, vertices: np.ndarray, heading_steps: int) -> None:
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        self._middle = 0.5 * (low + high)
        reach = float(np.linalg.norm(vertices - self._middle, axis=1).max())
        self._scale = min(ENLARGED, REGION_REACH / max(reach, 1e-6))
        self._turn = rotate_about_vertical(-heading_steps * HEADING_STEP)[:2, :2]

    def lay(self, points: np.ndarray) -> np.ndarray:
        """Return points seen from above, shape ``(k, 2)``, in the frame ahead of the operator, shape ``(k, 3)``."""
        return lay_flat(self._scale * (points - self._middle) @ self._turn.T, LAYER) + DISC_AT


def describe_trend(region: StabilityRegion, trend: MarginTrend) -> str:
    """Return the margin, and how it goes, in words."""
    return f"{100.0 * abs(region.margin):.1f} cm {'margin' if region.margin >= 0.0 else 'OUTSIDE'}{_describe_rate(trend)}"


@lru_cache(maxsize=KNOWN)
def _describe_rate(trend: MarginTrend) -> str:
    """Return how fast a margin goes, in words; empty before that is known."""
    rate = trend.rate
    if not math.isfinite(rate):
        return ""
    return " → steady" if abs(rate) < STEADY else f" {'↑' if rate > 0.0 else '↓'} {100.0 * abs(rate):.1f} cm/s"


@lru_cache(maxsize=KNOWN)
def draw_trend(trend: MarginTrend) -> str:
    """Return the margins of the last seconds as a row of columns, the newest on the right."""
    if len(trend.times) < 2:
        return ""
    then = trend.times[-1] - TREND_DURATION * np.arange(CELLS - 1, -1, -1) / CELLS
    heights = np.interp(then[then >= trend.times[0]], trend.times, trend.margins) / FULL
    levels = np.clip(np.rint((len(COLUMNS) - 1) * heights), 0, len(COLUMNS) - 1).astype(int)
    return "".join(COLUMNS[level] for level in levels.tolist())


def _write_margin(region: StabilityRegion, trend: MarginTrend) -> Element:
    words = describe_trend(region, trend)
    text = "\n".join(line for line in (words, region.limit, draw_trend(trend)) if line)
    plate = shade(choose_margin_color(region.margin))
    return write(text, DISC_AT + WORDS_AT, height=TEXT, plate=plate, anchor=Anchor.AHEAD, rotation=_FACING)


def _make_lines(ends: np.ndarray, width: float, color: np.ndarray) -> Lines:
    colors = np.repeat(color[None], len(ends), axis=0)
    return Lines(ends=ends.astype(np.float32), colors=colors, width=width, anchor=Anchor.AHEAD)


@cache
def _draw_plate() -> Fill:
    """Return the disc, always the same."""
    corners = lay_flat(RADIUS * _CIRCLE, 0.0) + DISC_AT
    return make_area(corners, to_linear(palette.WHITE, 0.5), Anchor.AHEAD, DISC_AT)


def _mark(desired: np.ndarray, measured: np.ndarray) -> Fill:
    """Return the marks of the centres of mass at points of the disc, the smaller, measured one upon the other."""
    marks = _draw_marks()
    shifts = np.repeat(np.array([desired, measured]) - DISC_AT, len(marks.triangles) // 2, axis=0)
    return replace(marks, triangles=marks.triangles + shifts[:, None].astype(np.float32))


@cache
def _draw_marks() -> Fill:
    kinds = ((DESIRED, palette.REFERENCE, 3.0 * LAYER), (MEASURED, palette.MEASURED, 4.0 * LAYER))
    areas = [
        make_area(lay_flat(radius * _CIRCLE[::2], offset) + DISC_AT, to_linear(color), Anchor.AHEAD, DISC_AT)
        for radius, color, offset in kinds
    ]
    return Fill(
        triangles=np.concatenate([area.triangles for area in areas]),
        colors=np.concatenate([area.colors for area in areas]),
        middles=np.concatenate([area.find_middles() for area in areas]),
        anchor=Anchor.AHEAD,
    )


_FACING = face_origin(DISC_AT + WORDS_AT)

DEFAULT_DISC_VIEW = DiscView()
"""No trend yet, and an operator who faces along x."""
