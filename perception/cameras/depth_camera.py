"""What every depth camera offers, whether it is connected, recorded, fed or a picture in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics


class DepthCamera(Protocol):
    """Gives depth images, one after the other."""

    @property
    def title(self) -> str:
        """Name for people."""

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth images that it gives."""

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the newest frame that has not been returned, or None where none comes.

        Args:
            timeout: How long to wait for one [s].

        Raises:
            CameraLost: The camera is gone.
            RecordingEnded: There is no further frame.
            PerceptionError: The frame is of no use.
        """

    def close(self) -> None:
        """Let go of the camera; closing twice is no error."""


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How a camera is, for whoever has to know why no frames come.

    Attributes:
        connected: Whether frames may be expected.
        words: The same for people, with what to do where it is not connected.
    """

    connected: bool
    words: str
