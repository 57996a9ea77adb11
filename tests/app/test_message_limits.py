"""What a message may be at most, and what is said of one that is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from handhold.app.link import messages
from handhold.app.link.messages import (
    WIRE_VERSION,
    Codec,
    Envelope,
    Heard,
    MessageError,
    Stamp,
    decode_value,
    encode_value,
    operator_codec,
)
from handhold.devices.operator_input import HandInput, OperatorInput

STAMP = Stamp(run=1, sequence=2, time=3.0)


def test_the_limits_are_those_that_both_sides_of_a_release_know() -> None:
    assert (WIRE_VERSION, messages.MAX_DIMENSIONS, messages.MAX_LENGTH) == (5, 4, 16_777_216)
    assert (messages.MAX_OPERATOR_BYTES, messages.MAX_SNAPSHOT_BYTES, messages.MAX_EVENT_BYTES) == (65_536, 1_048_576, 4_096)


def test_the_envelope_is_an_array_without_names_and_nobody_changes_it() -> None:
    data = operator_codec().encode(OperatorInput(time=0.0), STAMP)
    version, stamp, payload = msgspec.msgpack.decode(data)
    assert (version, stamp) == (WIRE_VERSION, [1, 2, 3.0, [0, 0.0, 0.0]])
    assert isinstance(payload, dict)
    for value in (STAMP, Heard(), operator_codec().unwrap(data)):
        with pytest.raises(AttributeError, match="immutable"):
            value.time = 1.0  # type: ignore[union-attr]


def test_a_message_may_be_just_as_long_as_the_limit() -> None:
    length = len(operator_codec().encode(OperatorInput(time=0.0), STAMP))
    exact = Codec(OperatorInput, length)
    assert exact.decode(exact.encode(OperatorInput(time=0.0), STAMP)).stamp == STAMP
    short = Codec(OperatorInput, length - 1)
    with pytest.raises(MessageError, match="too large"):
        short.encode(OperatorInput(time=0.0), STAMP)
    with pytest.raises(MessageError, match="was refused"):
        short.decode(exact.encode(OperatorInput(time=0.0), STAMP))


def raised(call: Callable[[], Any]) -> str:
    with pytest.raises((MessageError, ValueError, NotImplementedError)) as caught:
        call()
    return str(caught.value)


def test_what_is_wrong_with_a_message_is_said() -> None:
    codec = operator_codec()
    assert re.fullmatch("a message could not be read: .+", raised(lambda: codec.decode(b"\xff")))
    wrong = msgspec.msgpack.encode(Envelope(WIRE_VERSION, STAMP, msgspec.Raw(msgspec.msgpack.encode({"time": "now"}))))
    assert re.fullmatch("a message could not be read: .*time.*", raised(lambda: codec.decode(wrong)))
    other = msgspec.msgpack.encode(Envelope(9, STAMP, msgspec.Raw(b"\x80")))
    expected = (
        "a message of version 9 was refused; this side speaks version 5: install the same release of Handhold on both sides"
    )
    assert raised(lambda: codec.decode(other)) == expected
    late = msgspec.msgpack.encode(Envelope(WIRE_VERSION, Stamp(1, 1, float("nan")), msgspec.Raw(b"\x80")))
    assert raised(lambda: codec.decode(late)) == "a message could not be read: its times are no times of a clock"


def test_a_value_that_no_message_carries_is_named() -> None:
    assert raised(lambda: encode_value(object())) == "no message carries a object"
    assert raised(lambda: decode_value(complex, b"")) == "no message carries a complex"


@pytest.mark.parametrize("pose", [b"", bytes(95), bytes(97), "x" * 96, [0.0] * 96])
def test_a_pose_takes_96_bytes(pose: Any) -> None:
    assert raised(lambda: decode_value(pin.SE3, pose)) == "a pose takes 96 bytes"


@pytest.mark.parametrize(
    ("encoded", "words"),
    [
        (["<f8", [1]], "an array takes type, shape and bytes"),
        (("<f8", [1], bytes(8)), "an array takes type, shape and bytes"),
        ("abc", "an array takes type, shape and bytes"),
        (["<f16", [1], bytes(16)], "an array of a type that no message carries"),
        ([["<f8"], [1], bytes(8)], "an array of a type that no message carries"),
        (["<f8", [1], "8 bytes."], "an array of a type that no message carries"),
        (["<f8", (1,), bytes(8)], "an array of a shape that no message carries"),
        (["<f8", 1, bytes(8)], "an array of a shape that no message carries"),
        (["<f8", [1] * 5, bytes(8)], "an array of a shape that no message carries"),
        (["<f8", [-1], bytes(8)], "an array of a shape that no message carries"),
        (["<f8", [True], bytes(8)], "an array of a shape that no message carries"),
        (["<f8", [1.0], bytes(8)], "an array of a shape that no message carries"),
        (["<f8", [0, (1 << 24) + 1], b""], "an array of a shape that no message carries"),
        (["<f8", [2], bytes(8)], "an array whose shape does not fit its bytes"),
    ],
)
def test_an_array_that_is_none_is_refused_in_words(encoded: Any, words: str) -> None:
    assert raised(lambda: decode_value(np.ndarray, encoded)) == words


def test_the_largest_shapes_are_taken() -> None:
    assert decode_value(np.ndarray, ["<f8", [1] * 4, bytes(8)]).shape == (1, 1, 1, 1)
    assert decode_value(np.ndarray, ["<f8", [0, 1 << 24], b""]).shape == (0, 1 << 24)


@pytest.mark.parametrize("stick", [np.zeros(3), np.zeros(2, dtype=np.float32), np.zeros((2, 1))])
def test_a_stick_has_two_axes(stick: np.ndarray) -> None:
    codec = operator_codec()
    data = codec.encode(OperatorInput(time=0.0, right=HandInput(stick=stick)), STAMP)
    assert raised(lambda: codec.decode(data)) == "a message could not be read: a stick has two axes"
