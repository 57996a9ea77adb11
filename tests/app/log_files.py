"""Logs taken apart into messages and put together again, for the tests that change something in one."""

from __future__ import annotations

import io
import json
from pathlib import Path

from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

LogMessage = tuple[str, int, bytes]
"""Topic, time [ns] and payload."""


def read_messages(file: Path) -> tuple[dict[str, object], list[LogMessage]]:
    """Return the header and all messages of a log."""
    reader = make_reader(io.BytesIO(file.read_bytes()))
    messages = [(channel.topic, message.log_time, message.data) for _, channel, message in reader.iter_messages()]
    return json.loads(next(iter(reader.iter_metadata())).metadata["header"]), messages


def write_messages(
    file: Path,
    header: object,
    messages: list[LogMessage],
    *,
    packing: CompressionType = CompressionType.LZ4,
    chunk_size: int = 1 << 16,
) -> None:
    """Write a log of any header and messages, in order as a file of this kind."""
    with file.open("wb") as stream:
        writer = Writer(stream, chunk_size=chunk_size, compression=packing)
        writer.start(profile="handhold", library="handhold")
        writer.add_metadata("handhold", {"header": json.dumps(header, default=str)})
        channels = {topic: writer.register_channel(topic, "", 0) for topic in sorted({message[0] for message in messages})}
        for topic, moment, data in messages:
            writer.add_message(channels[topic], moment, data, moment)
        writer.finish()
