"""Opens the camera, recording or picture that somebody names."""

from __future__ import annotations

import time
from pathlib import Path

from handhold.app.camera.cloud_inspection import CLOUDS
from handhold.app.camera.connected_cameras import LIVE, PREFIX, is_live
from handhold.app.errors import AppError
from handhold.perception.cameras.calibration import parse_pinhole, read_calibration
from handhold.perception.cameras.depth_camera import DepthCamera
from handhold.perception.cameras.image_file import ImageFileCamera
from handhold.perception.cameras.realsense import open_realsense
from handhold.perception.cameras.recorded_camera import RecordedCamera

RECORDINGS = (".db3", ".bag")
PICTURES = (".png",)
CALIBRATIONS = (".xml", ".yaml", ".yml")

DEFAULT_UNIT = 1e-3
"""Unit of depth in pictures of most cameras [m]."""


class IntrinsicsNeeded(AppError):
    """A depth image in a file does not say through which pinhole it was taken.

    Attributes:
        file: The file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"{file}: a picture does not say how it was taken; give --intrinsics FX,FY,CX,CY or a file")


class UnknownSource(AppError):
    """What is named is no camera.

    Attributes:
        name: What was named.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        kinds = ", ".join((*RECORDINGS, *PICTURES, *CLOUDS))
        super().__init__(f"'{name}' is no camera; give 'live', or a file that ends in one of {kinds}")


def open_connected(serial: str | None) -> DepthCamera:
    """Open a camera that is connected, by its serial number; None for the first one found.

    Raises:
        PerceptionError: It cannot be opened.
    """
    return open_realsense(time.monotonic, time.time, serial=serial)


def open_camera(
    name: str, intrinsics: str = "", unit: float = DEFAULT_UNIT, color: Path | None = None, *, is_paced: bool = False
) -> DepthCamera:
    """Open a camera.

    Args:
        name: ``live``, ``live:SERIAL``, or the path of a recording or of a picture.
        intrinsics: Of a picture: numbers, or the path of a calibration file.
        unit: Of a picture's depth [m].
        color: Its colours, a picture aligned with it; None without.
        is_paced: Whether a recording is played as fast as it was made.

    Raises:
        UnknownSource: It is none of these.
        IntrinsicsNeeded: It is a picture without intrinsics.
        PerceptionError: The camera cannot be opened.
        OSError: The file cannot be read.
    """
    if name.strip() == PREFIX:
        raise UnknownSource(name)
    if is_live(name):
        return open_connected(None if name == LIVE else name.removeprefix(PREFIX))
    path = Path(name)
    kind = path.suffix.lower()
    if kind in RECORDINGS:
        return RecordedCamera(path, is_paced=is_paced)
    if kind not in PICTURES:
        raise UnknownSource(name)
    if not intrinsics:
        raise IntrinsicsNeeded(path)
    is_file = Path(intrinsics).suffix.lower() in CALIBRATIONS
    pinhole = read_calibration(Path(intrinsics)) if is_file else parse_pinhole(intrinsics)
    return ImageFileCamera(path, pinhole, unit, time.monotonic, time.sleep, color)
