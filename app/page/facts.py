"""What the page says of a session before it has heard of the robot."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from handhold.app.link.seal import derive
from handhold.app.page.document import PageFacts
from handhold.app.session.config import SessionConfig
from handhold.robots.description import installed_robots, load_description
from handhold.robots.worlds import Solid, World, known_worlds, load_world

HEIGHTS = (0.6, 1.4)
"""Heights between which a hand leans on something [m]: lower solids are for feet, higher ones over the head."""
MIN_WIDTH = 0.25
"""Second largest size from which on a box is something to lean on [m]: posts are too narrow for a hand to be sent to."""
REACH = 1.5
"""Distance from the robot's start within which something is there to lean on [m]: a step and an arm."""


COUNT = 9
"""Number of heights at which the distance is measured."""


def gather_facts(config: SessionConfig) -> PageFacts:
    """Return what the page of a session says.

    Raises:
        RobotError: Robot or world is unknown.
    """
    return PageFacts(
        robot=config.robot,
        title=load_description(config.robot).title,
        world=config.world,
        session=derive(config.link_key, f"session {config.link_port} {config.robot} {config.world}").hex()[:16],
        robots=_list_robots(),
        worlds=_list_worlds(),
        surface=name_surface(load_world(config.world)),
    )


def name_surface(world: World) -> str:
    """Return what a hand may lean on: the name of the box that is nearest to where the robot starts, or ``""``."""
    near = [(_measure_distance(solid), solid.name) for solid in world.solids if _is_to_lean_on(solid)]
    distance, name = min(near, default=(math.inf, ""))
    return name if distance <= REACH else ""


def _is_to_lean_on(solid: Solid) -> bool:
    if solid.shape != "box" or solid.mass is not None or sorted(solid.size)[1] < MIN_WIDTH:
        return False
    low, high = HEIGHTS
    return solid.position[2] + solid.half_size[2] >= low and solid.position[2] - solid.half_size[2] <= high


def _measure_distance(solid: Solid) -> float:
    """Return how far a box is from the vertical at the robot's start, at heights of hands [m]."""
    points = np.column_stack([np.zeros((COUNT, 2)), np.linspace(*HEIGHTS, COUNT)])
    own = (points - solid.position) @ solid.to_se3().rotation
    return float(np.linalg.norm(np.maximum(np.abs(own) - solid.half_size, 0.0), axis=1).min())


@cache
def _list_robots() -> tuple[tuple[str, str], ...]:
    return tuple((name, load_description(name).title) for name in installed_robots())


@cache
def _list_worlds() -> tuple[tuple[str, str], ...]:
    return tuple((name, load_world(name).title) for name in known_worlds())
