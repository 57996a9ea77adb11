"""What a robot sees of a simulated world, in lockstep with the simulation: cameras, planes and map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from handhold.app.camera.mapper import Mapper
from handhold.app.camera.robot_shapes import RobotShapes, list_cameras
from handhold.app.camera.simulated_view import SimulatedView
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.mapping.surface_map import SurfaceMap
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.perception.surface import Surface
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

RATE = 10.0
"""Images a second that are looked at, of all cameras together [Hz]: surfaces do not change faster."""


FrameFault = Callable[[DepthFrame, float], DepthFrame | None]
"""What becomes of a frame that arrives at a time [s]: another one, or none."""


class Sight:
    """Sees a simulated world through the robot's cameras, which share one map.

    Attributes:
        surfaces: What is known now; the same object until an image has changed it.
    """

    def __init__(
        self,
        model: RobotModel,
        world: World,
        *,
        seed: int = 0,
        noise: StereoNoise | None = None,
        make_frame_fault: Callable[[], FrameFault] | None = None,
    ) -> None:
        """Make cameras and map; nothing is known yet.

        Args:
            model: The robot.
            world: Its surroundings.
            seed: Of the cameras' noise.
            noise: Of the cameras; a good D455's as a rule.
            make_frame_fault: Makes, for each camera, what becomes of its frames; None where they arrive as they are.

        Raises:
            NoCamera: The robot's description has none.
        """
        names = list_cameras(model)
        timing, surface_map = FrameTiming(rate=RATE / len(names)), SurfaceMap()
        self._cameras: list[tuple[SimulatedView, Mapper]] = []
        self._frame_faults = [None if make_frame_fault is None else make_frame_fault() for _ in names]
        for number, name in enumerate(names):
            view = SimulatedView(model, world, camera=name, timing=timing, noise=noise, seed=seed + 1000 * number)
            self._cameras.append((view, Mapper(RobotShapes(model, name), view.intrinsics, surface_map, number)))
        self._map = surface_map
        self.surfaces: tuple[Surface, ...] = ()

    def update(
        self, time: float, q: np.ndarray, true_q: np.ndarray, solid_poses: Callable[[], np.ndarray]
    ) -> tuple[Surface, ...]:
        """Go on to a time, and return what is known then.

        Args:
            time: By the robot's clock [s]; it does not run back.
            q: The robot's configuration as it is thought to be, shape ``(nq,)``.
            true_q: Where it truly is, likewise.
            solid_poses: Tells the poses of the world's solids, shape ``(solids, 4, 4)``.
        """
        seen = False
        for (view, mapper), fault in zip(self._cameras, self._frame_faults, strict=True):
            mapper.note(time, q)
            view.advance(time, true_q, solid_poses)
            frame = view.take()
            if frame is not None and fault is not None:
                frame = fault(frame, time)
            seen |= frame is not None and mapper.see(frame)
        if seen:
            self.surfaces = self._map.list_surfaces(time)
        return self.surfaces
