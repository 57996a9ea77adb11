"""Announcements of DDS participants as CycloneDDS composes them, for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping

ECLIPSE, EPROSIMA = bytes((1, 0x10)), bytes((1, 0x0F))


def compose_announcement(
    host: str,
    version: str,
    properties: Mapping[str, str] | None = None,
    *,
    order: str = "<",
    maker: bytes = ECLIPSE,
    has_inline_qos: bool = False,
    has_length: bool = True,
    writer: bytes = bytes((0, 1, 0, 0xC2)),
) -> bytes:
    """Return a packet with one announcement, behind the time of its sender."""
    prefix = maker + bytes(range(10))
    content = _parameter(order, 0x0050, prefix + bytes((0, 0, 1, 0xC1)))
    content += _parameter(order, 0x8007, bytes(20) + _string(order, f"{host}/{version}/Linux/Linux"))
    if properties is not None:
        pairs = b"".join(_string(order, word) for pair in properties.items() for word in pair)
        content += _parameter(order, 0x0059, struct.pack(f"{order}I", len(properties)) + pairs + bytes(4))
    data = struct.pack(f"{order}HH", 0, 16) + bytes(4) + writer + struct.pack(f"{order}iI", 0, 1)
    if has_inline_qos:
        data += _parameter(order, 0x0071, bytes(4)) + _parameter(order, 1, b"")
    data += bytes((0, 3 if order == "<" else 2, 0, 0)) + content + _parameter(order, 1, b"")
    little = 1 if order == "<" else 0
    packet = b"RTPS" + bytes((2, 1)) + maker + prefix
    packet += struct.pack(f"{order}BBHII", 0x09, little, 8, 0, 0)
    flags = little | 4 | (2 if has_inline_qos else 0)
    return packet + struct.pack(f"{order}BBH", 0x15, flags, len(data) if has_length else 0) + data


def _parameter(order: str, number: int, value: bytes) -> bytes:
    padded = value + bytes(-len(value) % 4)
    return struct.pack(f"{order}HH", number, len(padded)) + padded


def _string(order: str, text: str) -> bytes:
    value = text.encode() + b"\0"
    return struct.pack(f"{order}I", len(value)) + value + bytes(-len(value) % 4)
