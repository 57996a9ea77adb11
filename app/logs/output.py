"""The files of a log: MCAP, each batch a chunk of its own, which another process can read as soon as it is written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from mcap.writer import CompressionType, IndexType, Writer

from handhold.app.errors import AppError
from handhold.app.logs.limits import LogLimits
from handhold.app.logs.lock import lock_for_writing

TOPICS = {
    "/start": "msgpack",
    "/layouts": "json",
    "/operator": "msgpack",
    "/surfaces": "msgpack",
    "/cycle": "handhold-cycles",
    "/event": "json",
    "/end": "json",
}
"""Topics of a log and their encodings; a topic's channel is its number in this order, counted from 1."""

PROFILE = "handhold"
"""Name in the first record of every file of a log."""

_FLUSHED = frozenset(("/start", "/cycle", "/end"))
"""Topics whose messages end a chunk. Samples, surfaces and events go with the next batch, within ``BATCH_TIME``."""

_BUFFER_BYTES = 1 << 20
"""More than a chunk takes, so that it reaches the kernel in one call: each call lets go of the interpreter, and a control loop
that is busy gives it back a millisecond later."""


class RecordingError(AppError):
    """A log cannot be written."""


class LogOutput:
    """Writes the files of one log; used by one thread alone.

    Attributes:
        file: The first file.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        metadata: Mapping[str, str],
        limits: LogLimits,
        follow: Callable[[BinaryIO], None],
    ) -> None:
        """Create the first file; its head can be read at once.

        Args:
            folder: Folder of the log; made where it does not exist.
            name: Name of the file without its ending.
            metadata: What every file begins with.
            limits: How large the files may become, and how many there may be.
            follow: Called with each file that is begun; closes it after the next one or the end.

        Raises:
            RecordingError: The folder cannot be written to.
        """
        self._metadata = metadata
        self._limits = limits
        self._follow = follow
        self._part = 1
        self._stream = _create(folder, name)
        self.file = Path(self._stream.name)
        try:
            self._start()
        except OSError as error:
            raise _unwritable(folder, error) from None

    def write(self, number: int, topic: str, host_time: float, data: bytes) -> bool:
        """Write a message; return whether it and all before it are in the kernel's hands.

        Args:
            number: Number of the last entry that the message holds (see ``LogTail``).
            topic: Its topic.
            host_time: Clock of the host [s].
            data: Its bytes.

        Raises:
            OSError: The disk does not take it.
            RecordingError: All parts are full.
        """
        nanoseconds = int(host_time * 1e9)
        self._writer.add_message(self._channels[topic], nanoseconds, data, nanoseconds, number & 0xFFFFFFFF)
        if topic not in _FLUSHED:
            return False
        self._writer.flush()
        if self._stream.tell() > self._limits.part_bytes:
            self._next_part()
        return True

    def finish(self) -> None:
        """Write what is left and the index of the present file.

        Raises:
            OSError: The disk does not take it; what reached it can be read.
        """
        self._writer.finish()
        self._stream.flush()

    def _next_part(self) -> None:
        if self._part >= self._limits.max_parts:
            raise RecordingError(f"{self._limits.max_parts} files of {self._limits.part_bytes} bytes are full")
        self.finish()
        self._part += 1
        self._stream = _open(part_of(self.file, self._part))
        self._start()

    def _start(self) -> None:
        # chunks end where a batch does, never for their size
        self._writer = Writer(self._stream, chunk_size=1 << 30, compression=CompressionType.LZ4, index_types=IndexType.ALL)
        self._writer.start(profile=PROFILE, library="handhold")
        self._writer.add_metadata("handhold", {**self._metadata, "part": str(self._part)})
        self._channels = {topic: self._writer.register_channel(topic, encoding, 0) for topic, encoding in TOPICS.items()}
        self._stream.flush()
        self._follow(self._stream)


def part_of(file: Path, part: int) -> Path:
    """Return the file of a part of a log, counted from 1."""
    return file if part == 1 else file.with_suffix(f".{part}.mcap")


def _create(folder: Path, name: str) -> BinaryIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            try:
                return _open(folder / (f"{name}.mcap" if number == 1 else f"{name}-{number}.mcap"))
            except FileExistsError:
                continue
    except OSError as error:
        raise _unwritable(folder, error) from None
    raise AssertionError


def _open(file: Path) -> BinaryIO:
    stream = file.open("xb", buffering=_BUFFER_BYTES)
    lock_for_writing(stream)
    return stream


def _unwritable(folder: Path, error: OSError) -> RecordingError:
    return RecordingError(f"the log cannot be written to {folder}: {error.strerror}; choose another folder with --log")
