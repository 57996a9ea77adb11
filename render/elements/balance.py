"""How far the robot is from falling: centre of mass, stability region, margin."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import (
    WORLD_TEXT,
    fade,
    lay_flat,
    make_area,
    make_balls,
    make_columns,
    make_outline,
    write,
)
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Lines
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import StabilityRegion

EDGE, ACTIVE_EDGE = 0.010, 0.026
"""Width of the region's edges and of the one that is nearest [m]."""

AREA_HEIGHT, MARK_HEIGHT = 0.003, 0.007
"""Heights over the ground, so that nothing on it shows through what lies on it [m]."""

MARK = 0.075
"""Diameter of the desired centre of mass's mark on the floor [m]."""

DASH = 0.04
"""Length of the dashes of a previewed region [m]."""

BESIDE = 0.16
"""How far outside the edge the margin is written [m]."""


def draw_centres_of_mass(snapshot: Snapshot) -> tuple[Element, ...]:
    """Return a column from each centre of mass down to the floor: black as measured, sky blue as the reference has it."""
    ground = snapshot.report.region.height if snapshot.report.region is not None else 0.0
    coms = np.array([snapshot.reference.position_com_in_world, snapshot.position_com_in_world])
    known = np.isfinite(coms).all(axis=1)
    coms, sizes, colors = coms[known], _COM_SIZES[known], _COM_COLORS[known]
    feet = coms.copy()
    feet[:, 2] = ground
    # The thinner, measured one is the higher of the two marks: where both agree, it lies on the other.
    marks = make_columns(feet, MARK_HEIGHT + 0.006 * (1.0 - sizes), MARK * sizes, colors)
    return marks, make_columns(feet, coms[:, 2] - ground, 0.024 * sizes, colors), make_balls(coms, 0.06 * sizes, colors)


_COM_SIZES = np.array([1.0, 0.6])
_COM_COLORS = np.array([to_linear(palette.REFERENCE), to_linear(palette.MEASURED)])


def choose_margin_color(margin: float) -> np.ndarray:
    """Return the colour of a margin [m], shape ``(4,)``: blue, every 2 cm darker from 8 cm on, an alarm below 2 cm."""
    return next((to_linear(color) for threshold, color in palette.MARGINS if margin >= threshold), to_linear(palette.ALARM))


def choose_margin_width(margin: float) -> float:
    """Return how much wider than a safe one the edge of a margin [m] is drawn [-]: a fifth more for each step down."""
    return 1.0 + 0.2 * next(
        (number for number, (threshold, _) in enumerate(palette.MARGINS) if margin >= threshold), len(palette.MARGINS)
    )


def draw_region(snapshot: Snapshot) -> tuple[Element, ...]:
    """Return the stability region on the floor, its nearest edge thick, with the margin and what limits it in words.

    Without a region the polygon is shown that must hold the divergent component of motion.
    """
    region = snapshot.report.region
    if region is None or not is_polygon(region.vertices):
        return _draw_support(snapshot)
    color = choose_margin_color(region.margin)
    corners = lay_flat(region.vertices, region.height + AREA_HEIGHT)
    return (
        make_area(corners, fade(color, 0.3)),
        make_outline(corners, EDGE, color),
        *_draw_margin(region, snapshot.position_com_in_world, color),
    )


def _draw_margin(region: StabilityRegion, com: np.ndarray, color: np.ndarray) -> tuple[Element, ...]:
    """Return the active edge, the segment to it from the centre of mass, and both in words."""
    ends = find_active_edge(region)
    if not np.isfinite(com).all():
        return ()
    edge = lay_flat(ends, region.height + MARK_HEIGHT)
    nearest = lay_flat(find_nearest_point(region, com[:2])[None], region.height + MARK_HEIGHT)[0]
    foot = np.array([com[0], com[1], region.height + MARK_HEIGHT])
    outward = nearest - com * (1.0, 1.0, 0.0)
    outward[2] = 0.0
    beside = nearest + BESIDE * outward / max(float(np.linalg.norm(outward)), 1e-6)
    beside[2] = region.height + 2.2 * WORLD_TEXT
    segment = Lines(ends=np.array([[foot, nearest]], dtype=np.float32), colors=color[None], width=EDGE)
    thick = Lines(
        ends=edge[None].astype(np.float32), colors=color[None], width=ACTIVE_EDGE * choose_margin_width(region.margin)
    )
    return thick, segment, write(describe_margin(region), beside, plate=shade(color))


def shade(color: np.ndarray) -> np.ndarray:
    """Return the colour of a margin as the plate of its words, dark enough for white ones."""
    return fade(0.55 * color, 0.95)


def describe_margin(region: StabilityRegion) -> str:
    """Return the margin and what limits it in words."""
    centimetres = f"{100.0 * abs(region.margin):.1f} cm {'margin' if region.margin >= 0.0 else 'OUTSIDE'}"
    return f"{centimetres}\n{region.limit}" if region.limit else centimetres


def find_active_edge(region: StabilityRegion) -> np.ndarray:
    """Return both ends of the nearest edge seen from above, shape ``(2, 2)`` [m]."""
    count = len(region.vertices)
    return region.vertices[[region.edge % count, (region.edge + 1) % count]]


def find_nearest_point(region: StabilityRegion, point: np.ndarray) -> np.ndarray:
    """Return the point of the active edge that is nearest to a point seen from above, shape ``(2,)`` both [m]."""
    start, end = find_active_edge(region)
    segment = end - start
    ratio = float((point - start) @ segment) / max(float(segment @ segment), 1e-12)
    return np.asarray(start + min(max(ratio, 0.0), 1.0) * segment)


def _draw_support(snapshot: Snapshot) -> tuple[Element, ...]:
    polygon = snapshot.reference.support_polygon
    if not is_polygon(polygon):
        return ()
    color = to_linear(palette.BALANCE)
    corners = lay_flat(polygon, AREA_HEIGHT)
    return make_area(corners, fade(color, 0.22)), make_outline(corners, EDGE, color)


def draw_preview_region(region: StabilityRegion | None) -> tuple[Element, ...]:
    """Return the region that a previewed pose, or a hand that comes near a surface, would have, dashed."""
    if region is None or not is_polygon(region.vertices):
        return ()
    corners = lay_flat(region.vertices, region.height + MARK_HEIGHT)
    return (make_outline(corners, 1.6 * EDGE, to_linear(palette.PREVIEW), dash=DASH),)


def is_polygon(vertices: np.ndarray) -> bool:
    """Say whether vertices, shape ``(k, 2)``, make an area that can be drawn."""
    return len(vertices) >= 3 and bool(np.isfinite(vertices).all())
