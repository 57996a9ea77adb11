"""Announcements of DDS participants, read as far as they tell which CycloneDDS speaks.

Every DDS announces its participants by SPDP, data of one builtin writer in packets of RTPS. CycloneDDS adds a parameter of its
maker to them: its host's name, its version and its platform in one string.

Source: OMG, DDSI-RTPS 2.5, sections 8.3.3 (packets), 8.5.3 (SPDP), 9.4 and 9.6 (their bytes); the maker's parameter and the
properties by the public sources of CycloneDDS.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

SPDP_WRITER = bytes((0, 1, 0, 0xC2))
"""Entity whose data are announcements."""

_HEADER_SIZE = 20
_ECLIPSE = bytes((1, 0x10))
_PADDING, _TIME, _DATA = 0x01, 0x09, 0x15
_LITTLE_ENDIAN, _HAS_INLINE_QOS, _HAS_DATA = 0x01, 0x02, 0x04
_SENTINEL, _PROPERTIES, _VERSION = 0x0001, 0x0059, 0x8007
_ENCODINGS = {bytes((0, 2)): ">", bytes((0, 3)): "<"}
_TOLD = re.compile(r"([ -.0-~]{1,64})/([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})")
_WORD = re.compile(r"[ -~]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CycloneParticipant:
    """Who announces itself by CycloneDDS.

    Attributes:
        host: Name of its host.
        version: Version of its CycloneDDS.
        process: Name and number of its process; empty where it does not tell.
    """

    host: str
    version: str
    process: str = ""

    @property
    def line(self) -> str:
        """Major line of its version: ``0.10`` of 0.10.2, ``11`` of 11.0.1."""
        major, minor = self.version.split(".")[:2]
        return f"{major}.{minor}" if major == "0" else major


def read_announcements(packet: bytes) -> tuple[CycloneParticipant, ...]:
    """Return the participants of CycloneDDS that a packet announces; none where it is of another maker or no packet of RTPS.

    Whatever the bytes are, nothing is raised, and what is malformed announces nobody.

    Args:
        packet: What a datagram holds.
    """
    if len(packet) < _HEADER_SIZE or packet[:4] != b"RTPS" or packet[6:8] != _ECLIPSE:
        return ()
    found = (_read_participant(content) for content in _find_announced(packet))
    return tuple(each for each in found if each is not None)


def _find_announced(packet: bytes) -> Iterator[bytes]:
    """Yield what the announcements of a packet hold."""
    begin = _HEADER_SIZE
    while begin + 4 <= len(packet):
        kind, flags = packet[begin : begin + 2]
        order = "<" if flags & _LITTLE_ENDIAN else ">"
        (length,) = struct.unpack_from(f"{order}H", packet, begin + 2)
        begin += 4
        # By the standard the last submessage may leave its length out, but those that can be empty.
        if length == 0 and kind not in (_PADDING, _TIME):
            length = len(packet) - begin
        content = packet[begin : begin + length]
        if kind == _DATA and flags & _HAS_DATA and content[8:12] == SPDP_WRITER:
            (offset,) = struct.unpack_from(f"{order}H", content, 2)
            content = content[4 + offset :]
            yield _read_parameters(content, order)[1] if flags & _HAS_INLINE_QOS else content
        begin += length


def _read_participant(content: bytes) -> CycloneParticipant | None:
    """Return who announces itself, or None where its version is not told as CycloneDDS does."""
    order = _ENCODINGS.get(content[:2])
    if order is None:
        return None
    parameters, _ = _read_parameters(content[4:], order)
    # The maker's version of the parameter, its flags and three words without use are before the string.
    told = _TOLD.match(_read_string(parameters.get(_VERSION, b""), 20, order)[0])
    if told is None:
        return None
    properties = _read_properties(parameters.get(_PROPERTIES, b""), order)
    process = f"{properties.get('__ProcessName', '')} {properties.get('__Pid', '')}".strip()
    return CycloneParticipant(host=told[1], version=told[2], process=process)


def _read_parameters(content: bytes, order: str) -> tuple[dict[int, bytes], bytes]:
    """Return the parameters of a list, each of them by its number, and what comes after the list."""
    parameters: dict[int, bytes] = {}
    begin = 0
    while begin + 4 <= len(content):
        number, length = struct.unpack_from(f"{order}HH", content, begin)
        begin += 4
        if number == _SENTINEL:
            return parameters, content[begin:]
        if begin + length > len(content):
            break
        parameters[number] = content[begin : begin + length]
        begin += length
    return parameters, b""


def _read_string(content: bytes, begin: int, order: str) -> tuple[str, int]:
    """Return a string and where the next one begins; an empty one and the end where it is not whole."""
    if begin + 4 > len(content):
        return "", len(content)
    (length,) = struct.unpack_from(f"{order}I", content, begin)
    begin += 4
    if begin + length > len(content):
        return "", len(content)
    text = content[begin : begin + length].rstrip(b"\0").decode("utf-8", "replace")
    return text, begin + (length + 3) // 4 * 4


def _read_properties(content: bytes, order: str) -> dict[str, str]:
    """Return the properties that are of one line, for people to read."""
    properties: dict[str, str] = {}
    if len(content) < 4:
        return properties
    (number,) = struct.unpack_from(f"{order}I", content)
    begin = 4
    for _ in range(min(number, len(content) // 8)):
        name, begin = _read_string(content, begin, order)
        value, begin = _read_string(content, begin, order)
        if _WORD.fullmatch(value):
            properties[name] = value
    return properties
