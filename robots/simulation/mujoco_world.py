"""What a world is in MuJoCo, and with what a robot that is in it touches it."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from handhold.robots.model import GRAVITY
from handhold.robots.worlds import Solid, World, list_parts

# Time constant [s] and damping ratio of a contact: MuJoCo's default of 0.02 s lets a standing Talos sink by 1.5 mm.
CONTACT_SOLREF = (0.005, 1.0)
# Friction this many times as stiff as the normal direction, at no cost: with 1 a Talos pushed by 40 N creeps 0.4 mm/s.
_FRICTION_STIFFNESS = 100.0
# Contact bits: the robot touches what is fixed and what can be moved, never itself; fingers that are a tip only the latter.
ROBOT, MOVABLE, CLOSED_FINGER = 1, 2, 4
GEOM_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}
FLOOR, SOLID = "floor", "solid "
"""Names of the floor's shape, and of solids' bodies and shapes, each with its number."""

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def set_physics(spec: mujoco.MjSpec, timestep: float) -> None:
    """Set the physics' step [s], gravity and friction."""
    spec.option.timestep = timestep
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = _FRICTION_STIFFNESS


def add_world(spec: mujoco.MjSpec, world: World) -> None:
    """Add a world's floor (``FLOOR``) and solids (bodies named ``SOLID`` and their number)."""
    floor = mujoco.mjtGeom.mjGEOM_PLANE
    _add_to_world(spec.worldbody, FLOOR, floor, (0.0, 0.0, 1.0), world.floor.friction, fixed=True)
    for index, solid in enumerate(world.solids):
        if not solid.part_of:
            body = _add_solid(spec, spec.worldbody, f"{SOLID}{index}", solid, solid.to_se3())
            for part in list_parts(world, index)[1:]:
                added = world.solids[part].model_copy(update={"friction": solid.friction})
                _add_solid(spec, body, f"{SOLID}{part}", added, solid.to_se3().actInv(added.to_se3()))


def _add_solid(spec: mujoco.MjSpec, parent: mujoco.MjsBody, name: str, solid: Solid, pose: pin.SE3) -> mujoco.MjsBody:
    body = parent.add_body(name=name, pos=pose.translation, quat=to_wxyz(pose.rotation))
    fixed = solid.mass is None
    geom = _add_to_world(body, name, GEOM_TYPES[solid.shape], solid.half_size, solid.friction, fixed=fixed)
    if fixed and solid.shape == "box":
        # Of two boxes whose faces lie on each other MuJoCo now and then takes two edges for what touches: a sole on a block
        # lost three of its four corners for single steps (4 % of them, measured). Convex meshes keep all four.
        geom.type, geom.meshname = GEOM_TYPES["hull"], name
        spec.add_mesh(name=name, uservert=(_CORNERS * solid.half_size).ravel())
    if solid.mass is not None:
        geom.mass = solid.mass
        if not solid.part_of:
            body.add_freejoint()
    return body


def _add_to_world(
    body: mujoco.MjsBody, name: str, kind: int, size: tuple[float, ...], friction: float, *, fixed: bool
) -> mujoco.MjsGeom:
    return body.add_geom(
        name=name,
        type=kind,
        size=pad(size),
        contype=0 if fixed else MOVABLE,
        conaffinity=ROBOT | MOVABLE | (0 if fixed else CLOSED_FINGER),
        # What is fixed decides the friction of what lies on it.
        priority=1 if fixed else 0,
        friction=[friction, 0.0, 0.0],
        solref=CONTACT_SOLREF,
    )


def pad(size: tuple[float, ...]) -> list[float]:
    """Return sizes as MuJoCo takes them, three of them."""
    return [*size, 0.0, 0.0, 0.0][:3]


def to_wxyz(rotation: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation in MuJoCo's order, shape ``(4,)``."""
    x, y, z, w = pin.Quaternion(rotation).coeffs()
    return np.array([w, x, y, z])
