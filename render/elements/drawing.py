"""Arrows, columns, balls, outlines and texts out of the shapes a scene has."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from handhold.render.elements.arrows import lay_arrows
from handhold.render.palette import PLATE, Color, choose_ink, to_linear
from handhold.render.scene import Anchor, Fill, Label, Lines, Shape, Solids

WORLD_TEXT = 0.036
"""Height of a line of text in the world [m]: 1.2 deg from 1.7 m away."""

PLATE_ALPHA = 0.85
"""Of the plates behind texts: dark enough for white ones before anything, and one still sees that something is behind."""

HEAD_LENGTH = 0.07
"""Length of the head of an arrow [m]."""

HAND_ANCHORS = {"left": Anchor.LEFT_HAND, "right": Anchor.RIGHT_HAND}
"""What moves with a hand of the operator, by its side."""


def fade(color: np.ndarray, alpha: float) -> np.ndarray:
    """Return a colour, shape ``(4,)``, with another alpha."""
    faded = color.copy()
    faded[3] = alpha
    return faded


def face_origin(position: np.ndarray) -> np.ndarray:
    """Return the axes of what stands at a position, not above the origin, and faces who looks from there.

    Args:
        position: Shape ``(3,)`` [m].

    Returns:
        Right, up and towards the reader in columns, shape ``(3, 3)``, float32, read-only.
    """
    towards = -position / np.linalg.norm(position)
    right = np.cross((0.0, 0.0, 1.0), towards)
    right /= np.linalg.norm(right)
    axes = np.column_stack([right, np.cross(towards, right), towards]).astype(np.float32)
    axes.setflags(write=False)
    return axes


def make_balls(positions: np.ndarray, diameters: np.ndarray | float, colors: np.ndarray, *, in_front: bool = False) -> Solids:
    """Return balls at positions in world, shape ``(k, 3)`` [m], in colours, shape ``(k, 4)``."""
    transforms = np.zeros((len(positions), 4, 4), dtype=np.float32)
    transforms[:, 0, 0] = transforms[:, 1, 1] = transforms[:, 2, 2] = diameters
    transforms[:, :3, 3] = positions
    transforms[:, 3, 3] = 1.0
    return Solids(shape=Shape.SPHERE, transforms=transforms, colors=colors, in_front=in_front)


def make_columns(bottoms: np.ndarray, heights: np.ndarray, diameters: np.ndarray, colors: np.ndarray) -> Solids:
    """Return upright rods that stand on points in world, shape ``(k, 3)`` [m].

    Args:
        bottoms: The points.
        heights: Shape ``(k,)`` [m].
        diameters: Shape ``(k,)`` [m].
        colors: Shape ``(k, 4)``.
    """
    transforms = np.zeros((len(bottoms), 4, 4), dtype=np.float32)
    transforms[:, 0, 0] = transforms[:, 1, 1] = diameters
    transforms[:, 2, 2] = heights
    transforms[:, :3, 3] = bottoms
    transforms[:, 2, 3] += 0.5 * heights
    transforms[:, 3, 3] = 1.0
    return Solids(shape=Shape.CYLINDER, transforms=transforms, colors=colors)


def make_arrows(tails: np.ndarray, heads: np.ndarray, diameter: float, color: Color) -> tuple[Solids, ...]:
    """Return arrows between points in world, shape ``(k, 3)`` each, float64 [m]."""
    count = len(tails)
    if not count:
        return ()
    transforms, colors = lay_arrows(tails, heads, diameter, HEAD_LENGTH), repeat(color, 1.0, count)
    return (
        Solids(shape=Shape.CYLINDER, transforms=transforms[:count], colors=colors),
        Solids(shape=Shape.CONE, transforms=transforms[count:], colors=colors),
    )


@lru_cache(maxsize=256)
def repeat(color: Color, alpha: float, count: int) -> np.ndarray:
    """Return one colour for each of several things in linear light, shape ``(count, 4)``, float32, read-only."""
    colors = np.repeat(to_linear(color, alpha)[None], count, axis=0)
    colors.setflags(write=False)
    return colors


def close_ring(corners: np.ndarray) -> np.ndarray:
    """Return the edges of a polygon, from each corner to the next and around, shape ``(k, 2, 3)``."""
    edges = np.empty((len(corners), 2, 3), dtype=np.float32)
    edges[:, 0] = corners
    edges[:-1, 1] = corners[1:]
    edges[-1, 1] = corners[0]
    return edges


def dash_lines(lines: Lines) -> Lines:
    """Return lines whose dashes are lines of their own, for whoever cannot draw dashes; each divides its line evenly."""
    starts, displacements = lines.ends[:, 0], lines.ends[:, 1] - lines.ends[:, 0]
    counts = np.maximum(1, np.rint(np.sqrt((displacements * displacements).sum(axis=1)) / (2.0 * lines.dash)).astype(int))
    of = np.repeat(np.arange(len(displacements)), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    ratios = (within[:, None] + (0.25, 0.75)) / counts[of, None]
    ends = starts[of, None] + ratios[:, :, None] * displacements[of, None]
    return replace(lines, ends=ends.astype(np.float32), colors=lines.colors[of], dash=0.0)


def make_outline(
    corners: np.ndarray,
    width: float,
    color: np.ndarray,
    anchor: Anchor = Anchor.WORLD,
    *,
    in_front: bool = False,
    dash: float = 0.0,
) -> Lines:
    """Return the outline of a polygon, corners of shape ``(k, 3)`` [m]; ``in_front`` where it is the interface's.

    Dashes are so long [m]; none are made where that is 0.
    """
    colors = np.repeat(color[None], len(corners), axis=0)
    return Lines(ends=close_ring(corners), colors=colors, width=width, anchor=anchor, in_front=in_front, dash=dash)


def make_area(
    corners: np.ndarray,
    color: np.ndarray,
    anchor: Anchor = Anchor.WORLD,
    middle: np.ndarray | None = None,
    *,
    in_front: bool = False,
) -> Fill:
    """Return the inside of a convex polygon, corners of shape ``(k, 3)``, k >= 3 [m].

    Args:
        corners: The polygon's.
        color: Shape ``(4,)``.
        anchor: What it moves with.
        middle: Middle of the plate that it lies on, shape ``(3,)`` [m]; None takes its own.
        in_front: Whether it is part of the operator's interface, which the world never hides.
    """
    triangles = np.empty((len(corners) - 2, 3, 3), dtype=np.float32)
    triangles[:, 0] = corners[0]
    triangles[:, 1] = corners[1:-1]
    triangles[:, 2] = corners[2:]
    middles = np.empty((len(triangles), 3), dtype=np.float32)
    middles[:] = corners.sum(axis=0) / len(corners) if middle is None else middle
    colors = np.repeat(color[None], len(triangles), axis=0)
    return Fill(triangles=triangles, colors=colors, anchor=anchor, middles=middles, in_front=in_front)


def lay_flat(polygon: np.ndarray, height: float) -> np.ndarray:
    """Return a polygon seen from above, shape ``(k, 2)``, at a height, as ``(k, 3)``."""
    corners = np.empty((len(polygon), 3))
    corners[:, :2] = polygon
    corners[:, 2] = height
    return corners


def lay_on(pose: np.ndarray, polygon: np.ndarray, offset: float = 0.0) -> np.ndarray:
    """Return a polygon in a pose's x and y, shape ``(k, 2)``, lifted along its z, in the pose's parent frame, ``(k, 3)``."""
    return polygon @ pose[:3, :2].T + (pose[:3, 3] + offset * pose[:3, 2])


def write(
    text: str,
    position: np.ndarray | tuple[float, float, float],
    *,
    height: float = WORLD_TEXT,
    plate: np.ndarray | None = None,
    ink: np.ndarray | None = None,
    anchor: Anchor = Anchor.WORLD,
    rotation: np.ndarray | None = None,
) -> Label:
    """Return a text on a dark plate unless told otherwise, in black or white, whichever is read better (see ``Label``)."""
    if plate is None:
        plate, ink = _PLATE, _INK if ink is None else ink
    return Label(
        text=text,
        position=np.asarray(position, dtype=np.float32),
        height=height,
        color=choose_ink(plate) if ink is None else ink,
        background=plate,
        anchor=anchor,
        rotation=rotation,
    )


_PLATE = to_linear(PLATE, PLATE_ALPHA)
_INK = choose_ink(_PLATE)
"""What most texts have."""
