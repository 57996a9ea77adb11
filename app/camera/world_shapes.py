"""A simulated world as a camera could see it: the floor and all solids, those that can be moved too."""

from __future__ import annotations

import numpy as np

from handhold.perception.simulation.triangles import Triangles, make_box, make_capsule, make_cylinder
from handhold.robots.worlds import Solid, World

FLOOR = 15.0
"""Half length of the floor [m]: further than any stereo camera of a robot sees."""

_FLOOR_THICKNESS = 0.1


def make_world_bodies(world: World) -> tuple[tuple[Triangles, ...], np.ndarray]:
    """Make what is seen of a world.

    Args:
        world: The world.

    Returns:
        The floor in world, then the solids in the world's order, each in its own frame; and their colours, red, green, blue
        between 0 and 1, shape ``(1 + solids, 3)``.
    """
    floor = make_box((FLOOR, FLOOR, 0.5 * _FLOOR_THICKNESS))
    lowered = Triangles(floor.corners - [0.0, 0.0, 0.5 * _FLOOR_THICKNESS], floor.faces)
    colors = np.array([world.floor.colour, *(solid.colour for solid in world.solids)])
    return (lowered, *(_make_body(solid) for solid in world.solids)), colors


def _make_body(solid: Solid) -> Triangles:
    if solid.shape == "box":
        x, y, z = solid.half_size
        return make_box((x, y, z))
    if solid.shape == "cylinder":
        return make_cylinder(*solid.half_size)
    return make_capsule(solid.half_size[0], 0.0)
