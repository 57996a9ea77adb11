"""Datagrams of the MVN network stream: from bytes to values, and back.

All numbers are big-endian. Positions are in the unit of the sender (centimetres or metres), axes z up but for type 01.
Source: "MVN real-time network streaming protocol specification", revision N (Xsens, 2018), sections 2.5 to 2.7; a centre of
mass of 36 bytes, and a time with its length before it, are what readers of newer versions expect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handhold.devices.frame_value import frame_value
from handhold.devices.suits.mvn_character import MetaData, Scaling, decode_meta_data, decode_scaling, encode_scaling
from handhold.devices.suits.mvn_header import (
    ANGULAR,
    BODY_SEGMENTS,
    CENTER_OF_MASS,
    FINGER_SEGMENTS,
    HEADER_SIZE,
    LINEAR,
    MAX_DATAGRAM,
    MAX_PROPS,
    META_DATA,
    POSE_EULER,
    POSE_QUATERNION,
    SCALING,
    SKIPPED_TYPES,
    TIME_CODE,
    MvnHeader,
    decode_header,
)
from handhold.devices.suits.skeleton import ROTATION_TOLERANCE
from handhold.devices.suits.suit_errors import DatagramRefused

MAX_SEGMENT = BODY_SEGMENTS + MAX_PROPS + FINGER_SEGMENTS
"""Largest identity of a segment: the body, props, fingers."""

MAX_VALUE = 1e6
"""What no position, velocity or acceleration of a person exceeds, in centimetres as well; nor a turn, in degrees."""

WORDS = {POSE_EULER: 7, POSE_QUATERNION: 8, LINEAR: 10, ANGULAR: 11}
"""Numbers of four bytes in an item, the segment's identity among them."""

COM_SIZES = (12, 36)
"""A position; or position, velocity and acceleration [bytes]."""

TIME_LENGTH = 12
"""Length of HH:MM:SS.mmm [bytes]."""


@frame_value
class SegmentItems:
    """What a datagram of type 01, 02, 21 or 22 says of some segments.

    Attributes:
        ids: Identities of the segments, 1 for the pelvis, shape ``(n,)``.
        positions: Shape ``(n, 3)``, in the sender's unit; None for type 22.
        orientations: Unit quaternions (x, y, z, w), shape ``(n, 4)``; None for types 01 and 21.
        angles: Turns about x, y and z of type 01, whose y is up, shape ``(n, 3)`` [degrees].
        rates: Velocity and acceleration, linear (21) or angular (22), shape ``(n, 6)``; None for poses.
    """

    ids: np.ndarray
    positions: np.ndarray | None = None
    orientations: np.ndarray | None = None
    angles: np.ndarray | None = None
    rates: np.ndarray | None = None


@frame_value
class CenterOfMass:
    """Centre of mass (type 24).

    Attributes:
        position: Shape ``(3,)``, in the sender's unit.
        rates: Velocity and acceleration, shape ``(6,)``; None from older versions.
    """

    position: np.ndarray
    rates: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class TimeCode:
    """Time of day of a sample (type 25).

    Attributes:
        text: HH:MM:SS.mmm.
    """

    text: str


Payload = SegmentItems | CenterOfMass | TimeCode | MetaData | Scaling | None
"""What a datagram says; None for types that nobody here needs."""


@frame_value
class Datagram:
    """A datagram that keeps to the protocol.

    Attributes:
        header: Its header.
        payload: What it says.
    """

    header: MvnHeader
    payload: Payload


def decode_datagram(data: bytes) -> Datagram:
    """Read a datagram.

    Raises:
        DatagramRefused: It does not keep to the protocol; ``reason`` is what it is counted under.
    """
    if len(data) > MAX_DATAGRAM:
        raise DatagramRefused("size", f"{len(data)} bytes are too many")
    header, content = decode_header(data), data[HEADER_SIZE:]
    # before 2019 the size was not told, nor anything else in the last seven bytes
    is_silent = header.body_segments == 0
    if len(content) != header.payload_size and not is_silent:
        raise DatagramRefused("size", f"a payload of {len(content)} bytes that says to have {header.payload_size}")
    return Datagram(header=header, payload=_decode_payload(header, content))


def _decode_payload(header: MvnHeader, content: bytes) -> Payload:
    if header.type in WORDS:
        return _decode_items(header, content)
    if header.type == CENTER_OF_MASS:
        return _decode_center_of_mass(content)
    if header.type == TIME_CODE:
        return _decode_time_code(content)
    if header.type == META_DATA:
        return decode_meta_data(content)
    return decode_scaling(content) if header.type == SCALING else None


def _decode_items(header: MvnHeader, content: bytes) -> SegmentItems:
    words = WORDS[header.type]
    if header.items == 0 or len(content) != 4 * words * header.items:
        raise DatagramRefused("size", f"{len(content)} bytes for {header.items} items of {4 * words}")
    if header.body_segments and header.items > header.body_segments + header.props + header.finger_segments:
        raise DatagramRefused("counts", f"{header.items} items of fewer segments")
    raw = np.frombuffer(content, dtype=">u4").reshape(header.items, words)
    ids = raw[:, 0].astype(np.int64)
    _check_ids(ids)
    single = raw.view(">f4")[:, 1:]
    # written so that what is not a number fails as well
    if not (np.abs(single) <= MAX_VALUE).all():
        raise DatagramRefused("number", "a number is not finite, or too large")
    return _name_columns(header.type, ids, single.astype(np.float64))


def _check_ids(ids: np.ndarray) -> None:
    """Look whether identities of segments are such, and each is there once.

    Raises:
        DatagramRefused: They are not.
    """
    listed = ids.tolist()
    if min(listed) < 1 or max(listed) > MAX_SEGMENT:
        raise DatagramRefused("segment", f"there is no segment {min(listed)} or {max(listed)}")
    if len(set(listed)) != len(listed):
        raise DatagramRefused("segment", "a segment is there twice")


def _name_columns(kind: int, ids: np.ndarray, values: np.ndarray) -> SegmentItems:
    if kind == POSE_EULER:
        return SegmentItems(ids=ids, positions=values[:, :3], angles=values[:, 3:])
    if kind == POSE_QUATERNION:
        return SegmentItems(ids=ids, positions=values[:, :3], orientations=_normalize(values[:, 3:]))
    if kind == LINEAR:
        return SegmentItems(ids=ids, positions=values[:, :3], rates=values[:, 3:])
    return SegmentItems(ids=ids, orientations=_normalize(values[:, :4]), rates=values[:, 4:])


def _normalize(values: np.ndarray) -> np.ndarray:
    """Return quaternions (w, x, y, z) as unit quaternions (x, y, z, w).

    Raises:
        DatagramRefused: One is no rotation.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
    if not (np.abs(lengths - 1.0) <= ROTATION_TOLERANCE).all():
        raise DatagramRefused("quaternion", "a quaternion is not of unit length")
    return values[:, [1, 2, 3, 0]] / lengths[:, None]


def _decode_center_of_mass(content: bytes) -> CenterOfMass:
    if len(content) not in COM_SIZES:
        raise DatagramRefused("size", f"a centre of mass of {len(content)} bytes")
    values = np.frombuffer(content, dtype=">f4")
    if not (np.abs(values) <= MAX_VALUE).all():
        raise DatagramRefused("number", "a number is not finite, or too large")
    values = values.astype(np.float64)
    return CenterOfMass(position=values[:3], rates=values[3:] if len(values) > 3 else None)


def _decode_time_code(content: bytes) -> TimeCode:
    """Read a time of day: twelve letters, with their number before them or without."""
    if len(content) == TIME_LENGTH + 4 and content[:4] == TIME_LENGTH.to_bytes(4, "big"):
        content = content[4:]
    separators = content[2:3] + content[5:6] + content[8:9]
    digits = content[:2] + content[3:5] + content[6:8] + content[9:]
    if len(content) != TIME_LENGTH or separators != b"::." or not digits.isdigit():
        raise DatagramRefused("text", "a time of day is not written HH:MM:SS.mmm")
    if int(content[:2]) > 23 or int(content[3:5]) > 59 or int(content[6:8]) > 59:
        raise DatagramRefused("text", "there is no such time of day")
    return TimeCode(content.decode("ascii"))


def encode_datagram(header: MvnHeader, payload: Payload) -> bytes:
    """Return a datagram's bytes; items and size of the header are set by the payload.

    Raises:
        ValueError: There is nothing of that type to be written.
    """
    items, content = _encode_payload(header.type, payload)
    return replace(header, items=items, payload_size=len(content)).encode() + content


def _encode_payload(kind: int, payload: Payload) -> tuple[int, bytes]:
    if isinstance(payload, SegmentItems):
        return len(payload.ids), _encode_items(kind, payload)
    if isinstance(payload, CenterOfMass):
        parts = (payload.position,) if payload.rates is None else (payload.position, payload.rates)
        return 1, np.concatenate(parts).astype(">f4").tobytes()
    if isinstance(payload, TimeCode):
        return 1, TIME_LENGTH.to_bytes(4, "big") + payload.text.encode("ascii")
    if isinstance(payload, MetaData):
        return 1, payload.encode()
    if isinstance(payload, Scaling):
        return 1, encode_scaling(payload)
    skipped = ", ".join(str(each) for each in sorted(SKIPPED_TYPES))
    raise ValueError(f"datagrams of type {kind} are not written (nor are {skipped})")


def _encode_items(kind: int, items: SegmentItems) -> bytes:
    rows = np.empty((len(items.ids), WORDS[kind]), dtype=">u4")
    rows[:, 0] = items.ids
    real_first = None if items.orientations is None else items.orientations[:, [3, 0, 1, 2]]
    columns = [part for part in (items.positions, items.angles, real_first, items.rates) if part is not None]
    rows.view(">f4")[:, 1:] = np.concatenate(columns, axis=1)
    return rows.tobytes()
