"""A robot as the physics engines build it: one rigid link a joint, with the shapes it touches the world with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import coal
import numpy as np
import pinocchio as pin

from handhold.robots.description import Effector
from handhold.robots.errors import FrameNotFound, TimeStepMismatch
from handhold.robots.model import RobotModel
from handhold.robots.simulation.mechanics import AS_MODELLED, Mechanics, load_inertia

SOLE_THICKNESS = 0.02
# A link's mesh becomes the hull of its furthest points along this many directions. Of a hull with all of its (up to
# 9,500) vertices the engines would search each one at every contact.
_HULL_DIRECTIONS = 64


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Shape:
    """A collision shape fixed to a link.

    Attributes:
        kind: ``"box"``, ``"sphere"``, ``"cylinder"``, ``"capsule"`` (both along z) or ``"hull"``.
        size: Half lengths of a box, radius of a sphere, radius and half length of a cylinder or capsule [m]; none for a hull.
        vertices: Vertices of a hull in the shape's frame, shape ``(k, 3)`` [m]; none for the others.
        placement: The shape's frame in the link's.
        effector: Index of the effector whose contact it carries, or -1.
    """

    kind: Literal["box", "sphere", "cylinder", "capsule", "hull"]
    size: tuple[float, ...] = ()
    vertices: np.ndarray | None = None
    placement: pin.SE3
    effector: int = -1

    def move(self, transform: pin.SE3) -> Shape:
        """Return the shape in other axes of its link's."""
        return replace(self, placement=transform * self.placement)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Link:
    """A rigid link and the joint that carries it; link 0 is the floating base.

    Attributes:
        name: Name of the joint.
        parent: Index of the parent link, -1 for the base.
        placement: The link's frame in its parent's with the joint at zero.
        axis: Axis of the joint in the link's frame, unit, shape ``(3,)``; zero for the base.
        slides: The joint is prismatic.
        lower: Lower limit of the joint [rad or m].
        upper: Upper limit of the joint [rad or m].
        mass: Mass, those of fixed and locked links included [kg].
        inertia: Frame of the principal axes at the centre of mass, in the link's frame.
        principal_inertia: Moments of inertia about those axes, shape ``(3,)`` [kg m^2].
        friction: Coulomb friction of the joint [Nm, prismatic: N].
        rotor_inertia: Inertia of the joint's rotor, seen at the joint [kg m^2].
        shapes: What it touches the world with.
    """

    name: str
    parent: int
    placement: pin.SE3
    axis: np.ndarray
    slides: bool
    lower: float
    upper: float
    mass: float
    inertia: pin.SE3
    principal_inertia: np.ndarray
    friction: float
    rotor_inertia: float
    shapes: tuple[Shape, ...]

    def without(self, mass: float, position: np.ndarray) -> Link:
        """Return the link without a point mass [kg] at a position in its frame, shape ``(3,)`` [m]."""
        left = self._make_inertia() - pin.Inertia(mass, position, np.zeros((3, 3)))
        return self._with_inertia(left)

    def holding(self, shape: Shape, inertia: pin.Inertia) -> Link:
        """Return the link with something rigidly fixed to it, whose shape and inertia are in its frame."""
        held = replace(self, shapes=(*self.shapes, shape))
        return held._with_inertia(self._make_inertia() + inertia)

    def _make_inertia(self) -> pin.Inertia:
        """Return the inertia in the link's frame."""
        rotation = self.inertia.rotation
        return pin.Inertia(self.mass, self.inertia.translation, rotation @ np.diag(self.principal_inertia) @ rotation.T)

    def _with_inertia(self, inertia: pin.Inertia) -> Link:
        moments, axes = _find_principal_axes(inertia)
        return replace(self, mass=float(inertia.mass), inertia=pin.SE3(axes, inertia.lever), principal_inertia=moments)


def build_links(model: RobotModel, mechanics: Mechanics = AS_MODELLED) -> tuple[Link, ...]:
    """Build the links of a robot, in the order of Pinocchio's joints (the base first).

    The soles of plane effectors become boxes whose lower face is the contact rectangle, and hands with a radius spheres. They
    take the place of all that the URDF puts on the same joint: a finger that reaches beyond the sphere would touch first.
    """
    shapes = _collect_shapes(model)
    return tuple(_build_link(model, joint, mechanics, tuple(shapes[joint])) for joint in range(1, model.pinocchio.njoints))


def _build_link(model: RobotModel, joint: int, mechanics: Mechanics, shapes: tuple[Shape, ...]) -> Link:
    robot = model.pinocchio
    inertia = _load_link(model, joint, mechanics)
    moments, axes = _find_principal_axes(inertia)
    base = joint == 1
    linear, angular = (np.zeros(3), np.zeros(3)) if base else _joint_axis(model, joint)
    slides = bool(np.any(linear != 0.0))
    return Link(
        name=robot.names[joint],
        parent=int(robot.parents[joint]) - 1,
        placement=robot.jointPlacements[joint],
        axis=linear if slides else angular,
        slides=slides,
        lower=0.0 if base else float(model.lower[joint - 2]),
        upper=0.0 if base else float(model.upper[joint - 2]),
        mass=float(inertia.mass),
        inertia=pin.SE3(axes, inertia.lever),
        principal_inertia=moments,
        friction=0.0 if base else float(model.friction[joint - 2]) + mechanics.joint_friction,
        rotor_inertia=float(robot.armature[robot.idx_vs[joint]]) + (0.0 if base or slides else mechanics.rotor_inertia),
        shapes=shapes,
    )


def _find_principal_axes(inertia: pin.Inertia) -> tuple[np.ndarray, np.ndarray]:
    """Return the moments of inertia about the principal axes, shape ``(3,)``, and these as columns, shape ``(3, 3)``."""
    moments, axes = np.linalg.eigh(inertia.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return moments, axes


def _load_link(model: RobotModel, joint: int, mechanics: Mechanics) -> pin.Inertia:
    ratio = 1.0 if mechanics.mass_ratios is None else float(mechanics.mass_ratios[joint - 1])
    payloads = [
        (mass, model.effector_placements[effector][:3, 3])
        for effector, mass in mechanics.payload
        if model.effector_joints[effector] == joint
    ]
    return load_inertia(model.pinocchio.inertias[joint], ratio, payloads)


def _joint_axis(model: RobotModel, joint: int) -> tuple[np.ndarray, np.ndarray]:
    kind = model.pinocchio.joints[joint]
    data = kind.createData()
    kind.calc(data, np.zeros(1))
    subspace = np.asarray(data.S).ravel()
    return subspace[:3], subspace[3:]


def _collect_shapes(model: RobotModel) -> list[list[Shape]]:
    shapes: list[list[Shape]] = [[] for _ in range(model.pinocchio.njoints)]
    for index, effector in enumerate(model.effectors):
        shape = _contact_shape(index, effector, pin.SE3(model.effector_placements[index]))
        if shape is not None:
            shapes[model.effector_joints[index]].append(shape)
    taken = {joint for joint, of_joint in enumerate(shapes) if of_joint}
    for geometry in model.collisions.geometryObjects:
        if geometry.parentJoint > 0 and geometry.parentJoint not in taken:
            shapes[geometry.parentJoint].append(convert_shape(geometry))
    return shapes


def _contact_shape(index: int, effector: Effector, placement: pin.SE3) -> Shape | None:
    if effector.half_lengths is not None:
        raised = placement * pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.5 * SOLE_THICKNESS]))
        return Shape(kind="box", size=(*effector.half_lengths, 0.5 * SOLE_THICKNESS), placement=raised, effector=index)
    if effector.radius > 0.0:
        return Shape(kind="sphere", size=(effector.radius,), placement=placement, effector=index)
    return None


def convert_shape(geometry: pin.GeometryObject) -> Shape:
    """Return a shape of the URDF, in the link that carries it."""
    shape, placement = geometry.geometry, geometry.placement
    if isinstance(shape, coal.Box):
        return Shape(kind="box", size=tuple(shape.halfSide.tolist()), placement=placement)
    if isinstance(shape, coal.Sphere):
        return Shape(kind="sphere", size=(shape.radius,), placement=placement)
    if isinstance(shape, coal.Cylinder):
        return Shape(kind="cylinder", size=(shape.radius, shape.halfLength), placement=placement)
    if isinstance(shape, coal.Capsule):
        return Shape(kind="capsule", size=(shape.radius, shape.halfLength), placement=placement)
    vertices = shape.vertices() if isinstance(shape, coal.BVHModelBase) else shape.points()
    return Shape(kind="hull", vertices=_furthest_points(np.asarray(vertices)), placement=placement)


def _furthest_points(vertices: np.ndarray) -> np.ndarray:
    """Return the vertices that are furthest along directions spread evenly over the sphere (a Fibonacci spiral)."""
    k = np.arange(_HULL_DIRECTIONS) + 0.5
    z = 1.0 - 2.0 * k / _HULL_DIRECTIONS
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    radius = np.sqrt(1.0 - z * z)
    directions = np.stack([radius * np.cos(turn), radius * np.sin(turn), z])
    return vertices[np.unique(np.argmax(vertices @ directions, axis=0))]


def find_link(model: RobotModel, frame: str) -> tuple[int, pin.SE3]:
    """Return the index of the link that carries a frame of the URDF, and the frame's placement in that link.

    Raises:
        FrameNotFound: The URDF has no such frame.
    """
    robot = model.pinocchio
    if not robot.existFrame(frame):
        raise FrameNotFound(frame, tuple(f.name for f in robot.frames))
    found = robot.frames[robot.getFrameId(frame)]
    return max(found.parentJoint - 1, 0), found.placement


def count_steps(dt: float, timestep: float) -> int:
    """Return how many time steps make ``dt`` [s].

    Raises:
        TimeStepMismatch: None, or not a whole number of them.
    """
    steps = round(dt / timestep)
    if steps < 1 or abs(steps * timestep - dt) > 1e-9:
        raise TimeStepMismatch(dt, timestep)
    return steps
