"""The 24 bytes that every datagram of the MVN network stream begins with.

Source: "MVN real-time network streaming protocol specification", revision N (Xsens, 2018), section 2.4.1.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from handhold.devices.suits.suit_errors import DatagramRefused

MAGIC = b"MXTP"
"""What a datagram begins with, before two digits for its type."""

HEADER_SIZE = 24
"""Size of a header [bytes]."""

MAX_DATAGRAM = 65_507
"""Size that UDP lets a datagram have at most [bytes]."""

DEFAULT_PORT = 9763
"""Port that MVN sends to unless told otherwise."""

BODY_SEGMENTS = 23
MAX_PROPS = 4
FINGER_SEGMENTS = 40
LAST = 0x80
"""Bit of the datagram counter that marks the last datagram of a sample."""

POSE_EULER, POSE_QUATERNION, META_DATA, SCALING = 1, 2, 12, 13
LINEAR, ANGULAR, CENTER_OF_MASS, TIME_CODE = 21, 22, 24, 25
READ_TYPES = frozenset({POSE_EULER, POSE_QUATERNION, META_DATA, SCALING, LINEAR, ANGULAR, CENTER_OF_MASS, TIME_CODE})
"""Types that are read."""

SKIPPED_TYPES = frozenset({3, 4, 5, 10, 11, 20, 23})
"""Types that the protocol knows and nobody here needs."""

_LAYOUT = struct.Struct(">6sIBBIBBBBHH")


@dataclass(frozen=True, slots=True, kw_only=True)
class MvnHeader:
    """Header of a datagram.

    Attributes:
        type: Type of what follows, such as ``POSE_QUATERNION``.
        sample: Number of the sample, which wraps around at 2^32; a sender may leave numbers out.
        index: Number of the datagram within the sample, 0 to 127.
        is_last: Whether it is the last one of the sample.
        items: How many items follow.
        time_code: Time since the recording began, which wraps around at 2^32 [ms].
        character: Number of the person.
        body_segments: Segments of the body that are streamed, 23; 0 from versions before 2019, which do not say.
        props: Props that are streamed, 0 to 4.
        finger_segments: Segments of fingers that are streamed, 0 or 40.
        reserved: Two bytes without a meaning yet.
        payload_size: Size of what follows [bytes].
    """

    type: int
    sample: int
    time_code: int
    items: int
    payload_size: int
    index: int = 0
    is_last: bool = True
    character: int = 0
    body_segments: int = BODY_SEGMENTS
    props: int = 0
    finger_segments: int = 0
    reserved: int = 0

    def encode(self) -> bytes:
        """Return the header's bytes."""
        return _LAYOUT.pack(
            MAGIC + b"%02d" % self.type,
            self.sample,
            self.index | (LAST if self.is_last else 0),
            self.items,
            self.time_code,
            self.character,
            self.body_segments,
            self.props,
            self.finger_segments,
            self.reserved,
            self.payload_size,
        )


def decode_header(data: bytes) -> MvnHeader:
    """Read the header of a datagram; what the payload may be is not looked at.

    Raises:
        DatagramRefused: It is none: too short, another protocol, an unknown type or counts that the protocol does not have.
    """
    if len(data) < HEADER_SIZE:
        raise DatagramRefused("size", f"{len(data)} bytes are no header")
    start, sample, counter, items, time_code, character, body, props, fingers, reserved, size = _LAYOUT.unpack_from(data)
    if start[:4] != MAGIC:
        raise DatagramRefused("magic", "it does not begin with MXTP")
    digits = start[4:]
    kind = int(digits) if digits.isdigit() else -1
    if kind not in READ_TYPES and kind not in SKIPPED_TYPES:
        raise DatagramRefused("type", f"there is no type {digits!r}")
    if body not in (0, BODY_SEGMENTS) or props > MAX_PROPS or fingers not in (0, FINGER_SEGMENTS):
        raise DatagramRefused("counts", f"{body} segments, {props} props, {fingers} finger segments")
    if body == 0 and (props or fingers or reserved or size):
        raise DatagramRefused("counts", "no segments, and yet more of them, or a size")
    return MvnHeader(
        type=kind,
        sample=sample,
        index=counter & ~LAST,
        is_last=bool(counter & LAST),
        items=items,
        time_code=time_code,
        character=character,
        body_segments=body,
        props=props,
        finger_segments=fingers,
        reserved=reserved,
        payload_size=size,
    )
