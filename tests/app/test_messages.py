"""The wire format: exact round trips, and nothing but MessageError for garbage."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_values import bits, random_snapshot

from handhold.app.link.authority import StopRequest
from handhold.app.link.codecs import stop_codec
from handhold.app.link.messages import (
    MAX_CLOCK,
    MAX_OPERATOR_BYTES,
    WIRE_VERSION,
    Envelope,
    Heard,
    MessageError,
    Stamp,
    event_codec,
    operator_codec,
    snapshot_codec,
)
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.devices.tracked_human import TrackedHuman

any_float = st.floats(allow_nan=True, allow_infinity=True, width=64)


def arrays(*shape: int) -> st.SearchStrategy[np.ndarray]:
    return hnp.arrays(np.float64, shape, elements=any_float)


poses = st.builds(pin.SE3, arrays(3, 3), arrays(3))
buttons = st.builds(Buttons, primary=st.booleans(), secondary=st.booleans(), menu=st.booleans(), stick=st.booleans())
hands = st.builds(
    HandInput,
    pose=st.none() | poses,
    aim=st.none() | poses,
    trigger=any_float,
    squeeze=any_float,
    stick=arrays(2),
    buttons=buttons,
)
humans = st.builds(
    TrackedHuman,
    time=any_float,
    sequence=st.integers(0, 2**62),
    suit=st.text(max_size=40),
    positions=arrays(23, 3),
    orientations=arrays(23, 4),
    tracked=hnp.arrays(np.bool_, (23,)),
    left_foot_in_contact=st.none() | st.booleans(),
    right_foot_in_contact=st.none() | st.booleans(),
    position_com=st.none() | arrays(3),
    quality=any_float,
)
samples = st.builds(
    OperatorInput,
    time=any_float,
    sequence=st.integers(0, 2**62),
    device=st.text(max_size=40),
    origin=st.integers(0, 2**31),
    focused=st.booleans(),
    stop=st.sampled_from(Stop),
    head=st.none() | poses,
    left=hands,
    right=hands,
    age=any_float,
    human=st.none() | humans,
)


numbers = st.integers(0, 2**62)
times = st.floats(-MAX_CLOCK, MAX_CLOCK)
stamps = st.builds(Stamp, numbers, numbers, times, st.builds(Heard, numbers, times, times))
STAMP = Stamp(run=1, sequence=1, time=0.0)


@given(sample=samples, stamp=stamps)
def test_an_operator_sample_comes_back_bit_for_bit(sample: OperatorInput, stamp: Stamp) -> None:
    codec = operator_codec()
    message = codec.decode(codec.encode(sample, stamp))
    assert bits(message.payload) == bits(sample)
    assert message.stamp == stamp


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf, 1e308, -2e9, 1000000000.5])
@pytest.mark.parametrize("field", ["time", "heard_time", "heard_at"])
def test_times_that_no_clock_shows_are_refused(field: str, time: float) -> None:
    codec = operator_codec()
    times = {"time": 0.0, "heard_time": 0.0, "heard_at": 0.0, field: time}
    stamp = Stamp(1, 1, times["time"], Heard(1, times["heard_time"], times["heard_at"]))
    with pytest.raises(MessageError, match="its times are no times of a clock"):
        codec.decode(codec.encode(OperatorInput(time=0.0), stamp))


@given(seed=st.integers(0, 2**32), vertices=st.integers(0, 12))
def test_a_snapshot_comes_back_bit_for_bit(seed: int, vertices: int) -> None:
    codec = snapshot_codec()
    snapshot = random_snapshot(seed, vertices)
    assert bits(codec.decode(codec.encode(snapshot, STAMP)).payload) == bits(snapshot)


def test_a_pulse_comes_back() -> None:
    codec = event_codec()
    pulse = HapticPulse(hand="left", amplitude=0.5, duration=0.1)
    assert codec.decode(codec.encode(pulse, STAMP)).payload == pulse


def test_arrays_come_back_read_only() -> None:
    codec = snapshot_codec()
    decoded = codec.decode(codec.encode(random_snapshot(0), STAMP)).payload
    assert not decoded.q.flags.writeable


@given(cut=st.integers(0, 5000))
def test_a_truncated_message_is_refused(cut: int) -> None:
    codec = snapshot_codec()
    data = codec.encode(random_snapshot(0), STAMP)
    with pytest.raises(MessageError):
        codec.decode(data[: min(cut, len(data) - 1)])


@given(garbage=st.binary(max_size=400))
def test_garbage_is_refused(garbage: bytes) -> None:
    with pytest.raises(MessageError):
        operator_codec().decode(garbage)


@given(place=st.integers(0, 10**6), value=st.integers(0, 255))
def test_a_message_with_a_changed_byte_is_read_or_refused(place: int, value: int) -> None:
    codec = operator_codec()
    hand = HandInput(pose=pin.SE3.Identity(), aim=pin.SE3.Identity())
    data = bytearray(codec.encode(OperatorInput(time=1.0, device="browser/1", left=hand, right=hand), STAMP))
    data[place % len(data)] = value
    try:
        sample = codec.decode(bytes(data)).payload
    except MessageError:
        return
    assert isinstance(sample, OperatorInput)


def test_a_message_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(MessageError, match="at most"):
        operator_codec().decode(bytes(MAX_OPERATOR_BYTES + 1))


def test_a_payload_that_is_too_large_is_not_sent() -> None:
    with pytest.raises(MessageError, match="too large"):
        operator_codec().encode(OperatorInput(time=0.0, device="x" * MAX_OPERATOR_BYTES), STAMP)


def test_another_version_is_refused_with_the_mend() -> None:
    codec = operator_codec()
    payload = msgspec.Raw(msgspec.msgpack.encode({"time": 0.0}))
    data = msgspec.msgpack.encode(Envelope(WIRE_VERSION + 1, STAMP, payload))
    with pytest.raises(MessageError, match="same release"):
        codec.decode(data)


def wire(payload: Any) -> bytes:
    raw = msgspec.Raw(msgspec.msgpack.encode(payload))
    return msgspec.msgpack.encode(Envelope(WIRE_VERSION, STAMP, raw))


@pytest.mark.parametrize(
    "stick",
    [
        ["<f8", [math.nan], b""],
        ["<f8", [-1], bytes(16)],
        ["<f8", [True, 2], bytes(16)],
        ["<f8", [2**63], bytes(16)],
        ["<f8", [0, 2**60], b""],
        ["<f8", [3], bytes(24)],
        ["<f8", [2], bytes(15)],
        ["|b1", [2], bytes(2)],
        ["|O", [2], bytes(16)],
        ["<f8", "22", bytes(16)],
        ["<f8", [1] * 9, bytes(8)],
        [None, [2], bytes(16)],
        [],
        None,
        b"",
        3.0,
    ],
)
def test_an_array_of_a_wrong_shape_or_type_is_refused(stick: Any) -> None:
    with pytest.raises(MessageError):
        operator_codec().decode(wire({"time": 0.0, "left": {"stick": stick}}))


@pytest.mark.parametrize("pose", [b"", bytes(95), [0.0] * 12, 1.0, "x"])
def test_a_pose_of_a_wrong_size_is_refused(pose: Any) -> None:
    with pytest.raises(MessageError):
        operator_codec().decode(wire({"time": 0.0, "left": {"pose": pose}}))


def test_a_deeply_nested_message_is_refused() -> None:
    with pytest.raises(MessageError):
        operator_codec().decode(b"\x91" * 60000)


@pytest.mark.parametrize("stop", Stop)
def test_a_stop_travels_as_its_word(stop: Stop) -> None:
    codec = operator_codec()
    encoded = codec.encode(OperatorInput(time=0.0, stop=stop), STAMP)
    assert msgspec.msgpack.decode(codec.unwrap(encoded).payload)["stop"] == stop.value
    assert codec.decode(encoded).payload.stop is stop


def test_a_word_that_is_no_stop_is_refused() -> None:
    codec = operator_codec()
    with pytest.raises(MessageError):
        codec.decode(codec.encode(OperatorInput(time=0.0, stop="dance"), STAMP))  # type: ignore[arg-type]


@pytest.mark.parametrize("stop", Stop)
def test_a_stop_request_asks_for_something(stop: Stop) -> None:
    codec, request = stop_codec(), {"kind": stop.value, "number": 1}
    envelope = Envelope(WIRE_VERSION, STAMP, msgspec.Raw(msgspec.msgpack.encode(request)))
    if stop is Stop.NONE:
        with pytest.raises(MessageError):
            codec.decode_payload(envelope)
    else:
        assert codec.decode_payload(envelope) == StopRequest(stop, 1)
