"""The newest part of a log in memory that outlives the host: what its thread has not written yet.

The control loop copies each entry there itself. A thread of its process cannot promise to be quick: beside busy processes it
waited up to 0.23 s for processor and interpreter, and a write to a busy disk may wait as well. The memory is a file of a file
system without a disk (``/dev/shm``); it goes with the session, or with the machine, and is read where a log was not closed.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from handhold.app.logs.lock import is_in_use, lock_for_writing

TAIL_FOLDER = Path("/dev/shm")
"""Where tails are; on a system without it logs have none, and lose what their thread has not written."""

REGION_BYTES = 1 << 23
"""Size of each of the two regions: 1.9 s of Talos. They are filled in turns."""

SWITCH_BYTES = 1 << 18
"""Where the other region is begun, as soon as all it holds is written: few pages of memory are touched."""

MAX_LEFT_TAILS = 4
"""Tails of killed hosts that stay to be read: the newest ones."""

_NAME = re.compile(r"handhold-[0-9]+-[0-9]+\.tail")
_USED = struct.Struct("<Q")
_ENTRY = struct.Struct("<QdII")
"""Number, host time [s], topic and length [bytes] of an entry."""


class LogTail:
    """The entries of a log that may not have been written yet, oldest first; used by the loop, but for ``written``.

    Attributes:
        name: Its name for ``read_tail``, or empty where there is none on this system.
        written: Number of the last entry that needs it no longer; set by the thread that writes.
    """

    def __init__(self, process: int, time_ns: int, folder: Path = TAIL_FOLDER) -> None:
        """Make the memory.

        Args:
            process: Number of the process.
            time_ns: Any clock [ns]; with the process it makes the name one of its own.
            folder: Folder of a file system without a disk.
        """
        self.name = f"handhold-{process}-{time_ns}.tail"
        self.written = 0
        self._file = folder / self.name
        self._region, self._used, self._last = 0, 0, [0, 0]
        try:
            self._memory = self._make()
        except OSError:
            self.name = ""

    def _make(self) -> mmap.mmap:
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self._stream = os.fdopen(handle, "r+b", buffering=0)
        lock_for_writing(self._stream)
        try:
            # reserved, not only asked for: a page that cannot be had later would kill the host
            os.posix_fallocate(handle, 0, 2 * REGION_BYTES)
        except OSError:
            self._stream.close()
            self._file.unlink()
            raise
        return mmap.mmap(handle, 2 * REGION_BYTES)

    def append(self, number: int, topic: int, host_time: float, data: bytes) -> None:
        """Add an entry; one that finds no room is left out, and so are for the reader those behind it.

        Args:
            number: Its number; they follow each other without a gap.
            topic: Number of its topic.
            host_time: Clock of the host [s].
            data: Its bytes.
        """
        if not self.name:
            return
        other = 1 - self._region
        if self._used > SWITCH_BYTES and self._last[other] <= self.written:
            self._region, self._used = other, 0
        length = _ENTRY.size + len(data)
        start = self._region * REGION_BYTES
        offset = start + _USED.size + self._used
        if self._used + length > REGION_BYTES - _USED.size:
            return
        if self._used == 0:
            # what the region held is no longer valid before it is written over
            _USED.pack_into(self._memory, start, 0)
        _ENTRY.pack_into(self._memory, offset, number, host_time, topic, len(data))
        self._memory[offset + _ENTRY.size : offset + length] = data
        self._used += length
        self._last[self._region] = number
        # last, so that a kill in between leaves the entry out
        _USED.pack_into(self._memory, start, self._used)

    def close(self) -> None:
        """Give the memory back: the log is complete."""
        if self.name:
            self.name = ""
            self._memory.close()
            self._stream.close()
            with contextlib.suppress(OSError):
                self._file.unlink()


def read_tail(name: str, after: int | None, folder: Path = TAIL_FOLDER) -> Iterator[tuple[int, float, bytes]]:
    """Return topic, host time [s] and bytes of the entries that follow each other without a gap.

    None where there is no such tail, where it is not this user's, or where its host is alive and goes on writing.

    Args:
        name: Name of the tail.
        after: Number of the last entry that is known; None for all that are still there.
        folder: Folder of tails.
    """
    file = folder / name
    if not _NAME.fullmatch(name) or not _is_ours(file) or is_in_use(file):
        return
    data = file.read_bytes()
    entries = {number: entry for region in range(2) for number, entry in _read_region(data, region * REGION_BYTES)}
    after = min(entries, default=0) - 1 if after is None else after
    while (entry := entries.get(after := after + 1)) is not None:
        yield entry


def remove_old_tails(folder: Path = TAIL_FOLDER) -> None:
    """Remove the tails that killed hosts of this user have left, but for the newest ``MAX_LEFT_TAILS``."""
    with contextlib.suppress(OSError):
        ours = [file for file in folder.glob("handhold-*.tail") if _NAME.fullmatch(file.name) and _is_ours(file)]
        left = [file for file in ours if not is_in_use(file)]
        for file in sorted(left, key=lambda file: file.stat().st_mtime_ns)[:-MAX_LEFT_TAILS]:
            file.unlink()


def _read_region(data: bytes, start: int) -> Iterator[tuple[int, tuple[int, float, bytes]]]:
    if len(data) < start + REGION_BYTES:
        return
    (used,) = _USED.unpack_from(data, start)
    offset = start + _USED.size
    end = min(offset + used, start + REGION_BYTES)
    while offset + _ENTRY.size <= end:
        number, host_time, topic, length = _ENTRY.unpack_from(data, offset)
        offset += _ENTRY.size + length
        if offset > end:
            return
        yield number, (topic, host_time, data[offset - length : offset])


def _is_ours(file: Path) -> bool:
    try:
        return not file.is_symlink() and file.stat().st_uid == os.geteuid()
    except OSError:
        return False
