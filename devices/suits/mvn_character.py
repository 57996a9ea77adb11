"""What the MVN stream says of a person now and then: name and colour (type 12), and lengths (type 13).

Strings are UTF-8, with their size as a signed integer of four bytes before them. Source: the protocol's specification,
revision N, sections 2.5.12 and 2.6.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from handhold.devices.suits.suit_errors import DatagramRefused

MAX_TEXT = 256
"""Length of a name at most [bytes]."""

MAX_SEGMENTS = 256
MAX_POINTS = 1024
MAX_COORDINATE = 1e6

Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class MetaData:
    """What people call a character (type 12).

    Attributes:
        tags: Values by the names of their tags: ``name``, ``xmid``, ``color``; others are kept.
    """

    tags: dict[str, str]

    def encode(self) -> bytes:
        """Return the payload's bytes."""
        text = "".join(f"{name}:{value}\n" for name, value in self.tags.items()).encode()
        return len(text).to_bytes(4, "big") + text


@dataclass(frozen=True, slots=True)
class SegmentOrigin:
    """Where a segment begins in a T-pose.

    Attributes:
        name: Its name.
        position: In the room, in the sender's unit.
    """

    name: str
    position: Point


@dataclass(frozen=True, slots=True)
class BodyPoint:
    """A point on a segment, such as the tip of a hand.

    Attributes:
        segment: Identity of the segment.
        point: Number of the point on it.
        name: Its name.
        flags: Bits that say what kind of point it is.
        position: From the segment's origin in a T-pose, in the sender's unit.
    """

    segment: int
    point: int
    name: str
    flags: int
    position: Point


@dataclass(frozen=True, slots=True)
class Scaling:
    """Lengths of a person, as a T-pose (type 13); one datagram has the segments, others have points.

    Attributes:
        segments: Where segments begin, in the order of their identities.
        points: Points on them.
    """

    segments: tuple[SegmentOrigin, ...]
    points: tuple[BodyPoint, ...] = ()


class _Bytes:
    """Reads a payload from its beginning to its end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._offset = 0

    def take(self, layout: str) -> tuple[float, ...]:
        """Read numbers, laid out as ``struct`` says it."""
        size = struct.calcsize(layout)
        if self._offset + size > len(self._content):
            raise DatagramRefused("size", "it ends in the middle of a number")
        values = struct.unpack_from(layout, self._content, self._offset)
        self._offset += size
        return values

    def take_count(self, most: int) -> int:
        """Read how many of something follow."""
        count = int(self.take(">I")[0])
        if count > most:
            raise DatagramRefused("counts", f"{count} where {most} are the most")
        return count

    def take_text(self, most: int = MAX_TEXT) -> str:
        """Read a string."""
        length = int(self.take(">i")[0])
        if not 0 <= length <= min(most, len(self._content) - self._offset):
            raise DatagramRefused("text", f"a string of {length} bytes")
        raw = self._content[self._offset : self._offset + length]
        self._offset += length
        return _decode_text(raw)

    def take_point(self) -> Point:
        """Read three coordinates."""
        x, y, z = self.take(">3f")
        if not all(math.isfinite(value) and abs(value) <= MAX_COORDINATE for value in (x, y, z)):
            raise DatagramRefused("number", "a coordinate is not finite, or too large")
        return (x, y, z)

    def finish(self) -> None:
        """Look whether all has been read."""
        if self._offset != len(self._content):
            raise DatagramRefused("size", f"{len(self._content) - self._offset} bytes are left over")


def _decode_text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise DatagramRefused("text", "a string is not UTF-8") from None


def decode_meta_data(content: bytes) -> MetaData:
    """Read the tags of a character.

    Raises:
        DatagramRefused: They are not written ``tag:value``, a line each.
    """
    reader = _Bytes(content)
    text = reader.take_text(most=16 * MAX_TEXT)
    reader.finish()
    tags = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not colon or not name.isidentifier():
            raise DatagramRefused("text", "a line has no tag")
        tags[name] = value.strip()[:MAX_TEXT]
    return MetaData(tags)


def decode_scaling(content: bytes) -> Scaling:
    """Read lengths of a person.

    Raises:
        DatagramRefused: Sizes, counts, strings or numbers are not the protocol's.
    """
    reader = _Bytes(content)
    segments = tuple(SegmentOrigin(reader.take_text(), reader.take_point()) for _ in range(reader.take_count(MAX_SEGMENTS)))
    points = tuple(_take_body_point(reader) for _ in range(reader.take_count(MAX_POINTS)))
    reader.finish()
    return Scaling(segments, points)


def _take_body_point(reader: _Bytes) -> BodyPoint:
    segment, point = (int(value) for value in reader.take(">HH"))
    name = reader.take_text()
    return BodyPoint(segment, point, name, int(reader.take(">I")[0]), reader.take_point())


def encode_scaling(scaling: Scaling) -> bytes:
    """Return the payload's bytes."""
    parts = [struct.pack(">I", len(scaling.segments))]
    for origin in scaling.segments:
        parts += [_encode_text(origin.name), struct.pack(">3f", *origin.position)]
    parts.append(struct.pack(">I", len(scaling.points)))
    for point in scaling.points:
        head, tail = struct.pack(">HH", point.segment, point.point), struct.pack(">I3f", point.flags, *point.position)
        parts += [head, _encode_text(point.name), tail]
    return b"".join(parts)


def _encode_text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack(">i", len(raw)) + raw
