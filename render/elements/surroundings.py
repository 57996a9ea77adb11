"""The floor and what stands on it."""

from __future__ import annotations

import numpy as np

from handhold.render.elements.element import Element
from handhold.render.palette import decode_srgb
from handhold.render.scene import Ground, Shape, Solids
from handhold.robots.worlds import Solid, World

CELL = 0.5
"""Distance of the floor's lines [m]; every fourth is a strong one."""

GRID = 0.25
"""Distance of the lines on solids [m]: a wall of one colour tells no distance."""

FLOOR_HEIGHT = -0.002
"""Height of the floor [m]: marks on it cover it."""

FLOOR = np.array([0.36, 0.385, 0.41, 0.55], dtype=np.float32)
LINE = np.array([0.16, 0.18, 0.2, 0.85], dtype=np.float32)

_SHAPES = {"box": Shape.BOX, "sphere": Shape.SPHERE, "cylinder": Shape.CYLINDER}


def draw_floor() -> Ground:
    """Return the floor, which goes on for ever."""
    return Ground(height=FLOOR_HEIGHT, cell=CELL, color=FLOOR, line_color=LINE)


def draw_solids(world: World | None) -> tuple[tuple[Element, ...], ...]:
    """Return the elements of each solid of a world."""
    return tuple((_draw_solid(solid),) for solid in world.solids) if world else ()


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
    return Solids(shape=_SHAPES[solid.shape], transforms=transforms, colors=color[None], grid=GRID)
