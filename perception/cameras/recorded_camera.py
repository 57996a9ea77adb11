"""A camera whose frames were recorded by librealsense."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from handhold.perception.cameras.camera_errors import CameraFailed, RecordingEnded, RecordingUnreadable, StreamSize
from handhold.perception.cameras.color_pairing import ColorPairing
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.cameras.framesets import FrameMaker, FramesetJoiner
from handhold.perception.cameras.playback import Playback
from handhold.perception.cameras.recording_check import check_recording
from handhold.perception.errors import BadFrame

SLICE = 0.02
"""Time after which it is looked whether the recording has ended [s]: a wait of librealsense's outlasts it."""

OPENING = 60.0
"""Time within which a recording has to give its first frame [s]."""

MAX_TAIL = 0.25
"""Time of a recording that may be missing at its end [s]: a camera stops in the middle of something."""


class RecordedCamera:
    """Plays a recording: every depth image of it, as fast as they are read, or as fast as they were recorded.

    Times and numbers of frames are the recording's. A frame has no picture where none was taken within 0.1 s.

    Args:
        path: A ``.db3`` or ``.bag`` file.
        is_paced: Whether frames come at the rate at which they were recorded; who reads too slowly misses some then.
        is_smooth: Whether depth is averaged over time.

    Attributes:
        title: Name for people.

    Raises:
        RecordingUnreadable: It is none, or has no depth images.
        CameraLibraryMissing: librealsense is not installed.
    """

    def __init__(self, path: Path, *, is_paced: bool = False, is_smooth: bool = False) -> None:
        self._path = path
        self._is_paced = is_paced
        self._facts = check_recording(path)
        self._frames, self._stamp = 0, -math.inf
        self._pairing, self._joiner = ColorPairing(), FramesetJoiner()
        try:
            self._playback: Playback | None = Playback(path, is_paced=is_paced)
        except (RuntimeError, UnicodeDecodeError) as error:
            raise RecordingUnreadable(path, _shorten(error)) from None
        except (BadFrame, CameraFailed) as error:
            raise RecordingUnreadable(path, _name_problem(error)) from None
        self.title = f"recording {path.name} of {self._playback.name}"
        self._streams = self._playback.streams
        self._maker = FrameMaker(self._streams, _find_time, is_smooth=is_smooth, counts_bytes=True)
        self._first: DepthFrame | None = self._read_first(self._playback)

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth images."""
        return self._streams.intrinsics

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the next frame, or None where none comes within a time [s].

        Raises:
            RecordingEnded: There is none.
            RecordingUnreadable: The rest of the recording is damaged.
            StreamSize: The frame is of another size than the recording says.
        """
        if self._playback is None:
            raise RecordingEnded(self._path, self._frames)
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return self._read(self._playback, timeout)

    def close(self) -> None:
        """Let go of the file."""
        if self._playback is not None:
            self._playback.stop()
        self._playback = self._first = None
        self._pairing = ColorPairing()

    def _read_first(self, playback: Playback) -> DepthFrame:
        """Read the first frame: only then is it known that the recording is one."""
        try:
            frame = self._read(playback, OPENING)
        except (BadFrame, StreamSize) as error:
            self.close()
            raise RecordingUnreadable(self._path, _name_problem(error)) from None
        except RecordingEnded:
            frame = None
        if frame is None:
            self.close()
            raise RecordingUnreadable(self._path, "it has no frames")
        return frame

    def _read(self, playback: Playback, timeout: float) -> DepthFrame | None:
        for _ in range(max(1, math.ceil(timeout / SLICE))):
            frame = self._read_next(playback, min(timeout, SLICE))
            if frame is not None:
                return frame
            if playback.has_stopped():
                return self._read_rest(playback)
        return None

    def _read_next(self, playback: Playback, timeout: float) -> DepthFrame | None:
        """Take one image from the player, if none of those taken is ready."""
        is_alone = self._streams.color_size is None
        pair = self._pairing.take(is_last=is_alone)
        if pair is None:
            image = playback.take(timeout)
            if image is not None:
                self._add(image)
            pair = self._pairing.take(is_last=is_alone)
        return self._make(pair)

    def _read_rest(self, playback: Playback) -> DepthFrame:
        """Return one of the last frames: the player has stopped."""
        while (image := playback.take(0.0)) is not None:
            self._add(image)
        frame = self._make(self._pairing.take(is_last=True))
        if frame is not None:
            return frame
        last = self._facts.last_stamp
        if last is not None and not self._is_paced and last - self._stamp > MAX_TAIL:
            missing = f"{last - self._stamp:.1f} s before its end"
            raise RecordingUnreadable(self._path, f"it is damaged after {self._frames} depth images, {missing}")
        raise RecordingEnded(self._path, self._frames)

    def _add(self, image: Any) -> None:
        if image.is_depth_frame():
            self._pairing.add_depth(image.as_depth_frame())
        else:
            self._pairing.add_picture(image)

    def _make(self, pair: tuple[Any, Any | None] | None) -> DepthFrame | None:
        if pair is None:
            return None
        frame = self._maker.make(self._joiner.join([image for image in pair if image is not None]))
        self._frames += 1
        self._stamp = frame.time
        return frame


def _find_time(frame: Any) -> float:
    return 1e-3 * float(frame.get_timestamp())


def _name_problem(error: BadFrame | CameraFailed | StreamSize) -> str:
    """Return what is wrong without what would mend it with a camera."""
    return error.reason if isinstance(error, CameraFailed) else str(error).partition(": ")[0]


def _shorten(error: Exception) -> str:
    """Return what a message of the library says in one line; one word is its reader of numbers."""
    reason = " ".join(str(error).split())
    return reason if " " in reason else "it is damaged: there is no number where one belongs"
