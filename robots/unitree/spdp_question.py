"""The smallest announcement of a participant that others answer, and its farewell.

Who hears of a participant for the first time announces itself to it, at once. Ours has nothing but the reader of such
announcements: nobody tells it of topics, or sends it data.

Source: OMG, DDSI-RTPS 2.5, sections 8.5.3 (SPDP), 9.4 and 9.6 (bytes).
"""

from __future__ import annotations

import socket
import struct

from handhold.robots.unitree.spdp import SPDP_WRITER

PREFIX_SIZE = 12
"""Size of what tells one participant from all others [bytes]."""

_VERSION, _NO_MAKER = bytes((2, 1)), bytes((0, 0))
_PARTICIPANT = bytes((0, 0, 1, 0xC1))
_DATA, _LITTLE_ENDIAN, _HAS_INLINE_QOS, _HAS_DATA, _HAS_KEY = 0x15, 0x01, 0x02, 0x04, 0x08
_READS_ANNOUNCEMENTS = 1 << 1
_UDP = 1
_LEASE = 2
_DISPOSED = bytes((0, 0, 0, 3))


def compose_question(prefix: bytes, address: str, port: int) -> bytes:
    """Return the packet that announces a participant of domain 0.

    It is forgotten by all after 2 s, should its farewell be lost.

    Args:
        prefix: What tells the participant from all others, ``PREFIX_SIZE`` random bytes.
        address: Address that is to be answered, IPv4.
        port: Its port.
    """
    locator = struct.pack("<iI12x4s", _UDP, port, socket.inet_aton(address))
    content = b"".join(
        (
            _parameter(0x0015, _VERSION + bytes(2)),
            _parameter(0x0016, _NO_MAKER + bytes(2)),
            _parameter(0x0050, prefix + _PARTICIPANT),
            _parameter(0x000F, bytes(4)),  # the domain
            _parameter(0x0058, struct.pack("<I", _READS_ANNOUNCEMENTS)),
            _parameter(0x0002, struct.pack("<iI", _LEASE, 0)),
            _parameter(0x0031, locator),  # for data
            _parameter(0x0032, locator),  # for announcements
        )
    )
    return _compose(prefix, 1, _LITTLE_ENDIAN | _HAS_DATA, b"", content)


def compose_farewell(prefix: bytes) -> bytes:
    """Return the packet after which nobody knows the participant any more."""
    inline = _parameter(0x0071, _DISPOSED) + _parameter(0x0001, b"")
    return _compose(prefix, 2, _LITTLE_ENDIAN | _HAS_INLINE_QOS | _HAS_KEY, inline, _parameter(0x0050, prefix + _PARTICIPANT))


def _compose(prefix: bytes, number: int, flags: int, inline: bytes, content: bytes) -> bytes:
    header = b"RTPS" + _VERSION + _NO_MAKER + prefix
    data = struct.pack("<HH4x4siI", 0, 16, SPDP_WRITER, 0, number) + inline
    data += bytes((0, 3, 0, 0)) + content + _parameter(0x0001, b"")
    return header + struct.pack("<BBH", _DATA, flags, len(data)) + data


def _parameter(number: int, value: bytes) -> bytes:
    return struct.pack("<HH", number, len(value)) + value
