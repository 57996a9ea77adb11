"""Logs that are in order as files, and none of ours: each is one line and the exit code of the application."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import lz4.frame
import msgspec
import numpy as np
import pytest
from log_files import LogMessage, read_messages, write_messages
from mcap.writer import CompressionType
from sessions import recorded_file
from small_cycle import small_state

from handhold.app.errors import AppError
from handhold.app.link.messages import encode_value
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CYCLE_HEAD
from handhold.app.main import EXIT_CODES, run

MAX_MEMORY = 100_000_000
"""Memory that a crafted log may have Python set aside [bytes]."""

Change = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], list[LogMessage]]:
    header, messages = read_messages(recorded_file(tmp_path_factory.mktemp("sound"), 120))
    return header, [*messages[:-1], ("/event", 0, b'"all is well"'), messages[-1]]


def change(messages: list[LogMessage], topic: str, make: Change) -> list[LogMessage]:
    """Return the messages with the first one of a topic changed."""
    place = next(place for place, message in enumerate(messages) if message[0] == topic)
    return [*messages[:place], (topic, messages[place][1], make(messages[place][2])), *messages[place + 1 :]]


def in_layouts(**column: object) -> Change:
    """Return a change of the first array of the robot's states."""

    def make(data: bytes) -> bytes:
        layouts = json.loads(data)
        layouts["robot_state"][0] |= column
        return json.dumps(layouts).encode()

    return make


def of_cycle(**fields: float) -> Change:
    """Return a change of the head of a batch's first cycle."""
    names = ("cycle", "sample", "surfaces", "host_time", "age", "dt", "cpu_time", "left", "right")

    def make(data: bytes) -> bytes:
        head = dict(zip(names, CYCLE_HEAD.unpack_from(data), strict=True)) | fields
        return CYCLE_HEAD.pack(*head.values()) + data[CYCLE_HEAD.size :]

    return make


def packed(value: object) -> Change:
    return lambda _: msgspec.msgpack.encode(value, enc_hook=encode_value)


def written(text: str) -> Change:
    return lambda _: text.encode()


def of_start(**fields: object) -> Change:
    return packed(replace(small_state(0), **fields))


CHANGES = [
    ("/layouts", in_layouts(dtype="|O"), "none of ours"),
    ("/layouts", in_layouts(dtype="|S8"), "none of ours"),
    ("/layouts", in_layouts(dtype="<M8[s]"), "none of ours"),
    ("/layouts", in_layouts(dtype="<f8,<f8"), "none of ours"),
    ("/layouts", in_layouts(dtype="hello"), "none of ours"),
    ("/layouts", in_layouts(dtype="<f4"), "cannot be read"),
    ("/layouts", in_layouts(dtype="<i8"), "another shape or type"),
    ("/layouts", in_layouts(tail=[1 << 62, 1 << 62]), "none of ours"),
    ("/layouts", in_layouts(tail=[-1]), "none of ours"),
    ("/layouts", in_layouts(tail=[1 << 20]), "longer than what is left"),
    ("/layouts", in_layouts(name="p"), "not those of this log"),
    ("/layouts", written("[]"), "object"),
    ("/layouts", written("{}"), "robot_state"),
    ("/layouts", written("[" * 30_000), "truncated"),
    ("/end", written("7"), "object"),
    ("/end", written("[]"), "object"),
    ("/end", written('"over"'), "object"),
    ("/end", written("{}"), "cycles"),
    ("/end", written('{"cycles": "many", "report": {}}'), "int"),
    ("/end", written('{"cycles": 120, "report": 7}'), "object"),
    ("/end", written('{"cycles": 121, "report": {}}'), "121 cycles ran"),
    ("/end", written('{"cycles": 120, "report": {"a": ' + "[" * 30_000), "recursion"),
    ("/start", packed(7), "object"),
    ("/start", packed({}), "time"),
    ("/start", of_start(q=np.zeros(3)), "q of its start is not that of talos"),
    ("/start", of_start(q=np.zeros(37, dtype=np.float32)), "q of its start is not that of talos"),
    ("/start", of_start(v=np.full(36, np.nan)), "a NaN or an infinity"),
    ("/start", of_start(time=float("inf")), "a NaN or an infinity"),
    ("/operator", packed([1]), "object"),
    ("/operator", packed({"time": 0.0, "right": {"stick": ["<f8", [3], bytes(24)]}}), "two axes"),
    ("/operator", packed({"time": 0.0, "head": b"pose"}), "96 bytes"),
    ("/surfaces", packed("floor"), "array"),
    ("/event", written("{}"), "str"),
    ("/cycle", lambda data: data[:-3], "cannot be read"),
    ("/cycle", lambda data: data[: CYCLE_HEAD.size - 1], "buffer"),
    ("/cycle", of_cycle(sample=1 << 40), f"refers to sample {1 << 40}, which is not there"),
    ("/cycle", of_cycle(surfaces=3), "refers to set of surfaces 3"),
    ("/cycle", of_cycle(dt=0.0), "a control period of 0 s"),
    ("/cycle", of_cycle(dt=float("nan")), "a control period of nan s"),
    ("/cycle", of_cycle(dt=1e308), "a control period of 1e+308 s"),
]


def replay_in_a_line(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Replay a log that cannot be used, with what is known of every such run, and return the line that says why."""
    tracemalloc.start()
    try:
        code = run(["replay", str(file), "--json"])
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert code == EXIT_CODES[AppError]
    return line


@pytest.mark.parametrize(("topic", "make", "words"), CHANGES)
def test_a_message_that_is_none_of_ours_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    sound: tuple[dict[str, object], list[LogMessage]],
    topic: str,
    make: Change,
    words: str,
) -> None:
    header, messages = sound
    file = tmp_path / "log.mcap"
    write_messages(file, header, change(messages, topic, make))
    # No cycle could begin with the recorded postures, which are random ones: what comes after the start is only read.
    if topic == "/start":
        assert words in replay_in_a_line(file, capsys)
        return
    with pytest.raises(AppError) as refused:
        list(LogReader(file).entries())
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("/start", "cycles without a layout, or without a start"),
        ("/layouts", "cycles without a layout, or without a start"),
        ("/operator", "refers to sample 0, which is not there"),
        ("/surfaces", "refers to set of surfaces 0, which is not there"),
        ("/cycle", "120 cycles ran"),
        ("/end", "the end of the session is missing"),
    ],
)
def test_a_log_without_a_topic_says_what_is_missing(
    tmp_path: Path, sound: tuple[dict[str, object], list[LogMessage]], topic: str, words: str
) -> None:
    header, messages = sound
    file = tmp_path / "log.mcap"
    write_messages(file, header, [message for message in messages if message[0] != topic])
    with pytest.raises(AppError) as refused:
        list(LogReader(file).entries())
    assert words in str(refused.value)


def test_a_log_whose_parts_are_out_of_order_is_one_line(
    tmp_path: Path, sound: tuple[dict[str, object], list[LogMessage]]
) -> None:
    header, messages = sound
    file = tmp_path / "log.mcap"
    write_messages(file, header, messages[::-1])
    with pytest.raises(AppError, match="it has no start"):
        LogReader(file)


def test_a_header_that_is_none_is_one_line(tmp_path: Path, sound: tuple[dict[str, object], list[LogMessage]]) -> None:
    _, messages = sound
    file = tmp_path / "log.mcap"
    for header in (7, {}, {"format": 1}, {"format": "one"}):
        write_messages(file, header, messages)
        with pytest.raises(AppError, match="is no log of Handhold"):
            LogReader(file)


def test_a_chunk_that_is_packed_in_another_way_is_one_line(
    tmp_path: Path, sound: tuple[dict[str, object], list[LogMessage]]
) -> None:
    file = tmp_path / "log.mcap"
    write_messages(file, *sound, packing=CompressionType.ZSTD)
    with pytest.raises(AppError, match="packed in another way than ours"):
        LogReader(file)


def record_of(opcode: int, content: bytes, length: int | None = None) -> bytes:
    """Return a record of an MCAP file that may lie about its length."""
    return struct.pack("<BQ", opcode, len(content) if length is None else length) + content


def chunk_of(size: int, data: bytes) -> bytes:
    """Return a chunk that says how large it is unpacked."""
    head = struct.pack("<QQQI", 0, 0, size, 0) + struct.pack("<I", 3) + b"lz4"
    return record_of(6, head + struct.pack("<Q", len(data)) + data)


@pytest.mark.parametrize(
    "record",
    [
        chunk_of(1 << 40, lz4.frame.compress(b"a")),
        chunk_of(1000, lz4.frame.compress(bytes(1 << 28))),
        chunk_of(1 << 24, lz4.frame.compress(bytes(1 << 28))),
        record_of(6, b"", 1 << 62),
        record_of(9, struct.pack("<QQII", 0, 0, 0, 0) + struct.pack("<Q", 1 << 62), 100),
        record_of(9, struct.pack("<QQI", 0, 0, 0xFFFFFFFF), 100),
        record_of(0x80, b"", (1 << 64) - 1),
    ],
)
def test_a_record_that_lies_about_its_size_sets_no_memory_aside(
    tmp_path: Path, sound: tuple[dict[str, object], list[LogMessage]], record: bytes
) -> None:
    file = tmp_path / "log.mcap"
    write_messages(file, *sound)
    data = file.read_bytes()
    first_chunk = data.index(struct.pack("<I", 3) + b"lz4") - 37
    file.write_bytes(data[:first_chunk] + record + data[first_chunk:])
    tracemalloc.start()
    try:
        with pytest.raises(AppError) as refused:
            LogReader(file)
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()
    assert "\n" not in str(refused.value)
