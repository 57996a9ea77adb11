"""Whether a robot's camera is where its description has it, from what it sees while the robot works."""

from __future__ import annotations

import math

import numpy as np

from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.sole_plane import find_sole_plane
from handhold.perception.body.mounting import GATE_HEIGHT, GATE_TILT, MountingCheck
from handhold.perception.body.mounting_estimate import MountingEstimate
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.planes.plane import PlaneImage
from handhold.robots.model import RobotModel


class MountingWatch:
    """Learns where a robot's camera really is, from frames and the robot's posture when they were exposed."""

    def __init__(self, model: RobotModel, shapes: RobotShapes, intrinsics: Intrinsics) -> None:
        """Begin without knowledge.

        Args:
            model: The robot.
            shapes: Its shapes and its camera.
            intrinsics: Of the camera.
        """
        self._model, self._shapes = model, shapes
        self._check = MountingCheck(intrinsics, shapes.bodies)

    @property
    def estimate(self) -> MountingEstimate:
        """What is known now."""
        return self._check.estimate

    def see(self, frame: DepthFrame, q: np.ndarray, image: PlaneImage | None, bearing: tuple[int, ...] | None = None) -> None:
        """Learn from a frame.

        Args:
            frame: With the robot's body in it.
            q: The robot's configuration when it was exposed, shape ``(nq,)``.
            image: The planes in it; None where the floor says nothing.
            bearing: Effectors that the robot stands on; all that it starts standing on as a rule.
        """
        camera_pose, body_poses = self._shapes.compute(q)
        soles = find_sole_plane(self._model, q, bearing) if image is not None else None
        if image is not None and soles is not None:
            normal = soles[:3]
            expected = np.append(camera_pose[:3, :3].T @ normal, soles[3] + normal @ camera_pose[:3, 3])
            floor = find_floor(image, expected)
            if floor is not None:
                self._check.see_floor(frame.time, floor, expected)
        self._check.see_body(frame, camera_pose, body_poses)


def find_floor(image: PlaneImage, expected: np.ndarray) -> np.ndarray | None:
    """Find the plane of an image that may be the floor: the nearest to where it is expected.

    Args:
        image: The planes.
        expected: ``(n, c)`` in the camera's axes with n^T p + c = 0 and n towards the camera, shape ``(4,)`` [-, m].

    Returns:
        The same of the plane that was found; None where there is none.
    """
    floors = [
        np.append(plane.normal, plane.distance)
        for plane in image.planes
        if plane.normal @ expected[:3] > math.cos(GATE_TILT) and abs(plane.distance - expected[3]) < GATE_HEIGHT
    ]
    return min(floors, key=lambda floor: abs(float(floor[3] - expected[3])), default=None)
