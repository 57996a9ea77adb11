"""The floor and what stands on it."""

from __future__ import annotations

import numpy as np

from handhold.render.elements.element import Element
from handhold.render.palette import decode_srgb
from handhold.render.scene import Lines, Shape, Solids
from handhold.robots.worlds import Solid, World

FLOOR_REACH = 4.0
"""Half the side of the floor's grid [m]."""

CELL = 0.5
"""Distance of its lines [m]."""

FLOOR_HEIGHT = -0.002
"""Height of the grid [m]: marks on the floor cover it."""

NEAR_LINE = np.array([0.16, 0.18, 0.2, 0.85], dtype=np.float32)

_SHAPES = {"box": Shape.BOX, "sphere": Shape.SPHERE, "cylinder": Shape.CYLINDER}


def draw_surroundings(world: World | None) -> tuple[Element, ...]:
    """Return the floor and the solids of a world; without one only the floor."""
    return (draw_floor(), *(_draw_solid(solid) for solid in world.solids if world)) if world else (draw_floor(),)


def draw_floor() -> Lines:
    """Return the grid of the floor; it fades with the distance from the middle, so that it has no edge."""
    ticks = np.arange(-FLOOR_REACH, FLOOR_REACH + 1e-9, CELL)
    starts = ticks[:-1]
    along_x = [((a, b, FLOOR_HEIGHT), (a + CELL, b, FLOOR_HEIGHT)) for b in ticks for a in starts]
    along_y = [((b, a, FLOOR_HEIGHT), (b, a + CELL, FLOOR_HEIGHT)) for b in ticks for a in starts]
    ends = np.array(along_x + along_y, dtype=np.float32)
    distances = np.linalg.norm(ends[:, :, :2].mean(axis=1), axis=1)
    colors = np.tile(NEAR_LINE, (len(ends), 1))
    colors[:, 3] *= np.clip(1.0 - distances / FLOOR_REACH, 0.0, 1.0)
    shown = colors[:, 3] > 0.02
    return Lines(ends=ends[shown], colors=colors[shown], width=0.006)


def _draw_solid(solid: Solid) -> Solids:
    transform = solid.to_se3().homogeneous
    if solid.shape == "box":
        size = np.array(solid.size)
    elif solid.shape == "sphere":
        size = np.full(3, 2.0 * solid.size[0])
    else:
        size = np.array([2.0 * solid.size[0], 2.0 * solid.size[0], solid.size[1]])
    transform[:3, :3] *= size
    transforms = transform[None].astype(np.float32)
    color = np.append(decode_srgb(np.array(solid.colour)), 1.0).astype(np.float32)
    return Solids(shape=_SHAPES[solid.shape], transforms=transforms, colors=color[None])
