"""Datagrams of the MVN stream: what is written is read back, and what is not valid is refused for a reason."""

from __future__ import annotations

import contextlib
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from people import angle_between, make_human

from handhold.devices.suits import mvn_header
from handhold.devices.suits.mvn_character import BodyPoint, MetaData, Scaling, SegmentOrigin
from handhold.devices.suits.mvn_header import HEADER_SIZE, MvnHeader, decode_header
from handhold.devices.suits.mvn_pose import convert_euler
from handhold.devices.suits.mvn_protocol import (
    CenterOfMass,
    SegmentItems,
    TimeCode,
    decode_datagram,
    encode_datagram,
)
from handhold.devices.suits.mvn_sender import MvnEncoder
from handhold.devices.suits.suit_errors import DatagramRefused


def make_header(kind: int, **fields: int) -> MvnHeader:
    return MvnHeader(**({"type": kind, "sample": 7, "time_code": 70, "items": 0, "payload_size": 0} | fields))  # type: ignore[arg-type]


def make_pose() -> bytes:
    return next(iter(MvnEncoder(first_sample=7).encode(make_human(1.0), 0.07)))


def refusal(data: bytes) -> str:
    with pytest.raises(DatagramRefused) as refused:
        decode_datagram(data)
    return refused.value.reason


def change(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset] + new + data[offset + len(new) :]


WORD = st.integers(0, (1 << 32) - 1)


@given(WORD, WORD, st.integers(0, 127), st.integers(0, 255), st.integers(0, 4), st.booleans())
def test_a_header_is_read_as_it_was_written(
    sample: int, time_code: int, index: int, character: int, props: int, is_last: bool
) -> None:
    fingers = 40 if is_last else 0
    header = make_header(
        2, sample=sample, index=index, time_code=time_code, character=character, props=props, finger_segments=fingers
    )
    header = replace(header, is_last=is_last)
    assert decode_header(header.encode()) == header
    assert len(header.encode()) == HEADER_SIZE


def test_a_header_lies_in_the_bytes_where_the_protocol_has_it() -> None:
    data = make_header(2, sample=0x01020304, index=5, time_code=0x0A0B0C0D, character=3, props=2, payload_size=0x1122).encode()
    assert data == b"MXTP02" + bytes([1, 2, 3, 4, 0x85, 0, 0x0A, 0x0B, 0x0C, 0x0D, 3, 23, 2, 0, 0, 0, 0x11, 0x22])


def test_a_pose_is_read_as_it_was_written() -> None:
    human = make_human(1.0)
    datagram = decode_datagram(make_pose())
    assert isinstance(datagram.payload, SegmentItems)
    assert datagram.payload.positions is not None
    assert datagram.payload.orientations is not None
    assert list(datagram.payload.ids) == list(range(1, 24))
    assert np.allclose(datagram.payload.positions, human.positions, atol=1e-6)
    assert angle_between(datagram.payload.orientations, human.orientations) < 1e-3
    assert np.allclose(np.linalg.norm(datagram.payload.orientations, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("kind", [mvn_header.POSE_EULER, mvn_header.LINEAR, mvn_header.ANGULAR])
def test_other_items_are_read_as_they_were_written(kind: int) -> None:
    random = np.random.default_rng(1)
    quaternions = random.normal(size=(5, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    items = SegmentItems(
        ids=np.arange(3, 8),
        positions=None if kind == mvn_header.ANGULAR else random.normal(size=(5, 3)),
        orientations=quaternions if kind == mvn_header.ANGULAR else None,
        angles=random.normal(size=(5, 3)) if kind == mvn_header.POSE_EULER else None,
        rates=None if kind == mvn_header.POSE_EULER else random.normal(size=(5, 6)),
    )
    read = decode_datagram(encode_datagram(make_header(kind), items)).payload
    assert isinstance(read, SegmentItems)
    for name in ("ids", "positions", "orientations", "angles", "rates"):
        one, other = getattr(items, name), getattr(read, name)
        assert (one is None) == (other is None)
        assert one is None or np.allclose(one, other, atol=1e-6)


def test_what_is_told_now_and_then_is_read_as_it_was_written() -> None:
    com = CenterOfMass(position=np.array([1.0, 2.0, 3.0]), rates=np.arange(6.0))
    read = decode_datagram(encode_datagram(make_header(24), com)).payload
    assert isinstance(read, CenterOfMass)
    assert read.rates is not None
    assert np.array_equal(read.position, com.position)
    assert np.array_equal(read.rates, com.rates)
    meta = MetaData({"name": "Ä. B.", "color": "FF0000"})
    scaling = Scaling((SegmentOrigin("Pelvis", (0.0, 0.0, 1.0)),), (BodyPoint(1, 13, "pSacrum", 3, (-0.125, 0.0, 0.5)),))
    for kind, payload in ((25, TimeCode("12:34:56.789")), (12, meta), (13, scaling)):
        assert decode_datagram(encode_datagram(make_header(kind), payload)).payload == payload


def test_short_forms_of_older_versions_are_read() -> None:
    com = encode_datagram(make_header(24), CenterOfMass(position=np.array([1.0, 2.0, 3.0])))
    assert decode_datagram(com).payload is not None
    bare = make_header(25, items=1, payload_size=12).encode() + b"12:34:56.789"
    assert decode_datagram(bare).payload == TimeCode("12:34:56.789")
    # no counts and no size in the last seven bytes of the header
    silent = change(make_pose(), 17, bytes(7))
    assert decode_datagram(silent).header.body_segments == 0


def test_types_that_nobody_needs_are_known_and_not_read() -> None:
    for kind in sorted(mvn_header.SKIPPED_TYPES):
        data = make_header(kind, payload_size=5).encode() + b"abcde"
        assert decode_datagram(data).payload is None


def test_what_is_not_valid_is_refused_for_its_reason() -> None:
    pose = make_pose()
    nan, two = struct.pack(">f", float("nan")), struct.pack(">f", 2.0)
    cases = {
        "size": [b"", pose[:23], pose[:-1], pose + b"\0", change(pose, 11, b"\x16"), change(pose, 11, b"\0")],
        "magic": [b"X" + pose[1:], pose[:3] + b"Q" + pose[4:]],
        "type": [change(pose, 4, b"99"), change(pose, 4, b" 2"), change(pose, 4, b"\xb22")],
        "counts": [change(pose, 17, b"\x16"), change(pose, 18, b"\x05"), change(pose, 19, b"\x01"), change(pose, 17, b"\0\1")],
        "segment": [change(pose, HEADER_SIZE, bytes([0, 0, 0, value])) for value in (0, 2, 200)],
        "number": [
            change(pose, HEADER_SIZE + 4, nan),
            change(pose, HEADER_SIZE + 20, nan),
            change(pose, HEADER_SIZE + 4, b"\x7f"),
        ],
        "quaternion": [change(pose, HEADER_SIZE + 16, two), change(pose, HEADER_SIZE + 16, bytes(16))],
    }
    for reason, several in cases.items():
        assert [refusal(data) for data in several] == [reason] * len(several)


@pytest.mark.parametrize("text", [b"12:34:56,789", b"24:00:00.000", b"12:60:00.000", b"1234567890ab", b"12:34:56.7\xb29"])
def test_a_time_that_is_none_is_refused(text: bytes) -> None:
    assert refusal(make_header(25, items=1, payload_size=len(text)).encode() + text) == "text"


def test_strings_and_counts_beyond_their_payload_are_refused() -> None:
    def payload(kind: int, content: bytes) -> bytes:
        return make_header(kind, items=1, payload_size=len(content)).encode() + content

    assert refusal(payload(12, b"\x7f\xff\xff\xff")) == "text"
    assert refusal(payload(12, b"\xff\xff\xff\xff")) == "text"
    assert refusal(payload(12, b"\0\0\0\2\xff\xfe")) == "text"
    assert refusal(payload(12, b"\0\0\0\3abc")) == "text"
    assert refusal(payload(13, b"\xff\xff\xff\xff")) == "counts"
    assert refusal(payload(13, b"\0\0\0\1\0\0\0\1a")) == "size"
    assert refusal(payload(13, bytes(9))) == "size"


@settings(max_examples=300)
@given(st.sampled_from([1, 2, 3, 12, 13, 20, 21, 22, 24, 25]), st.binary(max_size=200), st.integers(0, 255), st.booleans())
def test_any_bytes_are_read_or_refused(kind: int, content: bytes, items: int, told: bool) -> None:
    header = make_header(kind, items=items, payload_size=len(content) if told else 0, body_segments=23 if told else 0)
    for data in (content, header.encode() + content):
        with contextlib.suppress(DatagramRefused):
            decode_datagram(data)


def test_a_quaternion_of_nearly_unit_length_is_made_one() -> None:
    pose = bytearray(make_pose())
    values = np.frombuffer(bytes(pose), dtype=">f4", offset=HEADER_SIZE + 16, count=4) * 1.01
    read = decode_datagram(change(bytes(pose), HEADER_SIZE + 16, values.astype(">f4").tobytes())).payload
    assert isinstance(read, SegmentItems)
    assert read.orientations is not None
    assert np.linalg.norm(read.orientations[0]) == pytest.approx(1.0, abs=1e-12)


def test_euler_angles_with_y_up_are_turned_to_z_up() -> None:
    # y up, z ahead, x left: a turn of 90 degrees about y is one about z, a turn about z (a roll) one about x
    angles = np.array([[0.0, 90.0, 0.0], [0.0, 0.0, 90.0], [90.0, 0.0, 0.0]])
    items = SegmentItems(ids=np.arange(1, 4), positions=np.array([[1.0, 2.0, 3.0]] * 3), angles=angles)
    converted = convert_euler(items)
    assert converted.positions is not None
    assert converted.orientations is not None
    assert converted.positions[0].tolist() == [3.0, 1.0, 2.0]
    half = np.sqrt(0.5)
    assert np.allclose(converted.orientations, [[0, 0, half, half], [half, 0, 0, half], [0, half, 0, half]])
