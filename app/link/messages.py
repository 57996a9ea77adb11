"""Messages between the operator station and the robot host: a versioned envelope in msgpack around the frozen dataclasses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot

WIRE_VERSION = 5
"""Version of the messages; raise it whenever a dataclass that travels changes its meaning."""

MAX_CLOCK = 1e9
"""What a machine's monotonic clock shows at most [s]: it has run for thirty years."""

MAX_OPERATOR_BYTES = 1 << 16
"""A sample of a headset and two hands takes 0.8 kB; a suit will take 5 kB."""

MAX_SNAPSHOT_BYTES = 1 << 20
"""A snapshot of Talos takes 6 kB."""

MAX_EVENT_BYTES = 1 << 12

ARRAY_TYPES = {name: np.dtype(name) for name in ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")}
"""Types of arrays that are taken, over the link and out of a log, by numpy's names."""

MAX_DIMENSIONS = 4
MAX_LENGTH = 1 << 24

PayloadT = TypeVar("PayloadT")


class MessageError(AppError):
    """Bytes that came over the link, or out of a log, are no message that we can use."""


class Heard(msgspec.Struct, frozen=True, array_like=True):
    """What a sender last heard of the other side, which bounds the difference of their clocks.

    Attributes:
        run: Run of the other side; 0 where nothing was heard yet.
        time: Clock of the other side when it sent that [s].
        at: Clock of the sender of this message when it arrived [s].
    """

    run: int = 0
    time: float = 0.0
    at: float = 0.0


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """Who sent a message, when, and in which order.

    Attributes:
        run: Random number of the sender's run: a process that starts again is another run.
        sequence: Number of the message, counted by its sender on each topic.
        time: Monotonic clock of the sender when it sent [s]; it cannot be compared with another machine's clock.
        heard: What the sender last heard of the receiver.
    """

    run: int
    sequence: int
    time: float
    heard: Heard = Heard()


class Envelope(msgspec.Struct, frozen=True, array_like=True):
    """What surrounds every payload on the wire.

    Attributes:
        version: Version of the wire format.
        stamp: Who sent it, when, and in which order.
        payload: The payload, still encoded.
    """

    version: int
    stamp: Stamp
    payload: msgspec.Raw


@dataclass(frozen=True, eq=False, slots=True)
class Message(Generic[PayloadT]):
    """A decoded message.

    Attributes:
        stamp: Who sent it, when, and in which order.
        payload: What the sender had to say.
    """

    stamp: Stamp
    payload: PayloadT


class Codec(Generic[PayloadT]):
    """Encodes and decodes messages of one type.

    Every float and every array comes back bit for bit; arrays come back contiguous and read-only.
    """

    def __init__(self, payload_type: type[PayloadT], max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._encoder = msgspec.msgpack.Encoder(enc_hook=encode_value)
        self._decoder = msgspec.msgpack.Decoder(payload_type, dec_hook=decode_value)
        self._envelopes = msgspec.msgpack.Decoder(Envelope)

    def encode(self, payload: PayloadT, stamp: Stamp) -> bytes:
        """Return the bytes of a message.

        Raises:
            MessageError: The payload is larger than a receiver would take.
        """
        raw = msgspec.Raw(self._encoder.encode(payload))
        data: bytes = self._encoder.encode(Envelope(WIRE_VERSION, stamp, raw))
        if len(data) > self.max_bytes:
            raise MessageError(f"a message of {len(data)} bytes is too large; at most {self.max_bytes} bytes are sent")
        return data

    def decode(self, data: bytes) -> Message[PayloadT]:
        """Return the message that these bytes encode.

        Raises:
            MessageError: They are too many, truncated, of another version or no message at all.
        """
        envelope = self.unwrap(data)
        return Message(envelope.stamp, self.decode_payload(envelope))

    def unwrap(self, data: bytes) -> Envelope:
        """Return the envelope of a message, its payload unread: what decides whether that is worth reading.

        Raises:
            MessageError: The bytes are too many, truncated, of another version or no message at all.
        """
        if len(data) > self.max_bytes:
            raise MessageError(f"a message of {len(data)} bytes was refused; at most {self.max_bytes} bytes are taken")
        try:
            envelope = self._envelopes.decode(data)
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError) as error:
            raise MessageError(f"a message could not be read: {error}") from None
        if envelope.version != WIRE_VERSION:
            raise MessageError(
                f"a message of version {envelope.version} was refused; this side speaks version {WIRE_VERSION}: "
                "install the same release of Handhold on both sides"
            )
        times = (envelope.stamp.time, envelope.stamp.heard.time, envelope.stamp.heard.at)
        if not all(abs(time) <= MAX_CLOCK for time in times):
            raise MessageError("a message could not be read: its times are no times of a clock")
        return envelope

    def decode_payload(self, envelope: Envelope) -> PayloadT:
        """Return what an envelope holds.

        Raises:
            MessageError: It is not a payload of this codec's type.
        """
        try:
            payload = self._decoder.decode(envelope.payload)
            if isinstance(payload, OperatorInput):
                _check_operator_input(payload)
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise MessageError(f"a message could not be read: {error}") from None
        return payload


def operator_codec() -> Codec[OperatorInput]:
    """Return the codec of the operator's samples."""
    return Codec(OperatorInput, MAX_OPERATOR_BYTES)


def snapshot_codec() -> Codec[Snapshot]:
    """Return the codec of the snapshots."""
    return Codec(Snapshot, MAX_SNAPSHOT_BYTES)


def event_codec() -> Codec[HapticPulse]:
    """Return the codec of haptic pulses."""
    return Codec(HapticPulse, MAX_EVENT_BYTES)


def encode_value(value: Any) -> Any:
    """Turn an array into (type, shape, bytes) and a pose into the bytes of its 3 x 4 matrix, row by row.

    Raises:
        NotImplementedError: The value is neither.
    """
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, pin.SE3):
        return np.hstack((value.rotation, value.translation[:, None])).tobytes()
    raise NotImplementedError(f"no message carries a {type(value).__name__}")


def decode_value(expected: type, encoded: Any) -> Any:
    """Turn back what ``encode_value`` made; takes nothing on trust.

    Raises:
        ValueError: The encoded value is not of the expected type.
    """
    if expected is np.ndarray:
        return _decode_array(encoded)
    if expected is pin.SE3:
        if not isinstance(encoded, bytes) or len(encoded) != 96:
            raise ValueError("a pose takes 96 bytes")
        matrix = np.frombuffer(encoded).reshape(3, 4)
        return pin.SE3(np.array(matrix[:, :3]), np.array(matrix[:, 3]))
    raise ValueError(f"no message carries a {expected.__name__}")


def _decode_array(encoded: Any) -> np.ndarray:
    if not isinstance(encoded, list) or len(encoded) != 3:
        raise ValueError("an array takes type, shape and bytes")
    name, shape, data = encoded
    dtype = ARRAY_TYPES.get(name) if isinstance(name, str) else None
    if dtype is None or not isinstance(data, bytes):
        raise ValueError("an array of a type that no message carries")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        raise ValueError("an array of a shape that no message carries")
    if not all(type(length) is int and 0 <= length <= MAX_LENGTH for length in shape):
        raise ValueError("an array of a shape that no message carries")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError("an array whose shape does not fit its bytes")
    # copied because bytes start anywhere, while Eigen's sums may depend on the alignment of what they add up
    array = np.frombuffer(data, dtype).reshape(shape).copy()
    array.flags.writeable = False
    return array


def _check_operator_input(sample: OperatorInput) -> None:
    for hand in (sample.left, sample.right):
        if hand.stick.shape != (2,) or hand.stick.dtype != np.float64:
            raise ValueError("a stick has two axes")
    human = sample.human
    if human is not None and {human.positions.dtype, human.orientations.dtype} != {np.dtype(np.float64)}:
        raise ValueError("a person's segments are numbers of double precision")
