"""From the frames of a robot's camera to surfaces in world."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from handhold.app.camera.mounting_watch import MountingWatch
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.perception.body.body_mask import BodyMask
from handhold.perception.body.mounting_estimate import MountingEstimate
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.point_cloud import MAX_POINTS, PointCloud, make_point_cloud
from handhold.perception.mapping.surface_map import SurfaceMap
from handhold.perception.mapping.view import View
from handhold.perception.planes.boundary import find_boundaries
from handhold.perception.planes.plane import PlaneImage
from handhold.perception.planes.plane_finder import PlaneFinder
from handhold.perception.surface import Surface
from handhold.robots.model import RobotModel

MAX_POSTURES = 512
"""Postures that are remembered: of half a second at the control rate, of seconds at that of snapshots."""

WATCH_PERIOD = 0.5
"""Least time between two images that the mounting is learnt from [s]: sooner they say little that is new."""

MAX_DEPTH = 5.0
"""Depth to which surfaces are kept [m]: what is further is no place for a hand or a foot for a long time."""

_ROUNDING = 1.0 / np.sqrt(12.0)


class Mapper:
    """One camera of a robot: masks the robot's body, finds planes, and keeps the map.

    Attributes:
        camera: The camera's name in the robot's description.
        lost: Frames that were taken at no time for which a posture is known.
    """

    def __init__(
        self,
        shapes: RobotShapes,
        intrinsics: Intrinsics,
        surface_map: SurfaceMap | None = None,
        camera_index: int = 0,
        *,
        model: RobotModel | None = None,
        max_points: int = MAX_POINTS,
    ) -> None:
        """Know nothing yet.

        Args:
            shapes: The robot's, with the camera.
            intrinsics: Of its images.
            surface_map: The map, where other cameras add to it as well; one of its own if None.
            camera_index: Number of the camera among those.
            model: The robot, where the camera's mounting is to be watched; None where it is not.
            max_points: Of its clouds at most.
        """
        self._shapes, self._intrinsics, self._model = shapes, intrinsics, model
        self._max_points = max_points
        self.camera = shapes.camera.name
        self._mask = BodyMask(intrinsics, shapes.bodies)
        self._finder = PlaneFinder(intrinsics)
        self._camera_index = camera_index
        self._map = SurfaceMap() if surface_map is None else surface_map
        self._postures: deque[tuple[float, np.ndarray]] = deque(maxlen=MAX_POSTURES)
        self.lost = 0
        self._last_view: tuple[DepthFrame, np.ndarray] | None = None
        self._cloud: PointCloud | None = None
        self._watch = self._make_watch()
        self._watched_at = -math.inf

    @property
    def mounting(self) -> MountingEstimate | None:
        """Where the camera is from where it is thought to be; None where that is not watched."""
        return None if self._watch is None else self._watch.estimate

    def correct(self, correction: np.ndarray | None) -> None:
        """Put the camera where it really is in its described optical frame, shape ``(4, 4)``; None for there."""
        self._shapes.correct(np.eye(4) if correction is None else correction)
        self._watch = self._make_watch()

    def _make_watch(self) -> MountingWatch | None:
        return None if self._model is None else MountingWatch(self._model, self._shapes, self._intrinsics)

    def note(self, time: float, q: np.ndarray) -> None:
        """Note the robot's configuration at a time [s], shape ``(nq,)``; times come in order."""
        self._postures.append((time, q))

    def see(self, frame: DepthFrame) -> bool:
        """Take a frame into account; says whether its posture was known."""
        q = self._find_posture(frame.time)
        if q is None:
            self.lost += 1
            return False
        camera_pose, body_poses = self._shapes.compute(q)
        masked = self._mask.apply(frame, camera_pose, body_poses).frame
        image = self._finder.find(masked)
        self._watch_mounting(frame, q, image)
        self._last_view, self._cloud = (masked, camera_pose), None
        patches = find_boundaries(image, MAX_DEPTH)
        rounding = float(_ROUNDING * frame.unit)
        view = View(
            time=frame.time,
            camera=camera_pose,
            image=image,
            patches=patches,
            rounding=rounding,
            camera_index=self._camera_index,
        )
        self._map.update(view)
        return True

    def _watch_mounting(self, frame: DepthFrame, q: np.ndarray, image: PlaneImage) -> None:
        if self._watch is not None and frame.time - self._watched_at >= WATCH_PERIOD:
            self._watched_at = frame.time
            self._watch.see(frame, q, image)

    def list_surfaces(self, time: float) -> tuple[Surface, ...]:
        """List what is known at a time [s]."""
        return self._map.list_surfaces(time)

    def make_cloud(self) -> PointCloud | None:
        """Return points of the last frame, without the robot's own body; None before the first."""
        if self._cloud is None and self._last_view is not None:
            self._cloud = make_point_cloud(*self._last_view, self._max_points)
        return self._cloud

    def _find_posture(self, time: float) -> np.ndarray | None:
        """Return the posture at a time, from the two about it; None where it is before all or after all."""
        after = None
        for at, q in reversed(self._postures):
            if at <= time:
                return q if after is None or after[0] == at else _blend(q, after[1], (time - at) / (after[0] - at))
            after = (at, q)
        return None


def _blend(before: np.ndarray, after: np.ndarray, ratio: float) -> np.ndarray:
    """Return a configuration between two that are near each other; of the base's quaternions the normalised mean."""
    q = (1.0 - ratio) * before + ratio * after * np.where(_is_quaternion(len(before)), _sign(before, after), 1.0)
    q[3:7] /= np.linalg.norm(q[3:7])
    return np.asarray(q)


def _is_quaternion(count: int) -> np.ndarray:
    return (np.arange(count) >= 3) & (np.arange(count) < 7)


def _sign(before: np.ndarray, after: np.ndarray) -> float:
    return 1.0 if float(before[3:7] @ after[3:7]) >= 0.0 else -1.0
