"""A stereo camera in a simulated world: frames are exposed at its rate and arrive after a while, the same in every run."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import PerceptionError
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import Triangles

AMBIENT = 0.35
"""Part of a surface's colour that is seen in any light; the rest goes with the cosine of its normal to the lamp [-]."""

LAMP = (0.30, -0.55, 0.78)
"""Where the light goes to or comes from, in the camera's axes: aslant, so that no two faces of a box look alike."""

BACKGROUND = (0.1, 0.1, 0.12)
"""Colour of what has none: where nothing is seen."""

_INSTANT = 1e-9
"""Difference of times that only rounding makes [s]."""


class TimeRunsBack(PerceptionError):
    """A simulated camera was told a time before one that it has seen.

    Attributes:
        time: That time [s].
        before: The last one [s].
    """

    def __init__(self, time: float, before: float) -> None:
        self.time, self.before = time, before
        super().__init__(f"a time of {time:g} s after one of {before:g} s: make a new camera where a simulation starts again")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTiming:
    """When a camera exposes frames, and when one has them.

    Both imagers of a D455 have a global shutter: all pixels of a depth image are of one moment. Its colour imager is not
    triggered by them, which leaves the colour picture of a frame as it was a part of a period later. How long an exposure
    takes, and the blur of what moves meanwhile, are left out.

    Attributes:
        rate: Frames a second [Hz].
        latency: Time from the exposure of depth until one has the frame [s].
        color_lag: Time from the exposure of depth to that of colour; no frame arrives before both [s].
    """

    rate: float = 30.0
    latency: float = 0.06
    color_lag: float = 0.01

    def __post_init__(self) -> None:
        if not (0.0 < self.rate < np.inf and 0.0 <= self.latency < np.inf and 0.0 <= self.color_lag < np.inf):
            raise PerceptionError(
                f"{self.rate:g} frames a second, {self.latency:g} s late, with colour {self.color_lag:g} s after depth: "
                "give a rate above 0, and times that are not negative"
            )


class SimulatedCamera:
    """A depth camera that sees bodies made of triangles; it is told the time, and where it and they are.

    Attributes:
        title: What it is, for people.
        intrinsics: Of its images.
        timing: When frames are exposed and arrive.
    """

    def __init__(
        self,
        title: str,
        intrinsics: Intrinsics,
        bodies: tuple[Triangles, ...],
        *,
        timing: FrameTiming | None = None,
        noise: StereoNoise | None = None,
        colors: np.ndarray | None = None,
        seed: int = 0,
    ) -> None:
        """Make the camera.

        Args:
            title: What it is, for people.
            intrinsics: Of its images; with a baseline.
            bodies: All that it may see, each in its own frame.
            timing: When frames are exposed and arrive; a D455's as a rule.
            noise: Of the stereo; a good D455's as a rule.
            colors: Red, green, blue of each body between 0 and 1, shape ``(bodies, 3)``; None for frames without a picture.
            seed: Of the noise.
        """
        self.title, self.intrinsics = title, intrinsics
        self.timing = FrameTiming() if timing is None else timing
        self._noise = StereoNoise() if noise is None else noise
        self._bodies = Bodies(bodies)
        self._colors = None if colors is None else np.vstack([np.asarray(colors, dtype=np.float64), [BACKGROUND]])
        self._rasteriser = Rasteriser(intrinsics)
        self._random = np.random.default_rng(seed)
        self._start, self._time, self._next = np.nan, -np.inf, 0
        self._without_color: deque[DepthFrame] = deque()
        # All that have not arrived, and the newest that has.
        self._under_way: deque[DepthFrame] = deque(maxlen=int(self.timing.latency * self.timing.rate) + 2)

    def is_due(self, time: float) -> bool:
        """Tell whether the camera exposes something at a time [s]: then it has to be told where everything is."""
        return self._is_depth_due(time) or self._is_color_due(time)

    def advance(self, time: float, camera_pose: np.ndarray, body_poses: np.ndarray) -> None:
        """Expose what is due. The first frame is due at the first call; frames that no call came for are lost, and counted.

        Args:
            time: By the simulation's clock [s]; it does not run back.
            camera_pose: Its optical frame in world, shape ``(4, 4)``.
            body_poses: Poses of the bodies in world, shape ``(bodies, 4, 4)``.

        Raises:
            TimeRunsBack: The time is before that of the last call.
        """
        if time < self._time:
            raise TimeRunsBack(time, self._time)
        is_depth_due, is_color_due = self._is_depth_due(time), self._is_color_due(time)
        self._time = time
        if not (is_depth_due or is_color_due):
            return
        self._draw(camera_pose, body_poses)
        if is_depth_due:
            self._expose(time)
        while self._is_color_due(time):
            self._under_way.append(replace(self._without_color.popleft(), color=self._paint()))

    def take(self) -> DepthFrame | None:
        """Return the newest frame that has arrived since the last call, or None; older ones are lost."""
        newest = None
        while self._under_way and self._time - self._under_way[0].time > self.timing.latency - _INSTANT:
            newest = self._under_way.popleft()
        return newest

    def _is_depth_due(self, time: float) -> bool:
        # At first there is no start, and everything is due.
        return not time < self._start + self._next / self.timing.rate - _INSTANT

    def _is_color_due(self, time: float) -> bool:
        return bool(self._without_color) and time > self._without_color[0].time + self.timing.color_lag - _INSTANT

    def _draw(self, camera_pose: np.ndarray, body_poses: np.ndarray) -> None:
        self._rasteriser.clear()
        self._rasteriser.draw(self._bodies.place(camera_pose, body_poses), self._bodies.triangles)

    def _expose(self, time: float) -> None:
        if np.isnan(self._start):
            self._start = time
        number = max(self._next, int((time - self._start + _INSTANT) * self.timing.rate))
        self._next = number + 1
        depth = self._noise.apply(self._rasteriser.inverse_depth, self.intrinsics, self._random)
        frame = DepthFrame(time=time, number=number, depth=depth, unit=UNIT, intrinsics=self.intrinsics)
        (self._under_way if self._colors is None else self._without_color).append(frame)

    def _paint(self) -> np.ndarray:
        picture = np.empty((*self._rasteriser.faces.shape, 3), dtype=np.uint8)
        assert self._colors is not None
        _shade(self._rasteriser.faces, self._bodies.corners, self._bodies.owners, self._colors, picture)
        return picture


@njit(cache=True)
def _shade(faces: np.ndarray, corners: np.ndarray, owners: np.ndarray, colors: np.ndarray, picture: np.ndarray) -> None:
    """Fill a picture: flat colours, darker the more a triangle turns from the light. The last colour is the background's."""
    shades = np.empty((len(corners) + 1, 3), dtype=np.uint8)
    for channel in range(3):
        shades[-1, channel] = np.uint8(255.0 * colors[-1, channel])
    for t in range(len(corners)):
        a, b, c = corners[t]
        normal = np.cross(b - a, c - a)
        length = np.sqrt(np.sum(normal * normal))
        along = LAMP[0] * normal[0] + LAMP[1] * normal[1] + LAMP[2] * normal[2]
        light = AMBIENT + (1.0 - AMBIENT) * min(1.0, abs(along) / max(length, 1e-12))
        for channel in range(3):
            shades[t, channel] = np.uint8(255.0 * light * colors[owners[t], channel])
    for row in range(faces.shape[0]):
        for column in range(faces.shape[1]):
            # A pixel that sees nothing has the face -1: the last shade.
            for channel in range(3):
                picture[row, column, channel] = shades[faces[row, column], channel]
