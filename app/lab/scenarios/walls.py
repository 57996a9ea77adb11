"""A robot in front of a wall: where it stands, and how its hand gets there."""

from __future__ import annotations

import numpy as np

from handhold.app.host.starting_place import find_approach_distance, find_near_face
from handhold.app.lab.scenarios.phrases import DWELL_TIME, compute_turn_to_face, drag_hand, load
from handhold.app.lab.scenarios.score import Beat, Hands, Step, move, release, squeeze, wait
from handhold.app.limbs import Side, choose_hand
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, World, load_world

WALL = "wall in front"
"""Name of the wall in the worlds that have one, across the x axis."""

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
    return find_near_face(_get_wall(world))


def find_right_edge(world: World) -> float:
    """Return where the wall ends at the right, along y [m]."""
    wall = _get_wall(world)
    return wall.position[1] - wall.half_size[1]


def _get_wall(world: World) -> Solid:
    return next(solid for solid in world.solids if solid.name == WALL)


def find_offset_before_wall(world: str, model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    """Find the displacement of a robot whose hand then has a part of its reach to go to the wall, which is in front of it."""
    _, effector = choose_hand(model)
    about = load_world(world)
    _, effector = choose_hand(model)
    left = find_right_edge(about) + INSIDE - float(effector_poses[effector, 1, 3])
    return find_approach_distance(_get_wall(about), model, effector_poses), max(0.0, left)


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


def brace_in_place(model: RobotModel, side: Side, effector: int, world: str) -> tuple[Step, ...]:
    """Bring a hand to the wall from wherever the operator sees it, turned to face it, and load it."""
    face = find_wall(load_world(world)) - model.effectors[effector].radius - CLEARANCE
    begun_at, moving = -1.0, wait(0.0)

    def approach(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        nonlocal begun_at, moving
        if snapshot is None:
            return Beat(hands, False)
        if begun != begun_at:
            pose = snapshot.reference.effector_poses[effector]
            displacement = (face - float(pose[0, 3]), 0.0, 0.0)
            begun_at, moving = begun, move(side, displacement, SPEED, compute_turn_to_face(pose, (-1.0, 0.0, 0.0)))
        return moving(hands, begun, now, snapshot)

    return squeeze(side), approach, wait(DWELL_TIME), release(side), wait(DWELL_TIME), *load(side)


def brace(model: RobotModel, effector_poses: np.ndarray, side: Side, effector: int, world: str) -> tuple[Step, ...]:
    """Bring a hand to the wall, turned to face it, and load it."""
    pose = effector_poses[effector]
    displacement = find_wall(load_world(world)) - model.effectors[effector].radius - float(pose[0, 3]) - CLEARANCE
    turn = compute_turn_to_face(pose, (-1.0, 0.0, 0.0))
    return *drag_hand(side, (displacement, 0.0, 0.0), turn=turn), *load(side)
