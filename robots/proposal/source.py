"""A robot as its URDF has it: joints in the neutral posture and the points of all shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.capsules import sample_shape
from handhold.robots.model_file import ModelFile
from handhold.robots.urdf import build_full_model, load_geometry


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Source:
    """A full model with its shapes.

    Attributes:
        file: Where it is from.
        model: All joints, free flyer first, the base's frame turned.
        q: Neutral posture, within the joints' limits.
        poses: Poses of all joints in the base's frame in that posture, of ``pin.SE3``.
        shapes: Points of what each link is made of, by the link's name, in the frame of the joint that carries it, shape
            ``(k, 3)`` [m].
        joints: The joint that carries each of these links, by the link's name.
        bare: Whether no link has a collision shape, so that visual ones were taken.
    """

    file: ModelFile
    model: pin.Model
    q: np.ndarray
    poses: list[pin.SE3]
    shapes: dict[str, np.ndarray]
    joints: dict[str, int]
    bare: bool

    @property
    def positions(self) -> np.ndarray:
        """Positions of all joints in the base's frame, shape ``(njoints, 3)`` [m]."""
        return np.array([pose.translation for pose in self.poses])

    def list_points(self, joint: int) -> np.ndarray:
        """Return the points of all that a joint carries itself, in its frame, shape ``(k, 3)`` [m]."""
        return np.vstack([np.zeros((0, 3)), *(self.shapes[link] for link in self.list_links(joint))])

    def place_points(self, joint: int) -> np.ndarray:
        """Return the same in the base's frame."""
        pose = self.poses[joint]
        return np.asarray(self.list_points(joint) @ pose.rotation.T + pose.translation)

    def list_links(self, joint: int) -> list[str]:
        """Return the links with a shape that a joint carries itself."""
        return [link for link, carrier in self.joints.items() if carrier == joint]

    def find_link(self, joint: int) -> pin.Frame:
        """Return the frame of the link that a joint carries, first of all if there are several fixed to each other."""
        return next(f for f in self.model.frames if f.parentJoint == joint and f.type == pin.FrameType.BODY)

    def find_middle(self, joints: tuple[int, ...]) -> int:
        """Return the index of the joint of a limb that is furthest from both of its ends: the knee, or the elbow."""
        positions = self.positions[list(joints)]
        points = self.place_points(joints[-1])
        end = points.mean(axis=0) if len(points) else positions[-1]
        return int(
            np.argmax(np.minimum(np.linalg.norm(positions - positions[0], axis=1), np.linalg.norm(positions - end, axis=1)))
        )


def load_source(file: ModelFile, base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Source:
    """Load a URDF with its shapes: those for collisions, or of a link without any those that are seen.

    Raises:
        DescriptionError: It cannot be read.
    """
    model = build_full_model(file, base_rpy)
    q = pin.neutral(model)
    for joint in model.joints[2:]:
        if joint.nq == 1:
            q[joint.idx_q] = np.clip(0.0, model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q])
    data = model.createData()
    pin.forwardKinematics(model, data, q)
    collisions = _sample(model, load_geometry(model, file, pin.GeometryType.COLLISION))
    visuals = _sample(model, load_geometry(model, file, pin.GeometryType.VISUAL))
    both = visuals | collisions
    return Source(
        file=file,
        model=model,
        q=q,
        poses=[pose.copy() for pose in data.oMi],
        shapes={link: points for link, (_, points) in both.items()},
        joints={link: joint for link, (joint, _) in both.items()},
        bare=not collisions,
    )


def _sample(model: pin.Model, geometry: pin.GeometryModel) -> dict[str, tuple[int, np.ndarray]]:
    """Return joint and points of every link that has a shape."""
    shapes: dict[str, list[np.ndarray]] = {}
    joints: dict[str, int] = {}
    for item in geometry.geometryObjects:
        if item.parentJoint == 0:
            continue  # a floor: part of the world that an MJCF brings along
        link = model.frames[item.parentFrame].name
        try:
            points = sample_shape(item.geometry)
        except TypeError:
            continue  # a plane has no end
        joints[link] = int(item.parentJoint)
        shapes.setdefault(link, []).append(points @ item.placement.rotation.T + item.placement.translation)
    return {link: (joints[link], np.vstack(parts)) for link, parts in shapes.items()}
