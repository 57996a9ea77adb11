"""Reading a log back: header, start, and every control cycle with exactly the values it saw."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from mcap.records import Channel, Footer, McapRecord, Message, Metadata
from mcap.writer import MCAP0_MAGIC

from handhold.app.errors import AppError
from handhold.app.link.messages import MAX_OPERATOR_BYTES, MessageError, decode_value
from handhold.app.logs.checks import ValueUnfit, check_period, check_sample, check_state, check_surfaces
from handhold.app.logs.layout import Layout, LayoutError
from handhold.app.logs.lock import lock_for_reading
from handhold.app.logs.output import TOPICS, part_of
from handhold.app.logs.recording import CYCLE_HEAD, LOG_FORMAT, CycleRecord, Layouts, LogHeader
from handhold.app.logs.records import DAMAGES, read_records
from handhold.app.logs.tail import read_tail
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.robots.reference import Reference
from handhold.robots.robot import JointCommand, RobotState

_DAMAGES = (*DAMAGES, LayoutError, MessageError, ValueUnfit, msgspec.MsgspecError)

_MAX_SIZES = {"/start": 1 << 16, "/layouts": 1 << 16, "/operator": MAX_OPERATOR_BYTES, "/event": 1 << 16}
"""Largest message of a topic [bytes]; those of others are no larger than a set of surfaces, a batch than a chunk."""

_MAX_OTHER = 1 << 20

_REMEMBERED = 256
"""Samples and sets of surfaces that are kept: a batch refers to those of its 0.1 s, one a cycle at most."""


class LogError(AppError):
    """A log cannot be used."""


class LogTruncated(LogError):
    """A log ends before its session did.

    Attributes:
        file: The log.
        cycles: Cycles that could be read.
        reason: What is wrong with it.
    """

    def __init__(self, file: Path, cycles: int, reason: str) -> None:
        self.file = file
        self.cycles = cycles
        self.reason = reason
        use = "--incomplete uses those" if cycles else "give another log"
        super().__init__(f"{file}: the log is truncated ({reason}): {cycles} cycles could be read; {use}")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in the session.

    Attributes:
        host_time: Clock of the host [s].
        text: What happened, in words.
    """

    host_time: float
    text: str


class End(msgspec.Struct, frozen=True):
    """The end of a session that was closed.

    Attributes:
        cycles: Cycles that ran.
        report: End-of-session report.
    """

    cycles: int
    report: dict[str, Any]


class LogReader:
    """A log of one session, all its parts.

    Attributes:
        file: The first file.
        header: What ran.
        start: State that the cycle was built with.
        bytes_total: Size of all parts.
        bytes_read: How much of it has been read.
        cycles_read: Cycles that have been read.
    """

    def __init__(self, file: Path) -> None:
        """Open a log and read its head.

        Raises:
            LogError: There is no such file, it is no log, or another release wrote it.
            LogTruncated: It ends before its first cycle.
        """
        self.file = file
        self.bytes_total = sum(part.stat().st_size for part in _parts(file))
        self.bytes_read = 0
        self.cycles_read = 0
        self._decoder = _EntryDecoder()
        self._entries = self._read()
        self.header = self._next(LogHeader, "header")
        self.start = self._next(RobotState, "start")

    def entries(self) -> Iterator[CycleRecord | Event | End]:
        """Return cycles and events in their order; the last entry is the end.

        Raises:
            LogTruncated: The log ends before its session did; raised after the last entry that could be read.
            LogError: An entry makes no sense.
        """
        for entry in self._entries:
            if isinstance(entry, CycleRecord):
                self.cycles_read += 1
            if isinstance(entry, (CycleRecord, Event, End)):
                yield entry
            if isinstance(entry, End):
                if entry.cycles != self.cycles_read:
                    raise LogTruncated(self.file, self.cycles_read, f"{entry.cycles} cycles ran")
                self._entries.close()
                return
        raise LogTruncated(self.file, self.cycles_read, "the end of the session is missing")

    def _next(self, kind: type[Any], name: str) -> Any:
        entry = next(self._entries, None)
        if not isinstance(entry, kind):
            raise LogError(f"{self.file} is no log of Handhold (it has no {name}); give a file that 'handhold run' wrote")
        return entry

    def _read(self) -> Generator[Any]:
        offset = 0
        for part in _parts(self.file):
            with part.open("rb") as stream:
                lock_for_reading(stream)
                for entry in self._read_part(stream):
                    self.bytes_read = offset + stream.tell()
                    # the header of later parts repeats that of the first
                    if offset == 0 or not isinstance(entry, LogHeader):
                        yield entry
            offset += part.stat().st_size

    def _read_part(self, stream: BinaryIO) -> Iterator[Any]:
        try:
            for record in read_records(stream):
                yield from self._decoder.decode(record)
        except LogError:
            raise
        except _DAMAGES as error:
            if not self._decoder.has_header:
                raise LogError(f"{self.file} is no log of Handhold; give a file that 'handhold run' wrote") from None
            reason = f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
            with contextlib.suppress(*_DAMAGES):
                yield from self._decoder.decode_tail()
            raise LogTruncated(self.file, self.cycles_read, reason) from None


def require_complete(file: Path) -> None:
    """Look whether a log ends as it should; quick where it does, reads all of it where it does not.

    Raises:
        LogTruncated: It ends early; says how many cycles can be read.
        LogError: There is no such file, or it is no log.
    """
    with _parts(file)[-1].open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - len(MCAP0_MAGIC)))
        if stream.read() == MCAP0_MAGIC:
            return
    for _ in LogReader(file).entries():
        pass


class _EntryDecoder:
    """Turns the records of a log into entries; remembers samples, surfaces and layouts."""

    def __init__(self) -> None:
        self.has_header = False
        self._tail = ""
        self._last_entry = 0
        self._topics: dict[int, str] = {}
        self._samples = _Latest("sample", msgspec.msgpack.Decoder(OperatorInput, dec_hook=decode_value), check_sample)
        surfaces = msgspec.msgpack.Decoder(tuple[Surface, ...], dec_hook=decode_value)
        self._surfaces = _Latest("set of surfaces", surfaces, check_surfaces)
        self._first: RobotState | None = None
        self._start = msgspec.msgpack.Decoder(RobotState, dec_hook=decode_value)
        self._layouts: tuple[Layout[RobotState], Layout[Reference], Layout[JointCommand]] | None = None

    def decode(self, record: McapRecord) -> Iterator[Any]:
        if isinstance(record, Channel):
            self._topics[record.id] = record.topic
        elif isinstance(record, Metadata) and record.name == "handhold":
            header = _decode_header(record)
            self.has_header = True
            self._tail = record.metadata.get("tail", "")
            yield header
        elif isinstance(record, Message):
            self._last_entry = record.sequence
            yield from self._decode_message(self._topics.get(record.channel_id, ""), record)
        elif isinstance(record, Footer):
            return

    def decode_tail(self) -> Iterator[Any]:
        """Return what a host that was killed had not written yet."""
        topics = dict(enumerate(TOPICS))
        for topic, host_time, data in read_tail(self._tail, self._last_entry):
            nanoseconds = int(host_time * 1e9)
            message = Message(channel_id=0, data=data, log_time=nanoseconds, publish_time=nanoseconds, sequence=0)
            yield from self._decode_message(topics[topic], message)

    def _decode_message(self, topic: str, message: Message) -> Iterator[Any]:
        data = message.data
        if topic != "/cycle" and len(data) > _MAX_SIZES.get(topic, _MAX_OTHER):
            raise LayoutError(f"a message of {len(data)} bytes on {topic or 'no topic'}")
        match topic:
            case "/operator":
                self._samples.add(data)
            case "/surfaces":
                self._surfaces.add(data)
            case "/start":
                self._first = self._start.decode(data)
                yield self._first
            case "/layouts":
                self._layouts = _decode_layouts(data)
            case "/cycle":
                yield from self._decode_batch(data)
            case "/event":
                yield Event(message.log_time * 1e-9, msgspec.json.decode(data, type=str))
            case "/end":
                yield msgspec.json.decode(data, type=End)

    def _decode_batch(self, data: bytes) -> Iterator[CycleRecord]:
        if self._layouts is None or self._first is None:
            raise LayoutError("cycles without a layout, or without a start")
        states, references, commands = self._layouts
        offset = 0
        while offset < len(data):
            cycle, sample, surfaces, host_time, age, dt, cpu_time, *engaged = CYCLE_HEAD.unpack_from(data, offset)
            state, offset = states.unpack(data, offset + CYCLE_HEAD.size)
            reference, offset = references.unpack(data, offset)
            command, offset = commands.unpack(data, offset)
            check_state(state, self._first)
            check_period(dt)
            yield CycleRecord(
                cycle=cycle,
                host_time=host_time,
                cpu_time=cpu_time,
                age=age,
                dt=dt,
                sample=self._samples.get(sample),
                surfaces=self._surfaces.get(surfaces),
                robot_state=state,
                reference=reference,
                command=command,
                engaged=(engaged[0], engaged[1]),
            )


class _Latest:
    """The last few values of a topic by their number: a batch refers to those that came while it filled."""

    def __init__(self, name: str, decoder: msgspec.msgpack.Decoder[Any], check: Callable[[Any], None]) -> None:
        self._name = name
        self._decoder = decoder
        self._check = check
        self._values: dict[int, Any] = {}
        self._count = 0

    def add(self, data: bytes) -> None:
        value = self._decoder.decode(data)
        self._check(value)
        self._values[self._count] = value
        self._values.pop(self._count - _REMEMBERED, None)
        self._count += 1

    def get(self, number: int) -> Any:
        if number not in self._values:
            raise LayoutError(f"a cycle refers to {self._name} {number}, which is not there")
        return self._values[number]


def _decode_header(record: Metadata) -> LogHeader:
    header = msgspec.json.decode(record.metadata["header"], type=LogHeader)
    if header.format != LOG_FORMAT:
        raise LogError(f"the log has format {header.format}, this release reads {LOG_FORMAT}; use the release that wrote it")
    return header


def _decode_layouts(data: bytes) -> tuple[Layout[RobotState], Layout[Reference], Layout[JointCommand]]:
    columns = msgspec.json.decode(data, type=Layouts)
    return (
        Layout(RobotState, columns.robot_state),
        Layout(Reference, columns.reference),
        Layout(JointCommand, columns.command),
    )


def _parts(file: Path) -> tuple[Path, ...]:
    if not file.is_file():
        raise LogError(f"there is no log {file}; 'handhold run' prints where it writes one")
    parts = [file]
    while (following := part_of(file, len(parts) + 1)).is_file():
        parts.append(following)
    return tuple(parts)
