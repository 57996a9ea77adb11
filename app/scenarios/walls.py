"""A robot in front of a wall: where it stands, and how its hand gets there."""

from __future__ import annotations

import numpy as np

from handhold.app.scenarios.far_reach import compute_reach_ahead
from handhold.app.scenarios.needs import choose_hand
from handhold.app.scenarios.phrases import carry, compute_turn_to_face, load
from handhold.app.scenarios.score import Side, Step
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World, load_world

WALL = "wall in front"
"""Name of the wall in the worlds that have one, across the x axis."""

SHARE = 0.5
"""How far the wall is from the hand, as a part of how far the hand can go ahead [-]."""

CLEARANCE = 0.03
"""Distance from the wall at which the operator leaves the rest to the contact button [m]."""


INSIDE = 0.1
"""How far inside the wall's right edge the hand must be [m]."""


def find_wall(world: World) -> float:
    """Return where the wall's face is along x [m]."""
    wall = next(solid for solid in world.solids if solid.name == WALL)
    return wall.position[0] - wall.half_size[0]


def find_right_edge(world: World) -> float:
    """Return where the wall ends at the right, along y [m]."""
    wall = next(solid for solid in world.solids if solid.name == WALL)
    return wall.position[1] - wall.half_size[1]


def stand_before_wall(world: str, model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    """Place a robot so that its hand has a part of its reach to go to the wall, and the wall in front of it."""
    _, effector = choose_hand(model)
    about = load_world(world)
    hand = effector_poses[effector, :3, 3]
    gap = SHARE * compute_reach_ahead(model, effector, hand)
    ahead = find_wall(about) - gap - model.effectors[effector].radius - float(hand[0])
    return ahead, max(0.0, find_right_edge(about) + INSIDE - float(hand[1]))


def brace(model: RobotModel, effector_poses: np.ndarray, side: Side, effector: int, world: str) -> tuple[Step, ...]:
    """Bring a hand to the wall, turned to face it, and load it."""
    pose = effector_poses[effector]
    way = find_wall(load_world(world)) - model.effectors[effector].radius - float(pose[0, 3]) - CLEARANCE
    turn = compute_turn_to_face(pose, (-1.0, 0.0, 0.0))
    return *carry(side, (way, 0.0, 0.0), turn=turn), *load(side)
