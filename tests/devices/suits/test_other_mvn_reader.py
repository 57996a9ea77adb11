"""Our stream as another project's reader has it, and what that one refuses as ours has it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from other_mvn_reader import OtherReader, open_reader
from people import angle_between, make_human

from handhold.devices.suits.mvn_header import ANGULAR, CENTER_OF_MASS, LINEAR, POSE_EULER, POSE_QUATERNION, MvnHeader
from handhold.devices.suits.mvn_pose import convert_euler
from handhold.devices.suits.mvn_protocol import CenterOfMass, SegmentItems, decode_datagram, encode_datagram
from handhold.devices.suits.mvn_sender import MvnEncoder
from handhold.devices.suits.suit_errors import DatagramRefused


@pytest.fixture
def reader() -> Iterator[OtherReader]:
    with open_reader() as opened:
        yield opened


def encode(time: float) -> dict[int, bytes]:
    datagrams = MvnEncoder(kinematics=True).encode(make_human(time), time)
    return {decode_datagram(data).header.type: data for data in datagrams}


@pytest.mark.parametrize("time", [0.0, 0.7, 2.1, 5.0])
def test_both_read_the_same_from_our_stream(reader: OtherReader, time: float) -> None:
    datagrams = encode(time)
    for kind, name in ((POSE_QUATERNION, "quaternion"), (ANGULAR, "quaternion"), (LINEAR, "position")):
        theirs, ours = reader.read(datagrams[kind]), decode_datagram(datagrams[kind]).payload
        assert theirs is not None
        assert isinstance(ours, SegmentItems)
        if name == "quaternion":
            assert ours.orientations is not None
            assert angle_between(theirs["quaternion"][0][:, [1, 2, 3, 0]].astype(float), ours.orientations) < 1e-3
        if ours.positions is not None:
            assert np.array_equal(theirs["position"][0], ours.positions.astype(np.float32))
    com, ours_com = reader.read(datagrams[CENTER_OF_MASS]), decode_datagram(datagrams[CENTER_OF_MASS]).payload
    assert com is not None
    assert isinstance(ours_com, CenterOfMass)
    assert np.array_equal(com["position"][0], ours_com.position.astype(np.float32))
    assert reader.read(datagrams[25]) is not None


def test_both_read_counters_and_times_from_the_same_bytes(reader: OtherReader) -> None:
    data = MvnEncoder(first_sample=4_000_000_001).encode(make_human(), 3_000_000.123)[0]
    theirs = reader.read(data)
    assert theirs is not None
    header = decode_datagram(data).header
    assert theirs["counter"][0, 0] == header.sample == 4_000_000_001
    # theirs multiplies milliseconds by a thousand
    assert theirs["time_since_start_s"][0, 0] / 1000.0 == header.time_code


def test_both_turn_positions_of_the_euler_stream_to_the_same_axes(reader: OtherReader) -> None:
    random = np.random.default_rng(2)
    items = SegmentItems(ids=np.arange(1, 24), positions=random.normal(size=(23, 3)), angles=np.zeros((23, 3)))
    data = encode_datagram(MvnHeader(type=POSE_EULER, sample=1, time_code=1, items=0, payload_size=0), items)
    theirs, ours = reader.read(data), convert_euler(items)
    assert theirs is not None
    assert ours.positions is not None
    assert np.allclose(theirs["position"][0], ours.positions, atol=1e-6)


def test_what_they_take_nothing_from_is_refused_here_or_not_meant_for_them(reader: OtherReader) -> None:
    random = np.random.default_rng(6)
    data = encode(1.0)[POSE_QUATERNION]
    refused = 0
    for _ in range(300):
        mutated = bytearray(data)
        mutated[int(random.integers(24))] ^= 1 << int(random.integers(8))
        try:
            theirs = reader.read(bytes(mutated))
        except ValueError:  # a type that is no number
            theirs = None
        if theirs is not None:
            continue
        refused += 1
        try:
            header = decode_datagram(bytes(mutated)).header
        except DatagramRefused:
            continue
        # other characters and split samples are read here; types that carry no pose are skipped by both
        assert header.character or not header.is_last or header.index or header.type != POSE_QUATERNION
    assert refused > 50
