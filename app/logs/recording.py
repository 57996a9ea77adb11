"""Recording of a session: an MCAP file from which every control cycle can be computed again.

The control loop only joins bytes and copies them into the log's tail, which outlives it (``tail``). A thread of the
recorder packs and writes them, another one syncs them to the disk. LZ4 takes 2 ms a second and leaves 1.8 of Talos's 4.4 MB/s.
A message of the topic ``/cycle`` holds the cycles of ``BATCH_TIME``. Operator samples and surfaces are written as they change.
"""

from __future__ import annotations

import itertools
import os
import queue
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from handhold.app.link.messages import encode_value
from handhold.app.logs.layout import Column, Layout, LayoutError
from handhold.app.logs.limits import USUAL_LIMITS, LogLimits
from handhold.app.logs.output import TOPICS, LogOutput, RecordingError
from handhold.app.logs.store import LogCap
from handhold.app.logs.tail import LogTail, remove_old_tails
from handhold.app.logs.upkeep import LogUpkeep
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.robots.reference import Reference
from handhold.robots.robot import JointCommand, RobotState

LOG_FORMAT = 2
"""Version of the log; raise it whenever a cycle of an older log can no longer be read."""

BATCH_TIME = 0.05
"""Time that one message of the topic ``/cycle`` spans [s].

Where there is no tail a crash loses the one that fills and those on their way. Shorter ones would cost more than they save:
each takes 0.2 ms to be written, whatever its size.
"""

CYCLE_HEAD = struct.Struct("<QQQdddd??")
"""Numbers of cycle, sample and surfaces; host time [s], age [s], dt [s], CPU time [s]; left and right hand engaged."""

_TOPIC_NUMBERS = {topic: number for number, topic in enumerate(TOPICS)}

_MAX_WAITING = 550
"""Messages that may wait for the disk: 5 s of them, 20 batches and 90 samples a second."""


class LogHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What ran.

    Attributes:
        format: Version of the log.
        robot: Robot, as on the command line.
        engine: Physics engine, or how else the robot is driven.
        world: World, as on the command line.
        dt: Control period [s].
        started: Date and time of the start, ISO 8601.
        commit: Commit of the sources.
        versions: Versions of the libraries that the numbers depend on.
    """

    format: int = LOG_FORMAT
    robot: str
    engine: str
    world: str
    dt: float
    started: str
    commit: str
    versions: Mapping[str, str]


class Layouts(msgspec.Struct, frozen=True):
    """Columns of the values of a cycle."""

    robot_state: tuple[Column, ...]
    reference: tuple[Column, ...]
    command: tuple[Column, ...]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CycleRecord:
    """One control cycle: what went into it, what came out, and what it took.

    Attributes:
        cycle: Number of the cycle.
        host_time: Clock of the host when the cycle began [s].
        cpu_time: CPU time that the thread spent on the cycle, physics and recording left out [s].
        age: Age of the operator's sample [s].
        dt: Control period [s].
        sample: The operator's sample as it arrived; the cycle saw it with ``age``.
        surfaces: The surfaces it saw.
        robot_state: What the robot measured.
        reference: The reference it computed.
        command: The command it computed.
        engaged: Whether the left and the right hand were engaged.
    """

    cycle: int
    host_time: float
    cpu_time: float
    age: float
    dt: float
    sample: OperatorInput
    surfaces: tuple[Surface, ...]
    robot_state: RobotState
    reference: Reference
    command: JointCommand
    engaged: tuple[bool, bool]


class Recorder:
    """Writes the log of one session; no file is ever written over.

    Attributes:
        file: The first file of the log.
        cycles: Cycles that have been taken.
        failure: Why recording ended early, in words, or empty. The robot goes on without it.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        header: LogHeader,
        start: RobotState,
        limits: LogLimits = USUAL_LIMITS,
    ) -> None:
        """Start a log in a folder, under the name given or, where that exists, one like it.

        Args:
            folder: Folder of the log; made where it does not exist.
            name: Name of the file without its ending.
            header: What runs.
            start: State that the cycle was built with.
            limits: How large the log may become.

        Raises:
            RecordingError: The folder cannot be written to.
        """
        self.cycles = 0
        self.failure = ""
        cap = None if limits.cap_bytes is None else LogCap(folder, limits.cap_bytes)
        if cap is not None:
            cap.make_room(0)
        self._upkeep = LogUpkeep(self._end_early, (lambda _written: None) if cap is None else cap.make_room)
        remove_old_tails()
        self._tail = LogTail(os.getpid(), time.monotonic_ns())
        metadata = {"header": msgspec.json.encode(header).decode(), "tail": self._tail.name}
        try:
            self._output = LogOutput(folder, name, metadata, limits, self._upkeep.follow)
        except RecordingError:
            self._tail.close()
            raise
        self.file = self._output.file
        self._encoder = msgspec.msgpack.Encoder(enc_hook=encode_value)
        self._queue: queue.SimpleQueue[tuple[int, str, float, bytes] | None] = queue.SimpleQueue()
        self._entries = 0
        self._batch: list[bytes] = []
        self._batch_start = 0.0
        self._samples = _Numbered(itertools.count())
        self._surfaces = _Numbered(itertools.count())
        self._layouts: tuple[Layout[RobotState], Layout[Reference], Layout[JointCommand]] | None = None
        self._put("/start", start.time, self._encoder.encode(start))
        self._thread = threading.Thread(target=self._write, name="recorder", daemon=True)
        self._thread.start()
        self._upkeep.start()

    def record(self, record: CycleRecord) -> None:
        """Take one cycle; costs the control loop 10 to 20 us. A record that does not fit ends the log, never the loop."""
        if self.failure:
            return
        try:
            pieces = self._pack(record)
        except LayoutError as error:
            self._end_early(error)
            return
        self.cycles += 1
        if not self._batch:
            self._batch_start = record.host_time
        data = b"".join(pieces)
        self._batch.append(data)
        self._keep("/cycle", record.host_time, data)
        if record.host_time - self._batch_start >= BATCH_TIME:
            self._flush(record.host_time)

    def _pack(self, record: CycleRecord) -> list[bytes]:
        states, references, commands = self._layouts or self._start_layouts(record)
        sample = self._number(self._samples, "/operator", record.sample, record.host_time)
        surfaces = self._number(self._surfaces, "/surfaces", record.surfaces, record.host_time)
        times = (record.host_time, record.age, record.dt, record.cpu_time)
        head = CYCLE_HEAD.pack(record.cycle, sample, surfaces, *times, *record.engaged)
        state, reference = states.pack(record.robot_state), references.pack(record.reference)
        return [head, *state, *reference, *commands.pack(record.command)]

    def event(self, host_time: float, text: str) -> None:
        """Take something that happened, in words."""
        self._put("/event", host_time, msgspec.json.encode(text))

    def close(self, host_time: float, cycles: int, report: Mapping[str, Any]) -> None:
        """Write what is left and the end-of-session report, and close the file."""
        self._flush(host_time)
        self._put("/end", host_time, msgspec.json.encode({"cycles": cycles, "report": dict(report)}))
        self._queue.put(None)
        self._thread.join()
        self._upkeep.close()
        self._tail.close()

    def _start_layouts(self, record: CycleRecord) -> tuple[Layout[RobotState], Layout[Reference], Layout[JointCommand]]:
        layouts = (Layout.of(record.robot_state), Layout.of(record.reference), Layout.of(record.command))
        self._layouts = layouts
        columns = Layouts(*(layout.columns for layout in layouts))
        self._put("/layouts", record.host_time, msgspec.json.encode(columns))
        return layouts

    def _number(self, numbered: _Numbered, topic: str, value: object, host_time: float) -> int:
        if value is not numbered.value:
            numbered.value = value
            numbered.number = next(numbered.numbers)
            self._put(topic, host_time, self._encoder.encode(value))
        return numbered.number

    def _flush(self, host_time: float) -> None:
        if self._batch:
            self._send("/cycle", host_time, b"".join(self._batch))
            self._batch = []

    def _put(self, topic: str, host_time: float, data: bytes) -> None:
        self._keep(topic, host_time, data)
        self._send(topic, host_time, data)

    def _keep(self, topic: str, host_time: float, data: bytes) -> None:
        self._entries += 1
        self._tail.append(self._entries, _TOPIC_NUMBERS[topic], host_time, data)

    def _send(self, topic: str, host_time: float, data: bytes) -> None:
        if self.failure:
            return
        if self._queue.qsize() > _MAX_WAITING:
            self.failure = f"recording has ended: the disk of {self.file} is too slow"
        self._queue.put((self._entries, topic, host_time, data))

    def _write(self) -> None:
        while (message := self._queue.get()) is not None:
            if self.failure:
                continue
            try:
                if self._output.write(*message):
                    self._tail.written = message[0]
            except (OSError, RecordingError) as error:
                self._end_early(error)
        try:
            self._output.finish()
        except OSError as error:
            self._end_early(error)

    def _end_early(self, error: Exception) -> None:
        self.failure = self.failure or f"recording has ended: {getattr(error, 'strerror', None) or error}"


@dataclass(slots=True)
class _Numbered:
    """The last value written on a topic, and its number."""

    numbers: itertools.count[int]
    value: object = None
    number: int = 0
