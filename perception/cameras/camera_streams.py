"""What a camera of librealsense streams: which images, through which pinhole, in which unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handhold.perception.cameras.camera_errors import CameraFailed
from handhold.perception.cameras.depth_frame import Intrinsics

MAX_DISTORTION = 1e-6
"""Coefficient of distortion from which on an image is no pinhole's [-]; those of rectified images are 0."""

COLOR_FORMATS = ("rgb8", "bgr8")
"""Formats of colour pictures that are taken, by librealsense's names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStreams:
    """The streams of a camera.

    Attributes:
        intrinsics: Of the depth image, with the baseline where it is known.
        unit: Of the depth image [m].
        color_size: Columns and rows of the colour picture before it is aligned; None without colour.
        is_bgr: Whether blue comes first in it.
    """

    intrinsics: Intrinsics
    unit: float
    color_size: tuple[int, int] | None
    is_bgr: bool = False


def find_streams(profiles: list[Any], title: str) -> tuple[Any, Any | None]:
    """Return the profiles of the depth and the colour stream among those of a camera; None without colour.

    Raises:
        CameraFailed: It has no depth image of 16 bits a pixel.
    """
    kinds = [(profile.stream_type().name, profile.format().name, profile) for profile in profiles]
    depth = next((profile for kind, layout, profile in kinds if kind == "depth" and layout == "z16"), None)
    if depth is None:
        raise CameraFailed(title, "it has no depth image of 16 bits a pixel")
    return depth, next((profile for kind, layout, profile in kinds if kind == "color" and layout in COLOR_FORMATS), None)


def read_streams(profiles: list[Any], device: Any, title: str) -> CameraStreams:
    """Return what a camera streams.

    Args:
        profiles: Of its streams.
        device: Itself; not that which stands in its place while it is recorded, which has no options.
        title: Name of the camera for people.

    Raises:
        CameraFailed: It has no depth image, one without a unit, or one that is distorted.
        BadFrame: Its intrinsics or its unit are none.
    """
    depth, color = find_streams(profiles, title)
    pinhole = depth.as_video_stream_profile().get_intrinsics()
    if any(abs(coefficient) > MAX_DISTORTION for coefficient in pinhole.coeffs):
        raise CameraFailed(title, "its depth image is distorted")
    options = _read_options(device)
    if "depth_units" not in options:
        raise CameraFailed(title, "it does not say in which unit its depth is")
    picture = None if color is None else color.as_video_stream_profile()
    return CameraStreams(
        intrinsics=Intrinsics(
            width=pinhole.width,
            height=pinhole.height,
            fx=_round(pinhole.fx),
            fy=_round(pinhole.fy),
            cx=_round(pinhole.ppx),
            cy=_round(pinhole.ppy),
            baseline=1e-3 * abs(options.get("stereo_baseline", 0.0)),
        ),
        unit=options["depth_units"],
        color_size=None if picture is None else (picture.width(), picture.height()),
        is_bgr=picture is not None and picture.format().name == "bgr8",
    )


def _read_options(device: Any) -> dict[str, float]:
    """Return what the depth sensor says of its images; it is the sensor that has a unit."""
    for sensor in device.query_sensors():
        options = {option.name: option for option in sensor.get_supported_options()}
        if "depth_units" in options:
            wanted = {"depth_units", "stereo_baseline"} & options.keys()
            return {name: _round(sensor.get_option(options[name])) for name in wanted}
    return {}


def _round(value: float) -> float:
    """Return a number that was a float of 32 bits as it was written: 0.001, not 0.0010000000474974513."""
    return float(f"{value:.7g}")
