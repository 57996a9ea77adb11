"""librealsense's pipeline on a device that streams by itself, and the newest frameset that came of it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from handhold.perception.cameras.camera_errors import RecordingNotWritten, StreamRefused
from handhold.perception.cameras.camera_streams import CameraStreams, read_streams
from handhold.perception.cameras.librealsense import load_librealsense, translate_error
from handhold.perception.cameras.realsense_devices import read_info

RATE = 30
"""Frames that are asked for [1/s]."""

FLUSHES = 60
"""How often it is waited that recorded frames are written out: librealsense does so for 10 s, then it drops the rest."""


class StreamingPipeline:
    """A running pipeline.

    Framesets are handed over in a queue: ``pipeline.wait_for_frames`` itself would start a lost camera anew, which blocks for
    up to 15 s.

    Args:
        device: Of librealsense.
        title: Name of the camera for people.
        depth_size: Columns and rows of the depth image.
        color_size: Columns and rows of the colour picture; None for none.
        record_to: A new ``.db3`` file that all frames are recorded in; None to record nothing.

    Attributes:
        streams: What the device streams.

    Raises:
        StreamRefused: The device does not offer these images.
        RecordingNotWritten: The file cannot be written.
        PerceptionError: The device cannot be used.
    """

    def __init__(
        self,
        device: Any,
        title: str,
        depth_size: tuple[int, int],
        color_size: tuple[int, int] | None,
        record_to: Path | None = None,
    ) -> None:
        library = load_librealsense()
        config = library.config()
        config.enable_stream(library.stream.depth, *depth_size, library.format.z16, RATE)
        if color_size is not None:
            config.enable_stream(library.stream.color, *color_size, library.format.rgb8, RATE)
        if record_to is not None:
            require_new_recording(record_to)
            config.enable_record_to_file(str(record_to))
        self._queue = library.frame_queue(1, keep_frames=True)
        self._pipeline = library.pipeline()
        self._pipeline.set_device(device)
        try:
            # by its name: a queue can be called, too, and would be from Python for every frame
            profile = self._pipeline.start(config, queue=self._queue)
        except RuntimeError as error:
            raise _explain(error, device, title, depth_size, record_to) from None
        self._device = device
        self._recorder = None if record_to is None else profile.get_device().as_recorder()
        self.streams: CameraStreams = read_streams(profile.get_streams(), device, title)

    def take(self, timeout: float) -> Any | None:
        """Return the newest frameset that has not been taken, or None where none comes within a time [s]."""
        has_come, frame = self._queue.try_wait_for_frame(max(0, round(1e3 * timeout)))
        return frame.as_frameset() if has_come else None

    def is_connected(self) -> bool:
        """Tell whether the device is there."""
        return bool(self._device.is_connected())

    def stop(self) -> None:
        """Stop streaming; a recording is whole once this and all framesets are gone."""
        with contextlib.suppress(RuntimeError):  # a device that is gone cannot be told to
            self._pipeline.stop()
        if self._recorder is not None:
            for _ in range(FLUSHES):
                self._recorder.pause()


def require_new_recording(path: Path) -> None:
    """Refuse to record where that would fail later, or destroy something.

    Raises:
        RecordingNotWritten: It would.
    """
    if path.suffix != ".db3":
        raise RecordingNotWritten(path, "recordings are .db3 files")
    if path.exists():
        raise RecordingNotWritten(path, "it is there already")
    if not path.parent.is_dir():
        raise RecordingNotWritten(path, "there is no such folder")


def _explain(error: RuntimeError, device: Any, title: str, size: tuple[int, int], record_to: Path | None) -> Exception:
    if record_to is not None and "storage" in str(error):
        return RecordingNotWritten(record_to, str(error))
    explained = translate_error(error, title)
    if isinstance(explained, StreamRefused):
        wanted = f"depth of {size[0]} x {size[1]} pixels with colour at {RATE} Hz"
        return StreamRefused(title, wanted, read_info(device, "usb_type_descriptor"))
    return explained
