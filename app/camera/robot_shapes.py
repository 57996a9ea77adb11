"""A robot's shapes as a camera that it carries could see them, and where camera and shapes are at a configuration."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.perception.simulation.hulls import contains, make_hull
from handhold.perception.simulation.triangles import Triangles, make_box, make_capsule, make_cylinder
from handhold.robots.description import Camera
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses
from handhold.robots.simulation.links import Shape, build_links


class NoCamera(AppError):
    """A robot shall see, and its description names no camera, or none of that name.

    Attributes:
        source: File of the description.
        name: Name of the camera; empty for the first.
    """

    def __init__(self, source: str, name: str) -> None:
        self.source, self.name = source, name
        which = f"no camera '{name}'" if name else "no camera"
        super().__init__(f"{source}: the robot has {which}; add it under [[cameras]], with the frame that it is fixed to")


class RobotShapes:
    """The convex shapes that the physics engines simulate, and a camera among them.

    A shape that contains the camera is left out: it is the housing, or a hull about a head that has room for it.

    Attributes:
        camera: The camera's description.
        bodies: The shapes, each in the frame of its joint.
        joints: Pinocchio's ids of the joints that carry them, shape ``(bodies,)``.
        camera_joint: Pinocchio's id of the joint that carries the camera.
        transform_camera_to_joint: Its optical frame in that joint's, shape ``(4, 4)``.
    """

    def __init__(self, model: RobotModel, name: str = "") -> None:
        """Find camera and shapes.

        Args:
            model: The robot.
            name: Name of the camera; the first one's as a rule.

        Raises:
            NoCamera: The description has none (of that name).
            FlatBody: A shape encloses nothing.
        """
        self.camera = find_camera(model, name)
        frame = model.pinocchio.frames[model.pinocchio.getFrameId(self.camera.frame)]
        placement = frame.placement * self.camera.offset.to_se3()
        self.camera_joint = int(frame.parentJoint)
        self._described: np.ndarray = placement.homogeneous
        self.transform_camera_to_joint = self._described
        bodies, joints = [], []
        for joint, link in enumerate(build_links(model), start=1):
            for shape in link.shapes:
                body = _make_body(shape)
                if joint != self.camera_joint or not contains(body, placement.translation):
                    bodies.append(body)
                    joints.append(joint)
        self.bodies: tuple[Triangles, ...] = tuple(bodies)
        self.joints = np.array(joints)
        self._model = model.pinocchio
        self._data: pin.Data = model.pinocchio.createData()
        self._joint_poses = view_joint_poses(self._data, model.pinocchio.njoints)
        self._poses = np.tile(np.eye(4), (len(bodies), 1, 1))

    def correct(self, correction: np.ndarray) -> None:
        """Put the camera where it really is in its described optical frame, shape ``(4, 4)``."""
        self.transform_camera_to_joint = self._described @ correction

    def compute(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute where camera and shapes are at a configuration.

        Args:
            q: Configuration, shape ``(nq,)``.

        Returns:
            Pose of the camera's optical frame in world, shape ``(4, 4)``, and those of the bodies, shape ``(bodies, 4, 4)``
            (a view that the next call writes over).
        """
        pin.forwardKinematics(self._model, self._data, q)
        self._poses[:, :3] = self._joint_poses[self.joints].transpose(0, 2, 1)
        camera_pose: np.ndarray = self._data.oMi[self.camera_joint].homogeneous @ self.transform_camera_to_joint
        return camera_pose, self._poses


def list_cameras(model: RobotModel) -> tuple[str, ...]:
    """Return the names of a robot's cameras, in the description's order.

    Raises:
        NoCamera: It has none.
    """
    if not model.description.cameras:
        raise NoCamera(model.description.source, "")
    return tuple(camera.name for camera in model.description.cameras)


def find_camera(model: RobotModel, name: str) -> Camera:
    """Return a robot's camera of a name, the first one for an empty name.

    Raises:
        NoCamera: It has none, or none of that name.
    """
    for camera in model.description.cameras:
        if name in ("", camera.name):
            return camera
    raise NoCamera(model.description.source, name)


def _make_body(shape: Shape) -> Triangles:
    """Make a shape's triangles in the frame of its joint."""
    if shape.kind == "box":
        x, y, z = shape.size
        body = make_box((x, y, z))
    elif shape.kind == "cylinder":
        body = make_cylinder(*shape.size)
    elif shape.kind == "hull":
        assert shape.vertices is not None
        body = make_hull(shape.vertices)
    else:
        radius, half_length = (*shape.size, 0.0)[:2]
        body = make_capsule(radius, half_length)
    placement = shape.placement
    return Triangles(body.corners @ placement.rotation.T + placement.translation, body.faces)
