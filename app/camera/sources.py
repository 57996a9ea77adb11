"""Where a session's frames come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from handhold.app.camera.simulated_view import SimulatedView
from handhold.app.errors import AppError
from handhold.app.link.solid_poses import SolidPoses
from handhold.app.session.config import NO_CAMERA, PERFECT, SessionConfig
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

SIMULATED = "sim"

RATE = 5.0
"""Images a second that a session looks at [Hz]: robot, page and camera may have to share two cores."""


class UnknownCamera(AppError):
    """A camera is asked for that there is not.

    Attributes:
        name: What was asked for.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no camera '{name}'; take one of {', '.join(known_cameras())}")


def known_cameras() -> tuple[str, ...]:
    """Return what ``--camera`` takes."""
    return (PERFECT, SIMULATED, NO_CAMERA)


class FrameSource(Protocol):
    """Gives frames; a simulated one has to be told where the robot is."""

    @property
    def title(self) -> str:
        """What it is, for people."""
        ...

    @property
    def intrinsics(self) -> Intrinsics:
        """Of its images."""
        ...

    @property
    def message(self) -> str:
        """What is wrong with it, in words; empty for nothing."""
        ...

    def follow(self, time: float, q: np.ndarray, solids: SolidPoses | None) -> None:
        """Take note of where the robot and the solids of its world are at a time [s]."""
        ...

    def take(self) -> DepthFrame | None:
        """Return the newest frame since the last call, or None."""
        ...

    def close(self) -> None:
        """Release it."""
        ...


def open_source(config: SessionConfig, model: RobotModel, _clock: Callable[[], float]) -> FrameSource:
    """Open what a session sees with.

    Raises:
        UnknownCamera: There is no such camera.
        NoCamera: The robot has none.
        DescriptionError: The world cannot be had.
    """
    if config.camera == SIMULATED:
        return SimulatedSource(model, config.world)
    raise UnknownCamera(config.camera)


class SimulatedSource:
    """The robot's camera in its simulated world, beside the physics.

    Attributes:
        title: What it is, for people.
        intrinsics: Of its images.
        message: Never anything.
    """

    message = ""

    def __init__(self, model: RobotModel, world: str) -> None:
        loaded = load_world(world)
        self._view = SimulatedView(model, loaded, timing=FrameTiming(rate=RATE))
        self.title, self.intrinsics = self._view.title, self._view.intrinsics
        self._solids = np.array([solid.to_se3().homogeneous for solid in loaded.solids]).reshape(-1, 4, 4)

    def follow(self, time: float, q: np.ndarray, solids: SolidPoses | None) -> None:
        """Go on to a time, and expose what is due."""
        poses = self._solids if solids is None or solids.poses.shape != self._solids.shape else solids.poses
        self._view.advance(time, q, lambda: poses)

    def take(self) -> DepthFrame | None:
        """Return the newest frame since the last call, or None."""
        return self._view.take()

    def close(self) -> None:
        """Nothing has to be released."""
