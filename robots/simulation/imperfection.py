"""How far simulated robots are from ideal ones, by level: what of it is drawn at random, and what every robot has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handhold.robots.model import RobotModel
from handhold.robots.simulation.mechanics import Mechanics
from handhold.robots.worlds import Solid, World

WALL_HEIGHT = 0.5
"""Height from which on something fixed is a wall, which is not quite where it is thought to be [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imperfection:
    """What is not ideal about a robot and about what is known of its surroundings.

    Attributes:
        mass_error: Largest error of a link's mass, as a part of it [-].
        joint_friction: Coulomb friction of every joint [Nm].
        rotor_inertia: Inertia of every joint's rotor, seen at the joint [kg m^2].
        torque_bandwidth: Bandwidth of the drives' torques, which follow to first order [Hz].
        delay: Time from when a command is computed to when the drives have it [s].
        velocity_bandwidth: Bandwidth of the measured joint velocities [Hz].
        base_velocity_noise: Standard deviation of every component of the base's measured linear velocity [m/s].
        pitch_error: Error of the base's measured pitch, in either direction [rad].
        force_noise: Standard deviation of every component of measured contact forces [N].
        wall_displacement: How far walls are from where they are thought to be, in either direction of their first axis [m].
        wall_turn: How far they are turned about the vertical, in either direction [rad].
    """

    mass_error: float
    joint_friction: float
    rotor_inertia: float
    torque_bandwidth: float
    delay: float
    velocity_bandwidth: float
    base_velocity_noise: float
    pitch_error: float
    force_noise: float
    wall_displacement: float = 0.02
    wall_turn: float = math.radians(5.0)


LEVELS: Mapping[int, Imperfection] = {
    2: Imperfection(
        mass_error=0.05,
        joint_friction=2.0,
        rotor_inertia=0.1,
        torque_bandwidth=40.0,
        delay=2e-3,
        velocity_bandwidth=60.0,
        base_velocity_noise=0.01,
        pitch_error=math.radians(0.5),
        force_noise=5.0,
    ),
    3: Imperfection(
        mass_error=0.1,
        joint_friction=4.0,
        rotor_inertia=0.2,
        torque_bandwidth=30.0,
        delay=3e-3,
        velocity_bandwidth=40.0,
        base_velocity_noise=0.02,
        pitch_error=math.radians(1.0),
        force_noise=10.0,
    ),
}
"""What every robot has to cope with at a level; level 0 is the ideal one."""


def draw_mechanics(model: RobotModel, imperfection: Imperfection, random: np.random.Generator) -> Mechanics:
    """Draw a body: every link's mass is off by a part of its own."""
    errors = random.uniform(-imperfection.mass_error, imperfection.mass_error, model.pinocchio.njoints - 1)
    return Mechanics(
        mass_ratios=1.0 + errors,
        joint_friction=imperfection.joint_friction,
        rotor_inertia=imperfection.rotor_inertia,
    )


def displace_walls(world: World, imperfection: Imperfection, random: np.random.Generator) -> World:
    """Displace and turn the walls of a world, in random directions; what a robot stands on and what can be moved stays."""
    return world.model_copy(update={"solids": tuple(_displace(solid, imperfection, random) for solid in world.solids)})


def find_true_normals(normals: np.ndarray, positions: np.ndarray, known: World, real: World) -> np.ndarray:
    """Return the outward normals of surfaces as they are, of those that are thought to be known, shape ``(k, 3)``.

    Args:
        normals: Normals of the known surfaces, unit, shape ``(k, 3)``.
        positions: Where they are touched, shape ``(k, 3)`` [m].
        known: World as it is thought to be.
        real: The same with displaced walls.
    """
    true = normals.copy()
    # What else there is, a canister that is to be grasped, has no faces to lean on.
    boxes = [(a, b) for a, b in zip(known.solids, real.solids, strict=True) if b.shape == "box"]
    if not boxes:
        return true
    turned = [(a.to_se3(), b.to_se3()) for a, b in boxes]
    halves = [np.array(box.half_size) for _, box in boxes]
    for k in np.flatnonzero(np.abs(normals[:, 2]) < 0.5):
        outside = [
            float(np.linalg.norm(np.maximum(np.abs(after.actInv(positions[k])) - half, 0.0)))
            for (_, after), half in zip(turned, halves, strict=True)
        ]
        # That of a solid that did not move, if it is the nearest, is as it was.
        before, after = turned[int(np.argmin(outside))]
        true[k] = after.rotation @ before.rotation.T @ normals[k]
    return true


def _displace(solid: Solid, imperfection: Imperfection, random: np.random.Generator) -> Solid:
    if solid.mass is not None or solid.shape != "box" or solid.position[2] + solid.half_size[2] < WALL_HEIGHT:
        return solid
    ahead, turn = random.choice((-1.0, 1.0), 2) * (imperfection.wall_displacement, imperfection.wall_turn)
    shift = solid.to_se3().rotation[:, 0] * ahead
    position = tuple(float(value) for value in np.array(solid.position) + shift)
    roll, pitch, yaw = solid.rpy
    return solid.model_copy(update={"position": position, "rpy": (roll, pitch, yaw + float(turn))})
