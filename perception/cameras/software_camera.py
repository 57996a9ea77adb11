"""A camera that is fed with depth frames, and passes them through all that a connected camera's pass through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from handhold.perception.cameras.camera_errors import CameraLost, StreamSize
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.framesets import FrameMaker
from handhold.perception.cameras.software_device import NAME, ColorCamera, SoftwareDevice
from handhold.perception.cameras.streaming_pipeline import StreamingPipeline
from handhold.perception.errors import BadFrame


class SoftwareCamera:
    """A camera that gives the frames that it is given.

    What comes out is what went in, to the unit: depth, number and time (to a nanosecond); a picture is laid over the depth
    image by librealsense, which leaves it black where nothing was measured.

    Args:
        intrinsics: Of the depth images.
        unit: Of the depth images [m].
        color: Camera that takes the pictures; None for none.
        is_smooth: Whether depth is averaged over time.
        record_to: A new ``.db3`` file that all frames are recorded in; it is whole once the camera is closed. Packing takes
            20 ms a frame of 848 x 480 pixels, and frames that are fed faster wait in memory.
        serial: Serial number of the camera, as it stands in a recording.

    Attributes:
        title: Name for people.

    Raises:
        RecordingNotWritten: The file cannot be written.
        CameraLibraryMissing: librealsense is not installed.
    """

    title = NAME

    def __init__(
        self,
        intrinsics: Intrinsics,
        unit: float,
        *,
        color: ColorCamera | None = None,
        is_smooth: bool = False,
        record_to: Path | None = None,
        serial: str = "0",
    ) -> None:
        self._intrinsics, self._unit = intrinsics, unit
        self._color_size = None if color is None else (color.intrinsics.width, color.intrinsics.height)
        self._device: SoftwareDevice | None = SoftwareDevice(intrinsics, unit, color, serial)
        size = (intrinsics.width, intrinsics.height)
        self._frames: Any = StreamingPipeline(self._device.device, NAME, size, self._color_size, record_to)
        self._maker: FrameMaker | None = FrameMaker(self._frames.streams, _find_time, is_smooth=is_smooth)

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth images."""
        return self._intrinsics

    def push(self, frame: DepthFrame, picture: np.ndarray | None = None) -> None:
        """Take an image.

        Args:
            frame: What the depth camera sees.
            picture: What the colour camera sees, where there is one, shape ``(height, width, 3)``, uint8; None for the
                frame's own.

        Raises:
            StreamSize: An image has another size than its camera.
            BadFrame: The unit is another than the camera's.
            CameraLost: The camera is closed.
        """
        if self._device is None:
            raise CameraLost(NAME, "it is closed")
        own = (self._intrinsics.width, self._intrinsics.height)
        _require_size(frame.depth, own)
        if frame.unit != self._unit:
            raise BadFrame(f"a depth unit of {frame.unit} m from a camera with {self._unit} m", "give the camera's own unit")
        self._device.push_depth(frame.depth, frame.time, frame.number)
        if self._color_size is not None:
            seen = frame.color if picture is None else picture
            if seen is None:
                raise StreamSize("no picture", f"one of {self._color_size[0]} x {self._color_size[1]} pixels")
            _require_size(seen, self._color_size)
            if seen.dtype != np.uint8 or seen.shape[2:] != (3,):
                raise BadFrame(f"a picture of {seen.dtype}", "give three colours of 8 bits a pixel")
            self._device.push_color(seen, frame.time, frame.number)

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the newest frame that has not been returned, or None where none comes within a time [s].

        Raises:
            CameraLost: The camera is closed.
        """
        if self._frames is None or self._maker is None:
            raise CameraLost(NAME, "it is closed")
        frameset = self._frames.take(timeout)
        return None if frameset is None else self._maker.make(frameset)

    def close(self) -> None:
        """Let go of the library; what was recorded is written out."""
        if self._frames is not None:
            self._frames.stop()
        # whoever holds a part of the recorder keeps its file open
        self._frames = self._maker = self._device = None


def _find_time(frame: Any) -> float:
    return 1e-3 * float(frame.get_timestamp())


def _require_size(image: np.ndarray, size: tuple[int, int]) -> None:
    if image.shape[:2] != size[::-1]:
        raise StreamSize(f"{image.shape[1]} x {image.shape[0]} pixels", f"one of {size[0]} x {size[1]} pixels")
