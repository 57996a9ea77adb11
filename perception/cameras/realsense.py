"""RealSense cameras that are connected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from handhold.perception.cameras.camera_errors import CameraLost
from handhold.perception.cameras.camera_streams import CameraStreams
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.frame_clock import FrameClock
from handhold.perception.cameras.framesets import FrameMaker
from handhold.perception.cameras.librealsense import load_librealsense, translate_error
from handhold.perception.cameras.realsense_devices import find_device, name_device, require_firmware
from handhold.perception.cameras.streaming_pipeline import StreamingPipeline

SIZE = (848, 480)
"""Columns and rows of depth image and colour picture, which cameras of the D400 family offer at 30 Hz by USB 3."""

MAX_SILENCE = 5.0
"""Time without a frame after which a camera is given up [s]: it may take one or two to begin."""


class Frames(Protocol):
    """Where framesets come from; ``StreamingPipeline`` is one."""

    streams: CameraStreams

    def take(self, timeout: float) -> Any | None:
        """Return the newest frameset."""

    def is_connected(self) -> bool:
        """Tell whether the device is there."""

    def stop(self) -> None:
        """Stop streaming."""


class RealSenseCamera:
    """A camera that is connected.

    Args:
        frames: What it streams.
        title: Name for people.
        clock: Clock that the times of frames are by [s].
        wall_clock: The system's clock, seconds since the epoch.
        is_smooth: Whether depth is averaged over time, for a camera that stands still.

    Attributes:
        title: Name for people.
    """

    def __init__(
        self,
        frames: Frames,
        title: str,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
        *,
        is_smooth: bool = False,
    ) -> None:
        self.title = title
        self._frames: Frames | None = frames
        self._clock = clock
        self._frame_clock = FrameClock(clock, wall_clock)
        self._maker = FrameMaker(frames.streams, self._find_time, is_smooth=is_smooth)
        self._intrinsics = frames.streams.intrinsics
        self._number = -1
        self._heard = clock()

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth images."""
        return self._intrinsics

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the newest frame that has not been returned, or None where none comes within a time [s].

        Raises:
            CameraLost: It is not connected any more, or has sent nothing for ``MAX_SILENCE``.
            PerceptionError: The frame is of no use.
        """
        if self._frames is None:
            raise CameraLost(self.title, "it is closed")
        try:
            frameset = self._frames.take(timeout)
            if frameset is not None and frameset.get_depth_frame().get_frame_number() != self._number:
                return self._make(frameset)
            is_connected = self._frames.is_connected()
        except RuntimeError as error:
            raise translate_error(error, self.title) from None
        if not is_connected:
            raise CameraLost(self.title, "it is not connected any more")
        if self._clock() - self._heard > MAX_SILENCE:
            raise CameraLost(self.title, f"it has sent nothing for {MAX_SILENCE:.0f} s")
        return None

    def close(self) -> None:
        """Let go of the camera."""
        if self._frames is not None:
            self._frames.stop()
        self._frames = None

    def _make(self, frameset: Any) -> DepthFrame:
        frame = self._maker.make(frameset)
        self._number = frame.number
        self._heard = self._clock()
        return frame

    def _find_time(self, frame: Any) -> float:
        is_wall_time = frame.get_frame_timestamp_domain().name in ("system_time", "global_time")
        return self._frame_clock.convert(1e-3 * frame.get_timestamp(), is_wall_time=is_wall_time)


def open_realsense(
    clock: Callable[[], float],
    wall_clock: Callable[[], float],
    *,
    serial: str | None = None,
    has_color: bool = True,
    is_smooth: bool = False,
    record_to: Path | None = None,
) -> RealSenseCamera:
    """Open a camera that is connected, at 848 x 480 pixels and 30 Hz.

    Args:
        clock: Clock that the times of frames are by [s].
        wall_clock: The system's clock, seconds since the epoch.
        serial: Its serial number; None for the first one found.
        has_color: Whether its colour picture is wanted.
        is_smooth: Whether depth is averaged over time, for a camera that stands still.
        record_to: A new ``.db3`` file that all frames are recorded in.

    Raises:
        CameraAbsent: It is not connected, or is used by another program.
        PerceptionError: It cannot be used for another reason, or the file cannot be written.
    """
    library = load_librealsense()
    try:
        device = find_device(list(library.context().query_devices()), serial)
        title = name_device(device)
        require_firmware(device, title)
    except RuntimeError as error:
        raise translate_error(error, "the depth camera") from None
    frames = StreamingPipeline(device, title, SIZE, SIZE if has_color else None, record_to)
    return RealSenseCamera(frames, title, clock, wall_clock, is_smooth=is_smooth)
