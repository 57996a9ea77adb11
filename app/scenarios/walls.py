"""A robot in front of a wall: where it stands, and how its hand gets there."""

from __future__ import annotations

import numpy as np

from handhold.app.scenarios.far_reach import compute_reach_ahead
from handhold.app.scenarios.needs import choose_hand
from handhold.app.scenarios.phrases import SETTLING, carry, compute_turn_to_face, load
from handhold.app.scenarios.score import Beat, Hands, Side, Step, move, release, squeeze, wait
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, World, load_world

WALL = "wall in front"
"""Name of the wall in the worlds that have one, across the x axis."""

SHARE = 0.5
"""How far the wall is from the hand, as a part of how far the hand can go ahead [-]."""

TOE_ROOM = 0.04
"""Least distance of the wall from the soles [m]."""

OVER = 0.15
"""How far the wall's top is above the hand at least [m]: a tall robot's hand would go over the wall of breast height."""

CLEARANCE = 0.03
"""Distance from the wall at which the operator leaves the rest to the contact button [m]."""

SPEED = 0.1
"""Speed at which a hand is brought to the wall [m/s]."""

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
    ahead = min(ahead, find_wall(about) - TOE_ROOM - _find_toes(model, effector_poses))
    return ahead, max(0.0, find_right_edge(about) + INSIDE - float(hand[1]))


def raise_wall(world: World, model: RobotModel, effector_poses: np.ndarray) -> World:
    """Make the wall so high that the hand meets it."""
    _, effector = choose_hand(model)
    top = float(effector_poses[effector, 2, 3]) + OVER
    return world.model_copy(update={"solids": tuple(_raise(s, top) if s.name == WALL else s for s in world.solids)})


def _raise(solid: Solid, top: float) -> Solid:
    width, length, height = solid.size
    x, y, z = solid.position
    missing = top - (z + 0.5 * height)
    if missing <= 0.0:
        return solid
    return solid.model_copy(update={"size": (width, length, height + missing), "position": (x, y, z + 0.5 * missing)})


def _find_toes(model: RobotModel, effector_poses: np.ndarray) -> float:
    """Return how far ahead what the robot stands on reaches, along x [m]."""
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    return max(float(effector_poses[i, 0, 3]) + (model.effectors[i].half_lengths or (0.0,))[0] for i in standing)


def brace_where_it_stands(model: RobotModel, side: Side, effector: int, world: str) -> tuple[Step, ...]:
    """Bring a hand to the wall from wherever the operator sees it, turned to face it, and load it."""
    face = find_wall(load_world(world)) - model.effectors[effector].radius - CLEARANCE
    begun_at, moving = -1.0, wait(0.0)

    def approach(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        nonlocal begun_at, moving
        if snapshot is None:
            return Beat(hands, False)
        if begun != begun_at:
            pose = snapshot.reference.effector_poses[effector]
            way = (face - float(pose[0, 3]), 0.0, 0.0)
            begun_at, moving = begun, move(side, way, SPEED, compute_turn_to_face(pose, (-1.0, 0.0, 0.0)))
        return moving(hands, begun, now, snapshot)

    return squeeze(side), approach, wait(SETTLING), release(side), wait(SETTLING), *load(side)


def brace(model: RobotModel, effector_poses: np.ndarray, side: Side, effector: int, world: str) -> tuple[Step, ...]:
    """Bring a hand to the wall, turned to face it, and load it."""
    pose = effector_poses[effector]
    way = find_wall(load_world(world)) - model.effectors[effector].radius - float(pose[0, 3]) - CLEARANCE
    turn = compute_turn_to_face(pose, (-1.0, 0.0, 0.0))
    return *carry(side, (way, 0.0, 0.0), turn=turn), *load(side)
