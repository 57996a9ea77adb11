"""Where a page looks from: behind the robot where nothing hides it, or from where its operator chooses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import viser

from handhold.render.elements.stage import Stage
from handhold.render.interface.placement import find_heading, rotate_about_vertical
from handhold.render.obstacles import Obstacles

AZIMUTHS = (35.0, -35.0, 50.0, -50.0, 20.0, -20.0, 65.0, -65.0)
"""Angles from right behind [deg], the best first: beside the trunk both hands are seen, and left is still left."""
ELEVATIONS = (22.0, 35.0, 50.0)
"""Angles above the ground [deg]."""
DISTANCE = 1.45
"""Of the first view, in heights of the robot."""
CLEARANCE = 0.15
"""Minimum distance of a camera from anything [m]."""
SHORT = 0.05
"""How far before a point a line of sight ends [m]: what is touched hides nothing."""
MIDDLE = 0.47
"""Height of what is looked at, in heights of the robot: what is held below is under the page's buttons."""
AHEAD = 0.15
"""How far before the robot it is, in its heights: hands reach there."""


@dataclass(frozen=True, eq=False, slots=True)
class CameraView:
    """Where a camera is and what it looks at, in world, shape ``(3,)`` [m]."""

    position: np.ndarray
    target: np.ndarray


VIEWS = ("behind", "front", "side")


def choose_views(stage: Stage) -> dict[str, CameraView]:
    """Return the views of a page that may be chosen, by name.

    Each is the first of its directions from which the least of the robot in its first posture is hidden, and which is within
    nothing.
    """
    points = stage.compute_joints(stage.model.q_nominal)[1:, :3, 3].astype(float)
    height = float(points[:, 2].max()) * 1.08
    obstacles = stage.obstacles
    directions = {
        "behind": tuple(product(AZIMUTHS, ELEVATIONS[:2])) + tuple(product(AZIMUTHS, ELEVATIONS[2:])),
        "front": tuple(product((180.0 + angle for angle in AZIMUTHS), ELEVATIONS)),
        "side": tuple(product((90.0, -90.0, 80.0, -80.0), ELEVATIONS)),
    }
    return {name: _choose(angles, points, height, obstacles) for name, angles in directions.items()}


def _choose(angles: tuple[tuple[float, float], ...], points: np.ndarray, height: float, obstacles: Obstacles) -> CameraView:
    views = [_compute_view(azimuth, elevation, height) for azimuth, elevation in angles]
    return min(views, key=lambda view: _rate(view, points, obstacles))


def _rate(view: CameraView, points: np.ndarray, obstacles: Obstacles) -> float:
    """Return how many points are hidden; a camera within something sees none."""
    if obstacles.measure_clearance(view.position[None])[0] < CLEARANCE:
        return math.inf
    return float(obstacles.find_between(view.position[None], points, SHORT)[0].any(axis=1).sum())


def _compute_view(azimuth: float, elevation: float, height: float) -> CameraView:
    about, up = math.radians(azimuth), math.radians(elevation)
    target = np.array([AHEAD * height, 0.0, MIDDLE * height])
    # Seen from above, right behind is along -x; a positive azimuth goes to the robot's left.
    away = np.array([-math.cos(about) * math.cos(up), math.sin(about) * math.cos(up), math.sin(up)])
    return CameraView(target + DISTANCE * height * away, target)


class PageCameras:
    """Puts the cameras of pages where their operators choose, and lets those follow the robot that shall."""

    def __init__(self, server: viser.ViserServer, views: dict[str, CameraView]) -> None:
        """Let pages begin behind the robot."""
        self._server = server
        self._views = views
        self._following: set[int] = set()
        self._transform_base_to_world = np.eye(4)
        first = views["behind"]
        server.initial_camera.position = first.position
        server.initial_camera.look_at = first.target

    @property
    def following(self) -> frozenset[int]:
        """The pages whose cameras follow the robot."""
        return frozenset(self._following)

    def select_view(self, page: int, name: str) -> None:
        """Put a page's camera where a view has it, about where the robot is now and as it faces."""
        client = self._server.get_clients().get(page)
        if client is None:
            return
        _put(client, self._views[name], self._transform_base_to_world)

    def follow(self, page: int) -> None:
        """Let a page's camera follow the robot, or no more."""
        self._following ^= {page}

    def update(self, base: np.ndarray) -> None:
        """Let cameras go and turn with the robot's base, its pose in world, shape ``(4, 4)``."""
        if not np.isfinite(base).all():
            return
        last, self._transform_base_to_world = self._transform_base_to_world, _level(base)
        moved = self._transform_base_to_world @ np.linalg.inv(last)
        clients = self._server.get_clients()
        self._following &= set(clients)
        for page in self._following:
            camera = clients[page].camera
            _put(clients[page], CameraView(camera.position, camera.look_at), moved)


def _level(base: np.ndarray) -> np.ndarray:
    """Return the base's pose on the ground, upright: views were chosen about a robot at the origin that faces along x."""
    pose = np.eye(4)
    pose[:3, :3] = rotate_about_vertical(find_heading(base))
    pose[:2, 3] = base[:2, 3]
    return pose


def _put(client: viser.ClientHandle, view: CameraView, moved: np.ndarray) -> None:
    """Put a page's camera where a view is once it is moved by a homogeneous transform, shape ``(4, 4)``."""
    with client.atomic():
        client.camera.position = moved[:3, :3] @ view.position + moved[:3, 3]
        client.camera.look_at = moved[:3, :3] @ view.target + moved[:3, 3]
