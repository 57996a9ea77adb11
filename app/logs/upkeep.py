"""What a log needs besides being written: to be brought to its disk, and room among the other logs."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

SYNC_PERIOD = 0.2
"""How long what was written may wait until the disk is asked to keep it [s]."""

CLOSE_TIME = 5.0
"""What a disk may take to keep the end of a log before it is left to it [s]."""


_NOT_OFFERED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


class LogUpkeep:
    """A thread that syncs the file that is written and makes room as it grows.

    It is not the recorder's: a disk that is busy takes up to tenths of a second to sync, while writing to the kernel goes on.
    """

    def __init__(self, fail: Callable[[OSError], None], make_room: Callable[[int], None]) -> None:
        """Start nothing yet.

        Args:
            fail: Called with an error of the disk.
            make_room: Called with the bytes written so far, over all files, after each sync.
        """
        self._fail = fail
        self._make_room = make_room
        self._lock = threading.Lock()
        self._streams: list[BinaryIO] = []
        self._finished_bytes = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log upkeep", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def follow(self, stream: BinaryIO) -> None:
        """Take a file that is begun; the one before has been written to its end."""
        with self._lock:
            self._streams.append(stream)

    def close(self) -> None:
        """Sync and close all files; a disk that does not answer is not waited for."""
        self._closing.set()
        self._thread.join(CLOSE_TIME)

    def _run(self) -> None:
        new: BinaryIO | None = None
        while True:
            closing = self._closing.wait(SYNC_PERIOD)
            with self._lock:
                streams = list(self._streams)
            try:
                if streams and streams[-1] is not new:
                    new = streams[-1]
                    _sync_folder(Path(new.name).parent)
                self._sync(streams)
            except OSError as error:
                self._fail(error)
            self._drop(streams if closing else streams[:-1])
            if closing:
                return

    def _sync(self, streams: list[BinaryIO]) -> None:
        for stream in streams:
            _bring_to_disk(os.fdatasync, stream.fileno())
        self._make_room(self._finished_bytes + sum(os.fstat(stream.fileno()).st_size for stream in streams))

    def _drop(self, finished: list[BinaryIO]) -> None:
        for stream in finished:
            self._finished_bytes += os.fstat(stream.fileno()).st_size
            try:
                stream.close()
            except OSError as error:
                self._fail(error)
        with self._lock:
            del self._streams[: len(finished)]


def _sync_folder(folder: Path) -> None:
    """Bring the name of a new file to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        _bring_to_disk(os.fsync, handle)
    finally:
        os.close(handle)


def _bring_to_disk(sync: Callable[[int], None], handle: int) -> None:
    """Ask the disk to keep what was written; some file systems (shared folders, FUSE) have no such thing."""
    try:
        sync(handle)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            raise
