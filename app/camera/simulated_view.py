"""What a robot's depth camera sees in a simulated world, in lockstep with the simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from handhold.app.camera.pinhole import make_intrinsics
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.world_shapes import make_world_bodies
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.simulated_camera import FrameTiming, SimulatedCamera
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

ROBOT_COLOR = (0.85, 0.86, 0.88)


class SimulatedView:
    """A simulated camera that a robot carries and that sees the world and the robot's own body.

    Attributes:
        title: What it is, for people.
        intrinsics: Of its images.
    """

    def __init__(
        self,
        model: RobotModel,
        world: World,
        *,
        camera: str = "",
        mounting: np.ndarray | None = None,
        timing: FrameTiming | None = None,
        noise: StereoNoise | None = None,
        with_color: bool = False,
        seed: int = 0,
    ) -> None:
        """Make the camera, and all it may see.

        Args:
            model: The robot.
            world: Its surroundings.
            camera: Name of the camera in its description; the first one if empty.
            mounting: Where the camera really is in the optical frame that the description gives it, shape ``(4, 4)``; there
                as a rule.
            timing: When frames are exposed and arrive; a D455's as a rule.
            noise: Of the stereo; a good D455's as a rule.
            with_color: Whether frames come with a picture.
            seed: Of the noise.

        Raises:
            NoCamera: The description has none (of that name).
            FlatBody: A shape of the robot encloses nothing.
        """
        self._shapes = RobotShapes(model, camera)
        self._mounting = np.eye(4) if mounting is None else mounting
        bodies, colors = make_world_bodies(world)
        self._solids = slice(1, len(bodies))
        self._poses = np.tile(np.eye(4), (len(bodies) + len(self._shapes.bodies), 1, 1))
        self._camera = SimulatedCamera(
            f"simulated D455 '{self._shapes.camera.name}'",
            make_intrinsics(self._shapes.camera),
            bodies + self._shapes.bodies,
            timing=timing,
            noise=noise,
            colors=np.vstack([colors, np.tile(ROBOT_COLOR, (len(self._shapes.bodies), 1))]) if with_color else None,
            seed=seed,
        )

    @property
    def title(self) -> str:
        """What it is, for people."""
        return self._camera.title

    @property
    def intrinsics(self) -> Intrinsics:
        """Of its images."""
        return self._camera.intrinsics

    def advance(self, time: float, q: np.ndarray, solid_poses: Callable[[], np.ndarray]) -> None:
        """Go on to a time, and expose what is due.

        Args:
            time: By the robot's clock [s]; it does not run back.
            q: Where the robot really is, shape ``(nq,)``.
            solid_poses: Tells the poses of the world's solids, shape ``(solids, 4, 4)``; asked where something is exposed.

        Raises:
            TimeRunsBack: The time is before that of the last call.
        """
        if self._camera.is_due(time):
            camera_pose, poses = self._shapes.compute(q)
            self._poses[self._solids] = solid_poses()
            self._poses[self._solids.stop :] = poses
            self._camera.advance(time, camera_pose @ self._mounting, self._poses)
        else:
            self._camera.advance(time, self._mounting, self._poses)

    def take(self) -> DepthFrame | None:
        """Return the newest frame that has arrived since the last call, or None."""
        return self._camera.take()
