"""Bodies that must keep clear of each other, as capsules fixed to the robot's joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.capsules import Capsule, enclose, place_capsule, sample_shape
from handhold.robots.contact_kind import ContactKind
from handhold.robots.description import RobotDescription
from handhold.robots.errors import DescriptionError, FrameNotFound


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyCapsule:
    """A capsule around a part of a body, in the frame of the joint that carries it.

    Attributes:
        body: Name of the body.
        joint: Pinocchio's id of the joint.
        capsule: The capsule, in the joint's frame.
    """

    body: str
    joint: int
    capsule: Capsule


def check_bodies(model: pin.Model, description: RobotDescription) -> None:
    """Check that every body consists of links or effectors of the robot.

    Raises:
        FrameNotFound: One does not.
        DescriptionError: An effector has no sphere.
    """
    effectors = {effector.name: effector for effector in description.effectors}
    links = tuple(frame.name for frame in model.frames if frame.type == pin.FrameType.BODY)
    for body, names in description.self_collision.bodies.items():
        for name in names:
            key = f"self_collision.bodies.{body}"
            if name in effectors:
                if effectors[name].contact is ContactKind.POINT and effectors[name].radius == 0.0:
                    problem = f"the effector '{name}' has no radius"
                    raise DescriptionError(description.source, key, problem, "name its link in its place")
            elif name not in links:
                raise FrameNotFound(name, (*links, *effectors), f"{description.source}: {key}")


def build_bodies(
    model: pin.Model,
    description: RobotDescription,
    collisions: pin.GeometryModel,
    load_visuals: Callable[[], pin.GeometryModel],
) -> tuple[BodyCapsule, ...]:
    """Fit capsules to the bodies of a checked description.

    What one joint carries of a body is one rigid part, and the capsules hold its convex hull.

    Args:
        model: The robot, with its contact frames.
        description: Names the bodies.
        collisions: Collision geometry of the links.
        load_visuals: Called for the visual geometry, where a link has nothing else.

    Raises:
        DescriptionError: A link has no geometry at all.
    """
    capsules: list[BodyCapsule] = []
    for body, names in description.self_collision.bodies.items():
        parts: dict[int, list[np.ndarray]] = {}
        for name in names:
            contact = _find_contact(model, description, name)
            if contact is not None:
                capsules.append(BodyCapsule(body=body, joint=contact[0], capsule=contact[1]))
                continue
            shapes = _find_shapes(model, collisions, name) or _find_shapes(model, load_visuals(), name)
            if not shapes:
                key = f"self_collision.bodies.{body}"
                raise DescriptionError(
                    description.source, key, f"the link '{name}' has no geometry in the URDF", "name its neighbour, or none"
                )
            for joint, points in shapes:
                parts.setdefault(joint, []).append(points)
        for joint, points_of_part in parts.items():
            fitted = enclose(np.vstack(points_of_part))
            capsules.extend(BodyCapsule(body=body, joint=joint, capsule=capsule) for capsule in fitted)
    return tuple(capsules)


def _find_contact(model: pin.Model, description: RobotDescription, name: str) -> tuple[int, Capsule] | None:
    """Return the joint of an effector and what stands for its contact, or None where no effector has the name.

    A point's sphere, or, for a sole, the longest capsule of the sole's width, about the middle of its rectangle.
    """
    for effector in description.effectors:
        if effector.name == name:
            frame = model.frames[model.getFrameId(f"handhold/{name}")]
            ends, radius = np.zeros((2, 3)), effector.radius
            if effector.half_lengths is not None:
                long = int(np.argmax(effector.half_lengths))
                radius = min(effector.half_lengths)
                ends[:, long] = np.array([-1.0, 1.0]) * (max(effector.half_lengths) - radius)
            return int(frame.parentJoint), place_capsule(Capsule(ends=ends, radius=radius), frame.placement)
    return None


def _find_shapes(model: pin.Model, geometry: pin.GeometryModel, link: str) -> list[tuple[int, np.ndarray]]:
    """Return joint and points, in the joint's frame, of all that a link is made of."""
    frame = model.getFrameId(link, pin.FrameType.BODY)
    return [
        (int(shape.parentJoint), sample_shape(shape.geometry) @ shape.placement.rotation.T + shape.placement.translation)
        for shape in geometry.geometryObjects
        if shape.parentFrame == frame
    ]
