"""Where a session's frames come from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from handhold.app.camera.connected_cameras import LIVE, is_live, parse_connected
from handhold.app.camera.open_camera import RECORDINGS, open_camera, open_connected
from handhold.app.camera.robot_shapes import find_camera, list_cameras
from handhold.app.camera.simulated_view import SimulatedView
from handhold.app.errors import AppError
from handhold.app.link.world_truth import WorldTruth
from handhold.app.session.config import AUTO, NO_CAMERA, PERFECT, SIMULATED, SessionConfig
from handhold.perception.cameras.depth_camera import DepthCamera
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.reconnecting import ReconnectingCamera
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

RATE = 5.0
"""Images a second that a session looks at, of all cameras together [Hz]: robot, page and camera may share two cores."""


PICTURE_RATE = 4.0
"""Images a second of the simulated camera whose picture is shown at least [Hz]; most of several cameras' are only shown."""


class UnknownCamera(AppError):
    """A camera is asked for that there is not.

    Attributes:
        name: What was asked for.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no camera '{name}'; take one of {', '.join(known_cameras())}, or a recording (.db3, .bag)")


def known_cameras() -> tuple[str, ...]:
    """Return what ``--camera`` takes."""
    return (AUTO, SIMULATED, PERFECT, LIVE, NO_CAMERA)


class FrameSource(Protocol):
    """Gives frames; a simulated one has to be told where the robot is, and truly is."""

    @property
    def title(self) -> str:
        """What it is, for people."""
        ...

    @property
    def camera(self) -> str:
        """Name of the camera in the robot's description."""
        ...

    @property
    def intrinsics(self) -> Intrinsics:
        """Of its images."""
        ...

    @property
    def message(self) -> str:
        """What is wrong with it, in words; empty for nothing."""
        ...

    def follow(self, time: float, q: np.ndarray, truth: WorldTruth | None) -> None:
        """Note where the robot is thought to be at a time [s], and where a simulated one was when that was last told."""
        ...

    def take(self) -> DepthFrame | None:
        """Return the newest frame since the last call, or None."""
        ...

    def close(self) -> None:
        """Release it."""
        ...


def check_camera(name: str) -> None:
    """Look for mistakes in what ``--camera`` says that can be found at once.

    Raises:
        UnknownCamera: There is no such camera, or no such file.
        BadAssignment: What is said of connected cameras is malformed.
    """
    if is_live(name):
        parse_connected(name)
        return
    is_recording = Path(name).suffix.lower() in RECORDINGS and Path(name).is_file()
    if name not in known_cameras() and not is_recording:
        raise UnknownCamera(name)


def open_sources(config: SessionConfig, model: RobotModel, clock: Callable[[], float]) -> tuple[FrameSource, ...]:
    """Open what a session sees with: all cameras of a simulated robot, those that are connected, or the one recorded.

    Args:
        config: The session; its ``camera`` counts.
        model: The robot.
        clock: The host's clock [s].

    Raises:
        UnknownCamera: There is no such camera.
        BadAssignment: What is said of connected cameras is malformed.
        NoCamera: The robot has none, or none of a name that is given.
        DescriptionError: The world cannot be had.
        PerceptionError: The camera or the recording cannot be opened.
    """
    check_camera(config.camera)
    if config.camera == SIMULATED:
        names = list_cameras(model)
        looks = RATE / len(names)
        # of a whole number of images one is looked at
        rates = (looks * math.ceil(PICTURE_RATE / looks), *(looks for _ in names[1:]))
        return tuple(SimulatedSource(model, config.world, name, rate) for name, rate in zip(names, rates, strict=True))
    if is_live(config.camera):
        named = [(find_camera(model, one.name).name, one.serial) for one in parse_connected(config.camera)]
        with ExitStack() as opened:
            sources = tuple(
                opened.enter_context(closing(CameraSource(partial(open_connected, serial), clock, name, is_recorded=False)))
                for name, serial in named
            )
            opened.pop_all()
        return sources
    return (CameraSource(partial(open_camera, config.camera), clock, list_cameras(model)[0], is_recorded=True),)


class CameraSource:
    """A camera that is connected, or a recording, played as if it were seen now; looked for again where it is lost."""

    def __init__(
        self, open_one: Callable[[], DepthCamera], clock: Callable[[], float], camera: str, *, is_recorded: bool
    ) -> None:
        """Open it.

        Args:
            open_one: Opens it, now and whenever it was lost.
            clock: The host's [s].
            camera: Its name in the robot's description.
            is_recorded: Whether its frames are of another time.

        Raises:
            PerceptionError: It cannot be opened.
        """
        self._camera = ReconnectingCamera(open_one, clock, time.sleep)
        self._clock, self._is_recorded = clock, is_recorded
        self.camera = camera
        self._next = -math.inf

    @property
    def title(self) -> str:
        """What it is, for people."""
        return self._camera.title

    @property
    def intrinsics(self) -> Intrinsics:
        """Of its images."""
        return self._camera.intrinsics

    @property
    def message(self) -> str:
        """What is wrong with it, in words; empty for nothing."""
        return "" if self._camera.status.connected else f"camera: {self._camera.status.words}"

    def follow(self, time: float, q: np.ndarray, truth: WorldTruth | None) -> None:
        """It sees by itself."""

    def take(self) -> DepthFrame | None:
        """Return the newest frame since the last call, or None; no more of them than a session looks at."""
        now = self._clock()
        if now < self._next:
            return None
        frame = self._camera.read(0.0)
        if frame is None:
            return None
        self._next = now + 1.0 / RATE
        # What was recorded is of another time, and another posture: it is shown as it would look from here. What a connected
        # camera left lying stays as old as it is.
        return replace(frame, time=now if self._is_recorded else min(frame.time, now))

    def close(self) -> None:
        """Let go of it."""
        self._camera.close()


class SimulatedSource:
    """A camera of the robot in its simulated world, beside the physics.

    Attributes:
        title: What it is, for people.
        camera: Its name in the robot's description.
        intrinsics: Of its images.
        message: Never anything.
    """

    message = ""

    def __init__(self, model: RobotModel, world: str, camera: str = "", rate: float = RATE) -> None:
        loaded = load_world(world)
        self.camera = camera
        self._view = SimulatedView(model, loaded, camera=camera, timing=FrameTiming(rate=rate), with_color=True)
        self.title, self.intrinsics = self._view.title, self._view.intrinsics
        self._solids = np.array([solid.to_se3().homogeneous for solid in loaded.solids]).reshape(-1, 4, 4)
        self._time = -math.inf

    def follow(self, time: float, q: np.ndarray, truth: WorldTruth | None) -> None:
        """Go on to a time, and expose what is due, as it truly is where that is told."""
        solids = self._solids
        if truth is not None and (truth.q.shape, truth.solids.shape) == (q.shape, solids.shape):
            time, q, solids = truth.time, truth.q, truth.solids
        # The truth may have been told before the snapshot that was followed before there was any.
        if time >= self._time:
            self._time = time
            self._view.advance(time, q, lambda: solids)

    def take(self) -> DepthFrame | None:
        """Return the newest frame since the last call, or None."""
        return self._view.take()

    def close(self) -> None:
        """Nothing has to be released."""
