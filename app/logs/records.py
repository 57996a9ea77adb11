"""Records of a log's file, whatever is in it: no length in it is believed beyond what a log may have."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

import lz4.frame
from mcap.exceptions import McapError
from mcap.records import Chunk, McapRecord
from mcap.stream_reader import StreamReader, breakup_chunk

RECORD_LIMIT = 1 << 24
"""Largest record and largest unpacked chunk taken [bytes]: 0.1 s of Talos takes 0.5 MB."""

DAMAGES = (
    McapError,
    struct.error,
    ValueError,
    KeyError,
    EOFError,
    OverflowError,
    RuntimeError,  # of lz4, and of a parser that nests too deep
)
"""What a damaged file makes mcap and lz4 raise."""


def read_records(stream: BinaryIO) -> Iterator[McapRecord]:
    """Yield the records of a file, those within chunks one by one.

    Raises:
        Exception: One of ``DAMAGES``: the file is none of ours, or damaged.
    """
    reader = StreamReader(
        _Bounded(stream),
        emit_chunks=True,
        validate_crcs=True,
        record_size_limit=RECORD_LIMIT,
    )
    for record in reader.records:
        if isinstance(record, Chunk):
            yield from breakup_chunk(_unpack(record), validate_crc=True)
        else:
            yield record


def _unpack(chunk: Chunk) -> Chunk:
    """Return a chunk with its bytes as they were; one that would unpack to more than it says is refused."""
    if chunk.compression == "":
        return chunk
    if chunk.compression != "lz4":
        raise ValueError("a chunk that is packed in another way than ours")
    size = chunk.uncompressed_size
    if size > RECORD_LIMIT:
        raise ValueError("a chunk that says it is larger than any of ours")
    unpacker = lz4.frame.LZ4FrameDecompressor()
    data = unpacker.decompress(chunk.data, max_length=size)
    if len(data) != size or not unpacker.eof:
        raise ValueError("a chunk that is not as large as it says")
    return replace(chunk, compression="", data=data)


class _Bounded:
    """A stream that is asked for no more than a record: Python sets memory aside for whatever is asked for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, length: int) -> bytes:
        if length > RECORD_LIMIT:
            raise ValueError("a length beyond that of any record")
        return self._stream.read(length)
