"""A camera that is one depth image in a file, for trying what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handhold.perception.cameras.calibration import Pinhole
from handhold.perception.cameras.camera_errors import CameraLost
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.picture_file import read_color, read_depth

PERIOD = 1.0 / 30.0
"""Time between two frames [s]: what other cameras have."""


class ImageFileCamera:
    """Gives the same depth image again and again, as a camera does that stands still in a world that does.

    Args:
        path: A PNG of 16 bits a pixel.
        pinhole: Through which it was taken.
        unit: Of its depth [m].
        clock: Clock that the times of frames are by [s].
        sleep: Waits for a time [s].
        color: A PNG with colours, aligned with the depth image; None for none.

    Attributes:
        title: Name for people.

    Raises:
        BadFrame: A file is no such picture, or the intrinsics are not of its size.
        CameraLibraryMissing: pillow is not installed.
        OSError: A file cannot be read.
    """

    def __init__(
        self,
        path: Path,
        pinhole: Pinhole,
        unit: float,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        color: Path | None = None,
    ) -> None:
        self.title = f"picture {path.name}"
        self._clock, self._sleep = clock, sleep
        depth = read_depth(path)
        height, width = depth.shape
        self._frame: DepthFrame | None = DepthFrame(
            time=clock(),
            number=0,
            depth=depth,
            unit=unit,
            intrinsics=pinhole.with_size(width, height),
            color=None if color is None else read_color(color, (width, height)),
        )
        self._intrinsics = self._frame.intrinsics
        self._due = self._frame.time
        self._number = 0

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth image."""
        return self._intrinsics

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the image with the time of now once the next is due, or None where that takes longer than a time [s].

        Raises:
            CameraLost: The camera is closed.
        """
        if self._frame is None:
            raise CameraLost(self.title, "it is closed")
        wait = self._due - self._clock()
        if wait > 0.0:
            self._sleep(min(wait, timeout))
        if wait > timeout:
            return None
        now = self._clock()
        self._due = max(self._due + PERIOD, now)
        self._number += 1
        frame = self._frame
        return DepthFrame(
            time=now,
            number=self._number,
            depth=frame.depth,
            unit=frame.unit,
            intrinsics=frame.intrinsics,
            color=frame.color,
        )

    def close(self) -> None:
        """Forget the image."""
        self._frame = None
