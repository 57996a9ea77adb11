"""Arrows, columns, balls, outlines and texts out of the shapes a scene has."""

from __future__ import annotations

import numpy as np

from handhold.render.palette import PLATE, WHITE, to_linear
from handhold.render.scene import Anchor, Fill, Label, Lines, Shape, Solids

WORLD_TEXT = 0.036
"""Height of a line of text in the world [m]: 1.2 deg from 1.7 m away."""

PLATE_ALPHA = 0.72
"""Of the plates behind texts: dark enough to read on anything, and one still sees that something is behind."""

HEAD_LENGTH = 0.07
"""Length of the head of an arrow [m]."""


def make_balls(positions: np.ndarray, diameters: np.ndarray | float, colors: np.ndarray) -> Solids:
    """Return balls at positions in world, shape ``(k, 3)`` [m], in colours, shape ``(k, 4)``."""
    transforms = np.zeros((len(positions), 4, 4), dtype=np.float32)
    transforms[:, 0, 0] = transforms[:, 1, 1] = transforms[:, 2, 2] = diameters
    transforms[:, :3, 3] = positions
    transforms[:, 3, 3] = 1.0
    return Solids(shape=Shape.SPHERE, transforms=transforms, colors=colors)


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


def make_arrows(tails: np.ndarray, heads: np.ndarray, diameter: float, color: np.ndarray) -> tuple[Solids, ...]:
    """Return arrows between points in world, shape ``(k, 3)`` each [m]."""
    if not len(tails):
        return ()
    ways = heads - tails
    lengths = np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-6)
    necks = heads - ways / lengths * np.minimum(HEAD_LENGTH, 0.5 * lengths)
    colors = np.repeat(color[None], len(tails), axis=0)
    diameters = np.repeat([[diameter], [2.6 * diameter]], len(tails), axis=0)
    transforms = stretch(np.concatenate([tails, necks]), np.concatenate([necks, heads]), diameters)
    return (
        Solids(shape=Shape.CYLINDER, transforms=transforms[: len(tails)], colors=colors),
        Solids(shape=Shape.CONE, transforms=transforms[len(tails) :], colors=colors),
    )


def stretch(starts: np.ndarray, ends: np.ndarray, diameters: np.ndarray) -> np.ndarray:
    """Return the transforms that lay a unit shape's z axis from points to points.

    Args:
        starts: The points, shape ``(k, 3)`` [m].
        ends: The other points.
        diameters: Shape ``(k, 1)`` [m].

    Returns:
        Shape ``(k, 4, 4)``, float32.
    """
    axes = ends - starts
    lengths = np.maximum(np.sqrt((axes * axes).sum(axis=1, keepdims=True)), 1e-9)
    z = axes / lengths
    # Any axis that is not along z will do to begin with: the shapes are round.
    helper = np.where(np.abs(z[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    x = cross_rows(helper, z)
    x /= np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-9)
    transforms = np.zeros((len(starts), 4, 4), dtype=np.float32)
    transforms[:, :3, 0] = diameters * x
    transforms[:, :3, 1] = diameters * cross_rows(z, x)
    transforms[:, :3, 2] = axes
    transforms[:, :3, 3] = 0.5 * (starts + ends)
    transforms[:, 3, 3] = 1.0
    return transforms


def cross_rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute cross products of rows; a quarter of what ``np.cross`` takes for a few of them."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    result[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    result[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return result


def close_ring(corners: np.ndarray) -> np.ndarray:
    """Return the edges of a polygon, from each corner to the next and around, shape ``(k, 2, 3)``."""
    edges = np.empty((len(corners), 2, 3), dtype=np.float32)
    edges[:, 0] = corners
    edges[:-1, 1] = corners[1:]
    edges[-1, 1] = corners[0]
    return edges


def make_outline(corners: np.ndarray, width: float, color: np.ndarray, anchor: Anchor = Anchor.WORLD) -> Lines:
    """Return the outline of a polygon, corners of shape ``(k, 3)`` [m]."""
    return Lines(ends=close_ring(corners), colors=np.repeat(color[None], len(corners), axis=0), width=width, anchor=anchor)


def make_area(corners: np.ndarray, color: np.ndarray, anchor: Anchor = Anchor.WORLD, middle: np.ndarray | None = None) -> Fill:
    """Return the inside of a convex polygon, corners of shape ``(k, 3)``, k >= 3 [m].

    Args:
        corners: The polygon's.
        color: Shape ``(4,)``.
        anchor: What it moves with.
        middle: Middle of the plate that it lies on, shape ``(3,)`` [m]; None takes its own.
    """
    triangles = np.empty((len(corners) - 2, 3, 3), dtype=np.float32)
    triangles[:, 0] = corners[0]
    triangles[:, 1] = corners[1:-1]
    triangles[:, 2] = corners[2:]
    middles = np.empty((len(triangles), 3), dtype=np.float32)
    middles[:] = corners.sum(axis=0) / len(corners) if middle is None else middle
    return Fill(triangles=triangles, colors=np.repeat(color[None], len(triangles), axis=0), anchor=anchor, middles=middles)


def lay_flat(polygon: np.ndarray, height: float) -> np.ndarray:
    """Return a polygon seen from above, shape ``(k, 2)``, at a height, as ``(k, 3)``."""
    corners = np.empty((len(polygon), 3))
    corners[:, :2] = polygon
    corners[:, 2] = height
    return corners


def lay_on(pose: np.ndarray, polygon: np.ndarray, lift: float = 0.0) -> np.ndarray:
    """Return a polygon in a pose's x and y, shape ``(k, 2)``, lifted along its z, in the pose's parent frame, ``(k, 3)``."""
    return polygon @ pose[:3, :2].T + (pose[:3, 3] + lift * pose[:3, 2])


def write(
    text: str,
    position: np.ndarray | tuple[float, float, float],
    *,
    height: float = WORLD_TEXT,
    color: np.ndarray | None = None,
    plate: np.ndarray | None = None,
    anchor: Anchor = Anchor.WORLD,
    rotation: np.ndarray | None = None,
) -> Label:
    """Return a text, white on a dark plate unless told otherwise (see ``Label``)."""
    return Label(
        text=text,
        position=np.asarray(position, dtype=np.float32),
        height=height,
        color=to_linear(WHITE) if color is None else color,
        background=to_linear(PLATE, PLATE_ALPHA) if plate is None else plate,
        anchor=anchor,
        rotation=rotation,
    )
