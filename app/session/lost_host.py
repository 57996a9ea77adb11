"""What a robot host that has died was doing, from the log it has left, in words for people."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import msgspec
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Chunk, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import MCAP0_MAGIC

from handhold.app.logs.output import TOPICS, part_of
from handhold.app.logs.store import find_left_log
from handhold.app.logs.tail import read_tail
from handhold.app.session.config import SIMULATED_BODY, SessionConfig

# what a damaged log makes mcap, lz4 (RuntimeError) and msgspec raise: what else is known is said all the same
_DAMAGES = (McapError, msgspec.MsgspecError, struct.error, OSError, EOFError, RuntimeError, ValueError)

WRITTEN_EVERY = 5.0
"""A host that records writes more often than this, however busy its disk is [s]."""

_RECORD_HEAD = struct.Struct("<BQ")
_CHANNEL = struct.Struct("<H")
_EVENT_CHANNEL = list(TOPICS).index("/event") + 1
_MODE_EVENTS = ("begin in mode ", "mode ")


def describe_lost_host(config: SessionConfig, since: str, wall_clock: Callable[[], float] = time.time) -> tuple[str, ...]:
    """Say what ran, what became of the robot, where the log is and what to do; empty where no log had been begun.

    Args:
        config: The session.
        since: Date and time [UTC] at which the host was started, as in the names of logs.
        wall_clock: The clock by which files are dated [s].
    """
    log = find_left_log(Path(config.log_folder), config.link.robot, since)
    if log is None:
        return ()
    parts = _parts_of(log)
    mode = ""
    with contextlib.suppress(*_DAMAGES):
        mode = _find_mode_in_tail(log) or find_last_mode(parts)
    complete = _is_closed(parts[-1])
    kept = "its log is closed" if complete else _say_end(wall_clock() - parts[-1].stat().st_mtime)
    option = "" if complete else " --incomplete"
    body = config.engine if config.body == SIMULATED_BODY else config.body
    return (
        f"it ran {config.robot} in {body}, world {config.world}{f', mode {mode}' if mode else ''}; "
        "the simulated robot is gone with it, a real one damps itself",
        f"{kept}: 'handhold replay {log}{option}' computes it again, 'handhold run' starts anew with the robot at its start",
    )


def _say_end(unwritten: float) -> str:
    """Say where a log ends to which nothing was written for a time [s]: its disk was full, or the host stood still."""
    if unwritten < WRITTEN_EVERY:
        return "its log ends within 0.1 s of it"
    return f"recording had ended {unwritten:.0f} s before"


def find_last_mode(parts: Sequence[Path]) -> str:
    """Return the last mode that the events of a log name, or nothing; the rest is skipped, so that a GB takes 1 s."""
    for part in reversed(parts):
        with part.open("rb") as stream:
            for chunk in reversed(_find_event_chunks(stream)):
                modes = [mode for mode in map(_name_mode, _read_events(stream, *chunk)) if mode]
                if modes:
                    return modes[-1]
    return ""


def _find_mode_in_tail(log: Path) -> str:
    """Return the last mode that what the host had not written yet names, or nothing."""
    with log.open("rb") as stream:
        heads = (record for record in StreamReader(stream).records if isinstance(record, Metadata))
        head = next(heads, None)
    tail = head.metadata.get("tail", "") if head else ""
    events = (data for topic, _, data in read_tail(tail, None) if topic == _EVENT_CHANNEL - 1)
    modes = [mode for mode in (_name_mode(msgspec.json.decode(data, type=str)) for data in events) if mode]
    return modes[-1] if modes else ""


def _name_mode(event: str) -> str:
    return next((event.removeprefix(words) for words in _MODE_EVENTS if event.startswith(words)), "")


def _find_event_chunks(stream: BinaryIO) -> list[tuple[int, int]]:
    """Return offsets and lengths of the chunks that have events in them: their indices, which follow them, say so."""
    size = stream.seek(0, 2)
    offset = stream.seek(len(MCAP0_MAGIC))
    found: list[tuple[int, int]] = []
    chunk = (0, 0)
    while len(head := stream.read(_RECORD_HEAD.size)) == _RECORD_HEAD.size:
        opcode, length = _RECORD_HEAD.unpack(head)
        offset += _RECORD_HEAD.size
        if opcode == Opcode.CHUNK:
            chunk = (offset, length)
        elif opcode == Opcode.MESSAGE_INDEX and stream.read(_CHANNEL.size) == _CHANNEL.pack(_EVENT_CHANNEL):
            found.append(chunk)
        offset += length
        if offset >= size:
            break
        stream.seek(offset)
    return found


def _read_events(stream: BinaryIO, offset: int, length: int) -> list[str]:
    stream.seek(offset)
    records = breakup_chunk(Chunk.read(ReadDataStream(BytesIO(stream.read(length)))))
    messages = (record for record in records if isinstance(record, Message) and record.channel_id == _EVENT_CHANNEL)
    return [msgspec.json.decode(message.data, type=str) for message in messages]


def _parts_of(log: Path) -> tuple[Path, ...]:
    parts = [log]
    while (following := part_of(log, len(parts) + 1)).is_file():
        parts.append(following)
    return tuple(parts)


def _is_closed(part: Path) -> bool:
    with part.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, 2) - len(MCAP0_MAGIC)))
        return stream.read() == MCAP0_MAGIC
