"""What a robot sees of a simulated world, in lockstep with the simulation: camera, planes and map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from handhold.app.camera.mapper import Mapper
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.simulated_view import SimulatedView
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.perception.surface import Surface
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

RATE = 10.0
"""Images a second that are looked at [Hz]: surfaces do not change faster, and a camera's other images are left out."""


class Sight:
    """Sees a simulated world through the robot's camera.

    Attributes:
        surfaces: What is known now; the same object until an image has changed it.
    """

    def __init__(self, model: RobotModel, world: World, *, seed: int = 0, noise: StereoNoise | None = None) -> None:
        """Make camera and map; nothing is known yet.

        Args:
            model: The robot.
            world: Its surroundings.
            seed: Of the camera's noise.
            noise: Of the camera; a good D455's as a rule.

        Raises:
            NoCamera: The robot's description has none.
        """
        self._view = SimulatedView(model, world, timing=FrameTiming(rate=RATE), noise=noise, seed=seed)
        self._mapper = Mapper(RobotShapes(model), self._view.intrinsics)
        self.surfaces: tuple[Surface, ...] = ()

    def update(self, time: float, q: np.ndarray, solid_poses: Callable[[], np.ndarray]) -> tuple[Surface, ...]:
        """Go on to a time, and return what is known then.

        Args:
            time: By the robot's clock [s]; it does not run back.
            q: Its configuration, shape ``(nq,)``.
            solid_poses: Tells the poses of the world's solids, shape ``(solids, 4, 4)``.
        """
        self._mapper.note(time, q)
        self._view.advance(time, q, solid_poses)
        frame = self._view.take()
        if frame is not None and self._mapper.see(frame):
            self.surfaces = self._mapper.list_surfaces(time)
        return self.surfaces
