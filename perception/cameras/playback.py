"""librealsense's player of recordings, and the images that it reads, every one of them.

It is not played through a pipeline: between its syncer and its queue framesets are lost where whoever reads is slower than the
file, even where the player is told to wait; and a pipeline with a queue of its own never gets beyond the second frameset then.
The player's sensors wait.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from handhold.perception.cameras.camera_streams import CameraStreams, find_streams, read_streams
from handhold.perception.cameras.librealsense import load_librealsense
from handhold.perception.cameras.realsense_devices import read_info

QUEUE = 8
"""Images that wait to be taken; more than the player may have under way when it is stopped, or it never stops."""


class Playback:
    """A recording that is being played.

    Args:
        path: Of the recording.
        is_paced: Whether images come at the rate at which they were recorded, and are lost where nobody takes them.

    Attributes:
        name: Of the camera that was recorded, for people.
        streams: What was recorded.

    Raises:
        RuntimeError: The library cannot read it.
        PerceptionError: It has no depth images of use.
    """

    def __init__(self, path: Path, *, is_paced: bool) -> None:
        self._sensors: list[Any] = []
        library = load_librealsense()
        self._context = library.context()
        self._player = self._context.load_device(str(path))
        # before it starts: what is played at first is lost otherwise
        self._player.set_real_time(is_paced)
        self.name = read_info(self._player, "name") or "a depth camera"
        sensors = list(self._player.query_sensors())
        profiles = [profile for sensor in sensors for profile in sensor.get_stream_profiles()]
        self.streams: CameraStreams = read_streams(profiles, self._player, path.name)
        wanted = {profile.unique_id() for profile in find_streams(profiles, path.name) if profile is not None}
        self._queue = library.frame_queue(QUEUE, keep_frames=True)
        for sensor in sensors:
            chosen = [profile for profile in sensor.get_stream_profiles() if profile.unique_id() in wanted]
            if chosen:
                sensor.open(chosen)
                self._sensors.append(sensor)
        # by its name: a queue can be called, too, and would be by a thread that keeps Python waiting while the queue is full
        # and all of them before it plays: it drops what it reads for the others
        self._player.pause()
        for sensor in self._sensors:
            sensor.start(queue=self._queue)
        self._player.resume()

    def take(self, timeout: float) -> Any | None:
        """Return the next image, depth or colour, or None where none comes within a time [s]."""
        has_come, frame = self._queue.try_wait_for_frame(max(0, round(1e3 * timeout)))
        return frame if has_come else None

    def has_stopped(self) -> bool:
        """Tell whether the recording has ended; images may be left to take."""
        return bool(self._player.current_status().name == "stopped")

    def __del__(self) -> None:
        # the library ends the process where a player is forgotten while it plays
        self.stop()

    def stop(self) -> None:
        """Stop playing; stopping twice is no error."""
        if not self._sensors:
            return
        # a player that waits for room in the queue cannot be stopped: let it lose what it reads, and make room
        self._player.set_real_time(True)
        while self.take(0.0) is not None:
            pass
        self._player.pause()
        for sensor in self._sensors:
            with contextlib.suppress(RuntimeError):  # where it has ended
                sensor.stop()
                sensor.close()
        # waits until its thread has nothing left to do: it would go on with what is gone
        self._player.pause()
        self._sensors = []
