"""A device of librealsense whose images a program makes: the library does with them what it does with a camera's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.cameras.framesets import COLOR_BYTES, DEPTH_BYTES
from handhold.perception.cameras.librealsense import load_librealsense
from handhold.perception.cameras.streaming_pipeline import RATE

NAME = "software camera"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ColorCamera:
    """The colour camera beside a depth camera.

    Attributes:
        intrinsics: Of its pictures.
        transform_depth_to_color: From the depth camera's optical frame to its own, shape ``(4, 4)``, homogeneous.
    """

    intrinsics: Intrinsics
    transform_depth_to_color: np.ndarray = field(default_factory=lambda: np.eye(4))


class SoftwareDevice:
    """A depth camera, and perhaps a colour camera, of librealsense that a program feeds.

    Attributes:
        device: The library's.
    """

    def __init__(self, intrinsics: Intrinsics, unit: float, color: ColorCamera | None, serial: str) -> None:
        self._library = library = load_librealsense()
        self.device = library.software_device()
        self.device.register_info(library.camera_info.name, NAME)
        self.device.register_info(library.camera_info.serial_number, serial)
        self._sensor = self.device.add_sensor("Stereo Module")
        self._sensor.add_read_only_option(library.option.depth_units, unit)
        if intrinsics.baseline > 0.0:
            self._sensor.add_read_only_option(library.option.stereo_baseline, 1e3 * intrinsics.baseline)
        self._unit = unit
        depth_stream = self._make_stream(library.stream.depth, library.format.z16, intrinsics, DEPTH_BYTES)
        self._profile = self._sensor.add_video_stream(depth_stream).as_video_stream_profile()
        self._state_rate(self._sensor)
        if color is not None:
            self._add_color(color)
        self.device.create_matcher(library.matchers.default)

    def push_depth(self, depth: np.ndarray, stamp: float, number: int, domain: str = "hardware_clock") -> None:
        """Let the depth camera take an image.

        Args:
            depth: Shape ``(height, width)``, uint16.
            stamp: When [s].
            number: Of the image.
            domain: Name of the clock that stamped it, as the library calls it.
        """
        frame = self._make_frame(depth, DEPTH_BYTES, self._profile, stamp, number, domain)
        frame.depth_units = self._unit
        self._sensor.on_video_frame(frame)

    def push_color(self, picture: np.ndarray, stamp: float, number: int, domain: str = "hardware_clock") -> None:
        """Let the colour camera take a picture, shape ``(height, width, 3)``, uint8; see ``push_depth``."""
        frame = self._make_frame(picture, COLOR_BYTES, self._color_profile, stamp, number, domain)
        self._color_sensor.on_video_frame(frame)

    def _add_color(self, color: ColorCamera) -> None:
        library = self._library
        self._color_sensor = self.device.add_sensor("RGB Camera")
        stream = self._make_stream(library.stream.color, library.format.rgb8, color.intrinsics, COLOR_BYTES)
        self._color_profile = self._color_sensor.add_video_stream(stream).as_video_stream_profile()
        self._state_rate(self._color_sensor)
        extrinsics = library.extrinsics()
        # column by column
        extrinsics.rotation = color.transform_depth_to_color[:3, :3].T.ravel().tolist()
        extrinsics.translation = color.transform_depth_to_color[:3, 3].tolist()
        self._profile.register_extrinsics_to(self._color_profile, extrinsics)

    def _state_rate(self, sensor: Any) -> None:
        """State the rate, in thousandths, with each frame.

        Without, the syncer takes number over time since 0 for it, and lets depth go without the colour of the same time.
        """
        sensor.set_metadata(self._library.frame_metadata_value.actual_fps, 1000 * RATE)

    def _make_stream(self, kind: Any, layout: Any, intrinsics: Intrinsics, pixel: int) -> Any:
        library = self._library
        pinhole = library.intrinsics()
        pinhole.width, pinhole.height = intrinsics.width, intrinsics.height
        pinhole.fx, pinhole.fy, pinhole.ppx, pinhole.ppy = intrinsics.fx, intrinsics.fy, intrinsics.cx, intrinsics.cy
        pinhole.model, pinhole.coeffs = library.distortion.none, [0.0] * 5
        stream = library.video_stream()
        stream.type, stream.fmt, stream.intrinsics = kind, layout, pinhole
        stream.index, stream.uid = 0, int(kind)
        stream.width, stream.height, stream.fps, stream.bpp = intrinsics.width, intrinsics.height, RATE, pixel
        return stream

    def _make_frame(self, image: np.ndarray, pixel: int, profile: Any, stamp: float, number: int, domain: str) -> Any:
        library = self._library
        frame = library.software_video_frame()
        frame.pixels = np.ascontiguousarray(image)
        frame.stride, frame.bpp = pixel * image.shape[1], pixel
        frame.timestamp, frame.domain = 1e3 * stamp, getattr(library.timestamp_domain, domain)
        frame.frame_number, frame.profile = number, profile
        return frame
