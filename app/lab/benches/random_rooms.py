"""Random rooms: a robot that stands somehow, and walls, tables and boxes about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.random_stances import draw_free_stance
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses
from handhold.robots.worlds import Solid, World

WALLS, TABLES, BOXES = (1, 3), (0, 2), (1, 4)
"""How many there are, at least and at most."""

ROOM = 0.06
"""Distance that all keep from the robot's bodies [m]; what finds no place is left out."""

AROUND = 2.2
"""How far from straight ahead they stand at most, to either side [rad]."""

PITCH = 0.5
"""Largest pitch of a wall [rad]; every second one is upright."""

_ALONG = np.linspace(0.0, 1.0, 9)
_ATTEMPTS = 50


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RandomRoom:
    """A robot in a room.

    Attributes:
        seiko: Its reference, at rest on its feet.
        world: What is about it.
    """

    seiko: Seiko
    world: World


def draw_room(model: RobotModel, random: np.random.Generator) -> RandomRoom:
    """Draw a stance, and solids about it that do not touch it."""
    seiko = draw_free_stance(model, random)
    middle, balls = seiko.q[:2].copy(), list_balls(model, seiko)
    solids: list[Solid] = []
    for name, draw, (least, most) in (("wall", _draw_wall, WALLS), ("table", _draw_table, TABLES), ("box", _draw_box, BOXES)):
        for number in range(random.integers(least, most + 1)):
            solid = _draw_clear(draw, f"{name} {number}", middle, random, balls)
            solids += [] if solid is None else [solid]
    return RandomRoom(seiko=seiko, world=World(title="A room at random", solids=tuple(solids), source="drawn at random"))


def list_balls(model: RobotModel, seiko: Seiko) -> np.ndarray:
    """List balls that fill the robot's bodies and effectors, middle and radius in world, shape ``(balls, 4)`` [m]."""
    poses = view_joint_poses(seiko.kinematics.data, model.pinocchio.njoints)
    found = [[*pose[:3, 3], about.radius] for pose, about in zip(seiko.kinematics.poses, model.effectors, strict=True)]
    for body in model.bodies:
        pose = poses[body.joint]
        ends = body.capsule.ends @ pose[:3] + pose[3]
        found += [[*(ends[0] + ratio * (ends[1] - ends[0])), body.capsule.radius] for ratio in _ALONG]
    return np.array(found)


def measure_room(solid: Solid, balls: np.ndarray) -> float:
    """Measure the distance of a box from balls, shape ``(balls, 4)`` [m]; not positive where one touches it."""
    pose = solid.to_se3()
    local = np.abs((balls[:, :3] - pose.translation) @ pose.rotation)
    beyond = np.maximum(local - np.array(solid.half_size), 0.0)
    return float((np.linalg.norm(beyond, axis=1) - balls[:, 3]).min())


def _draw_clear(
    draw: Callable[[str, np.ndarray, np.random.Generator], Solid],
    name: str,
    middle: np.ndarray,
    random: np.random.Generator,
    balls: np.ndarray,
) -> Solid | None:
    for _ in range(_ATTEMPTS):
        solid = draw(name, middle, random)
        if measure_room(solid, balls) > ROOM:
            return solid
    return None


def _draw_wall(name: str, middle: np.ndarray, random: np.random.Generator) -> Solid:
    azimuth, distance = AROUND * random.uniform(-1.0, 1.0), random.uniform(0.4, 1.0)
    height, thickness = random.uniform(0.8, 2.2), 0.1
    pitch = 0.0 if random.random() < 0.5 else PITCH * random.uniform(-1.0, 1.0)
    rotation = pin.rpy.rpyToMatrix(0.0, pitch, azimuth)
    position = np.append(middle, 0.5 * height) + (distance + 0.5 * thickness) * rotation[:, 0]
    return _make_box(name, (thickness, random.uniform(0.6, 2.5), height), position, rotation)


def _draw_table(name: str, middle: np.ndarray, random: np.random.Generator) -> Solid:
    azimuth, distance = AROUND * random.uniform(-1.0, 1.0), random.uniform(0.4, 1.0)
    size = (random.uniform(0.3, 0.8), random.uniform(0.3, 1.2), random.uniform(0.03, 0.08))
    rotation = pin.rpy.rpyToMatrix(0.0, 0.0, azimuth + random.uniform(-0.5, 0.5))
    return _make_box(name, size, _place(middle, azimuth, distance, random.uniform(0.5, 1.15)), rotation)


def _draw_box(name: str, middle: np.ndarray, random: np.random.Generator) -> Solid:
    azimuth, distance = AROUND * random.uniform(-1.0, 1.0), random.uniform(0.3, 1.0)
    rotation = pin.rpy.rpyToMatrix(*random.uniform(-0.4, 0.4, 2), random.uniform(-math.pi, math.pi))
    size = tuple(random.uniform(0.12, 0.6, 3).tolist())
    return _make_box(name, size, _place(middle, azimuth, distance, random.uniform(0.2, 1.7)), rotation)


def _place(middle: np.ndarray, azimuth: float, distance: float, height: float) -> np.ndarray:
    return np.append(middle + distance * np.array([math.cos(azimuth), math.sin(azimuth)]), height)


def _make_box(name: str, size: tuple[float, ...], middle: np.ndarray, rotation: np.ndarray) -> Solid:
    x, y, z = middle.tolist()
    return Solid(name=name, size=size, position=(x, y, z), rpy=tuple(pin.rpy.matrixToRpy(rotation).tolist()))
