"""A world in Bullet: its floor, and a body for each solid that is no part of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pybullet as bullet

from handhold.robots.worlds import Floor, Solid, World, list_parts

_BASE = -1
"""Bullet's index of a body's base."""

_FLOOR_HALF_SIZE = (50.0, 50.0, 1.0)
"""The floor is a block [m]: Bullet checks an infinite plane against every link (12 % of a step with Talos standing)."""

_TYPES = {"box": bullet.GEOM_BOX, "sphere": bullet.GEOM_SPHERE, "cylinder": bullet.GEOM_CYLINDER}


@dataclass(frozen=True, eq=False, slots=True)
class SolidBody:
    """A solid in the body that it is, or is a part of.

    Attributes:
        body: The body's number.
        placement: Where the solid is from the frame of the body's principal inertia.
    """

    body: int
    placement: pin.SE3

    def measure_pose(self, client: int) -> np.ndarray:
        """Return the solid's present pose in world, shape ``(4, 4)``."""
        position, orientation = bullet.getBasePositionAndOrientation(self.body, physicsClientId=client)
        return np.asarray(pin.XYZQUATToSE3(np.array([*position, *orientation])).act(self.placement).homogeneous)


def add_floor(client: int, floor: Floor) -> int:
    """Add the floor and return its body's number."""
    shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=_FLOOR_HALF_SIZE, physicsClientId=client)
    body: int = bullet.createMultiBody(0.0, shape, basePosition=(0.0, 0.0, -_FLOOR_HALF_SIZE[2]), physicsClientId=client)
    bullet.changeDynamics(body, _BASE, lateralFriction=floor.friction, physicsClientId=client)
    return body


def add_solids(client: int, world: World) -> list[SolidBody]:
    """Add the solids of a world and return them in its order."""
    added: dict[int, SolidBody] = {}
    for index, solid in enumerate(world.solids):
        parts = list_parts(world, index)
        if len(parts) > 1:
            added.update(zip(parts, _add_whole(client, [world.solids[part] for part in parts]), strict=True))
        elif not solid.part_of:
            body = _add_body(client, solid, _create_shape(client, solid), solid.to_se3(), solid.mass or 0.0)
            added[index] = SolidBody(body, pin.SE3.Identity())
    return [added[index] for index in range(len(world.solids))]


def _add_whole(client: int, solids: list[Solid]) -> list[SolidBody]:
    """Add one body of several solids, of which the first decides the friction."""
    inertia = sum((solid.to_se3().act(_compute_inertia(solid)) for solid in solids), pin.Inertia.Zero())
    moments, axes = np.linalg.eigh(inertia.inertia)
    # Bullet takes the axes of a body for those of its inertia.
    frame = pin.SE3(axes * np.linalg.det(axes), inertia.lever)
    placements = [frame.actInv(solid.to_se3()) for solid in solids]
    shape = bullet.createCollisionShapeArray(
        shapeTypes=[_TYPES[solid.shape] for solid in solids],
        halfExtents=[solid.half_size if solid.shape == "box" else (0.0, 0.0, 0.0) for solid in solids],
        radii=[0.0 if solid.shape == "box" else solid.size[0] for solid in solids],
        lengths=[solid.size[1] if solid.shape == "cylinder" else 0.0 for solid in solids],
        collisionFramePositions=[placement.translation for placement in placements],
        collisionFrameOrientations=[pin.Quaternion(placement.rotation).coeffs() for placement in placements],
        physicsClientId=client,
    )
    body = _add_body(client, solids[0], shape, frame, inertia.mass)
    bullet.changeDynamics(body, _BASE, localInertiaDiagonal=moments, physicsClientId=client)
    return [SolidBody(body, placement) for placement in placements]


def _add_body(client: int, solid: Solid, shape: int, pose: pin.SE3, mass: float) -> int:
    body: int = bullet.createMultiBody(
        mass,
        shape,
        basePosition=pose.translation,
        baseOrientation=pin.Quaternion(pose.rotation).coeffs(),
        physicsClientId=client,
    )
    bullet.changeDynamics(
        body, _BASE, lateralFriction=solid.friction, linearDamping=0.0, angularDamping=0.0, physicsClientId=client
    )
    return body


def _compute_inertia(solid: Solid) -> pin.Inertia:
    """Compute the inertia of a movable solid in its own frame."""
    assert solid.mass is not None, "a part has a mass"
    if solid.shape == "box":
        return pin.Inertia.FromBox(solid.mass, *solid.size)
    if solid.shape == "cylinder":
        return pin.Inertia.FromCylinder(solid.mass, *solid.size)
    return pin.Inertia.FromSphere(solid.mass, solid.size[0])


def _create_shape(client: int, solid: Solid) -> int:
    shape: int
    if solid.shape == "box":
        shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=solid.half_size, physicsClientId=client)
    elif solid.shape == "sphere":
        shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=solid.size[0], physicsClientId=client)
    else:
        shape = bullet.createCollisionShape(
            bullet.GEOM_CYLINDER, radius=solid.size[0], height=solid.size[1], physicsClientId=client
        )
    return shape
