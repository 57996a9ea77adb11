"""How far the robot is from falling: centre of mass, stability region, margin."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import (
    WORLD_TEXT,
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
from handhold.render.snapshot import Snapshot, StabilityRegion

MARGIN_COLORS = ((0.08, palette.BLUE), (0.06, palette.SKY_BLUE), (0.04, palette.YELLOW), (0.02, palette.ORANGE))
"""Colours of margins from these on [m]; below is an alarm. Steps, because between two of the colours everything is grey."""

EDGE, ACTIVE_EDGE = 0.010, 0.026
"""Width of the region's edges and of the one that is nearest [m]."""

AREA_LIFT, MARK_LIFT = 0.003, 0.007
"""Heights over the ground, so that nothing on it shows through what lies on it [m]."""

MARK = 0.075
"""Diameter of the desired centre of mass's mark on the floor [m]."""

BESIDE = 0.16
"""How far outside the edge the margin is written [m]."""

DASH = 0.04
"""Length of the dashes of a region to come [m]."""


def draw_centres_of_mass(snapshot: Snapshot) -> tuple[Element, ...]:
    """Return a column from each centre of mass down to the floor: black as measured, green as desired."""
    ground = snapshot.region.height if snapshot.region is not None else 0.0
    coms = np.array([snapshot.reference.position_com_in_world, snapshot.position_com_in_world])
    known = np.isfinite(coms).all(axis=1)
    coms, sizes, colors = coms[known], _COM_SIZES[known], _COM_COLORS[known]
    feet = coms.copy()
    feet[:, 2] = ground
    # The thinner, measured one is the higher of the two marks: where both agree, it lies on the other.
    marks = make_columns(feet, MARK_LIFT + 0.006 * (1.0 - sizes), MARK * sizes, colors)
    return marks, make_columns(feet, coms[:, 2] - ground, 0.024 * sizes, colors), make_balls(coms, 0.06 * sizes, colors)


_COM_SIZES = np.array([1.0, 0.6])
_COM_COLORS = np.array([to_linear(palette.DESIRED_COM), to_linear(palette.MEASURED_COM)])


def choose_margin_color(margin: float) -> np.ndarray:
    """Return the colour of a margin [m], shape ``(4,)``: one for every 2 cm from blue, while safe, to red-orange."""
    return next((to_linear(color) for least, color in MARGIN_COLORS if margin >= least), to_linear(palette.ALARM))


def draw_region(snapshot: Snapshot) -> tuple[Element, ...]:
    """Return the stability region on the floor, its nearest edge thick, with the margin and what limits it in words.

    Without a region the polygon is shown that must hold the divergent component of motion.
    """
    region = snapshot.region
    if region is None or not is_polygon(region.vertices):
        return _draw_support(snapshot)
    color = choose_margin_color(region.margin)
    corners = lay_flat(region.vertices, region.height + AREA_LIFT)
    return (
        make_area(corners, _fade(color, 0.3)),
        make_outline(corners, EDGE, color),
        *_draw_margin(region, snapshot.position_com_in_world, color),
    )


def _draw_margin(region: StabilityRegion, com: np.ndarray, color: np.ndarray) -> tuple[Element, ...]:
    """Return the active edge, the way to it from the centre of mass, and both in words."""
    ends = find_active_edge(region)
    if not np.isfinite(com).all():
        return ()
    edge = lay_flat(ends, region.height + MARK_LIFT)
    nearest = lay_flat(_project(com[:2], ends)[None], region.height + MARK_LIFT)[0]
    foot = np.array([com[0], com[1], region.height + MARK_LIFT])
    outward = nearest - com * (1.0, 1.0, 0.0)
    outward[2] = 0.0
    beside = nearest + BESIDE * outward / max(float(np.linalg.norm(outward)), 1e-6)
    beside[2] = region.height + 2.2 * WORLD_TEXT
    way = Lines(ends=np.array([[foot, nearest]], dtype=np.float32), colors=color[None], width=EDGE)
    thick = Lines(ends=edge[None].astype(np.float32), colors=color[None], width=ACTIVE_EDGE)
    return thick, way, write(describe_margin(region), beside, plate=_fade(color * 0.55, 0.9))


def describe_margin(region: StabilityRegion) -> str:
    """Return the margin and what limits it in words."""
    centimetres = f"{100.0 * abs(region.margin):.1f} cm {'margin' if region.margin >= 0.0 else 'OUTSIDE'}"
    return f"{centimetres}\n{region.limit}" if region.limit else centimetres


def find_active_edge(region: StabilityRegion) -> np.ndarray:
    """Return both ends of the nearest edge seen from above, shape ``(2, 2)`` [m]."""
    count = len(region.vertices)
    return region.vertices[[region.edge % count, (region.edge + 1) % count]]


def _project(point: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the point of a line segment that is nearest to a point."""
    way = ends[1] - ends[0]
    share = float((point - ends[0]) @ way) / max(float(way @ way), 1e-12)
    return ends[0] + min(max(share, 0.0), 1.0) * way


def _draw_support(snapshot: Snapshot) -> tuple[Element, ...]:
    polygon = snapshot.reference.support_polygon
    if not is_polygon(polygon):
        return ()
    color = to_linear(palette.SUPPORT)
    corners = lay_flat(polygon, AREA_LIFT)
    return make_area(corners, _fade(color, 0.22)), make_outline(corners, EDGE, color)


def draw_coming_region(region: StabilityRegion | None) -> tuple[Element, ...]:
    """Return the region that a previewed pose, or a hand that comes near a surface, would have, dashed."""
    if region is None or not is_polygon(region.vertices):
        return ()
    ends = _dash(region.vertices)
    flat = lay_flat(ends.reshape(-1, 2), region.height + MARK_LIFT).reshape(-1, 2, 3).astype(np.float32)
    return (Lines(ends=flat, colors=np.repeat(to_linear(palette.PREVIEW)[None], len(flat), axis=0), width=1.6 * EDGE),)


def _dash(vertices: np.ndarray) -> np.ndarray:
    """Return both ends of the dashes along all edges of a polygon, shape ``(dashes, 2, 2)``."""
    edges = np.concatenate([vertices[1:], vertices[:1]]) - vertices
    counts = np.maximum(1, np.rint(np.sqrt((edges * edges).sum(axis=1)) / (2.0 * DASH)).astype(int))
    of = np.repeat(np.arange(len(vertices)), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = (within[:, None] + (0.25, 0.75)) / counts[of, None]
    return vertices[of, None] + shares[:, :, None] * edges[of, None]


def is_polygon(vertices: np.ndarray) -> bool:
    """Say whether vertices, shape ``(k, 2)``, make an area that can be drawn."""
    return len(vertices) >= 3 and bool(np.isfinite(vertices).all())


def _fade(color: np.ndarray, alpha: float) -> np.ndarray:
    faded = color.copy()
    faded[3] = alpha
    return faded
