"""A sender that speaks the protocol of the MVN stream: for tests, for demonstrations, and for whatever reads MVN."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from handhold.devices.suits.mvn_character import MetaData, Scaling, SegmentOrigin
from handhold.devices.suits.mvn_header import (
    ANGULAR,
    CENTER_OF_MASS,
    HEADER_SIZE,
    LAST,
    LINEAR,
    META_DATA,
    POSE_QUATERNION,
    SCALING,
    TIME_CODE,
    MvnHeader,
)
from handhold.devices.suits.mvn_protocol import WORDS, CenterOfMass, SegmentItems, TimeCode, encode_datagram
from handhold.devices.suits.skeleton import SEGMENT_TITLES, find_t_pose
from handhold.devices.suits.suit_errors import SuitUnreachable
from handhold.devices.tracked_human import TrackedHuman

MTU_PAYLOAD = 1472
"""What a UDP datagram over Ethernet holds without being split below us [bytes]."""

CHARACTER_EVERY = 120
"""Samples after which name and lengths are told again."""

TIMEOUT = 3.0
"""Time that whoever is connected to has to answer, or to take what was sent [s]."""


class MvnEncoder:
    """Makes the datagrams of samples, as MVN would send them: types 02, 24 and 25, now and then 12 and 13.

    Attributes:
        sample: Number of the next sample.
    """

    def __init__(
        self,
        *,
        character: int = 0,
        name: str = "Handhold",
        unit: float = 1.0,
        largest: int = MTU_PAYLOAD,
        kinematics: bool = False,
        first_sample: int = 0,
    ) -> None:
        """Begin a stream.

        Args:
            character: Number of the person.
            name: What people call him.
            unit: What positions are told in [m].
            largest: Size of a datagram at most [bytes]; poses that are larger are split.
            kinematics: Whether to send types 21 and 22 as well, at rest.
            first_sample: Number of the first sample.
        """
        self.sample = first_sample
        self._character = character
        self._name = name
        self._unit = unit
        self._most = max(1, (largest - HEADER_SIZE) // (4 * max(WORDS.values())))
        self._kinematics = kinematics
        self._count = 0

    def encode(self, human: TrackedHuman, elapsed: float) -> list[bytes]:
        """Return the datagrams of a sample; only segments that are tracked are told.

        Args:
            human: The sample.
            elapsed: Time since the recording began [s].
        """
        header = MvnHeader(
            type=POSE_QUATERNION,
            sample=self.sample,
            time_code=round(1e3 * elapsed) % (1 << 32),
            items=0,
            payload_size=0,
            character=self._character,
        )
        datagrams = self._encode_segments(header, human)
        if human.position_com is not None:
            com = CenterOfMass(position=human.position_com / self._unit, rates=np.zeros(6))
            datagrams.append(encode_datagram(_retype(header, CENTER_OF_MASS), com))
        datagrams.append(encode_datagram(_retype(header, TIME_CODE), TimeCode(_write_time(elapsed))))
        if self._count % CHARACTER_EVERY == 0:
            datagrams += self._encode_character(header, human)
        self._count += 1
        self.sample = (self.sample + 1) % (1 << 32)
        return datagrams

    def _encode_segments(self, header: MvnHeader, human: TrackedHuman) -> list[bytes]:
        ids = np.flatnonzero(human.tracked) + 1
        positions, orientations = human.positions[human.tracked] / self._unit, human.orientations[human.tracked]
        datagrams: list[bytes] = []
        for kind in (POSE_QUATERNION, LINEAR, ANGULAR) if self._kinematics else (POSE_QUATERNION,):
            for start in range(0, len(ids), self._most):
                rows = slice(start, start + self._most)
                items = SegmentItems(
                    ids=ids[rows],
                    positions=None if kind == ANGULAR else positions[rows],
                    orientations=None if kind == LINEAR else orientations[rows],
                    rates=None if kind == POSE_QUATERNION else np.zeros((len(ids[rows]), 6)),
                )
                part = _retype(header, kind, start // self._most, rows.stop >= len(ids))
                datagrams.append(encode_datagram(part, items))
        return datagrams

    def _encode_character(self, header: MvnHeader, human: TrackedHuman) -> Iterable[bytes]:
        meta = MetaData({"name": self._name, "xmid": "handhold", "color": "3080C0"})
        t_pose = find_t_pose(human) / self._unit
        origins = (SegmentOrigin(title, (row[0], row[1], row[2])) for title, row in zip(SEGMENT_TITLES, t_pose, strict=True))
        yield encode_datagram(_retype(header, META_DATA), meta)
        yield encode_datagram(_retype(header, SCALING), Scaling(tuple(origins)))


def _retype(header: MvnHeader, kind: int, index: int = 0, is_last: bool = True) -> MvnHeader:
    return MvnHeader(
        type=kind,
        sample=header.sample,
        time_code=header.time_code,
        items=0,
        payload_size=0,
        character=header.character,
        index=index % LAST,
        is_last=is_last,
    )


def _write_time(elapsed: float) -> str:
    milliseconds = round(1e3 * elapsed) % 86_400_000
    seconds = milliseconds // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{milliseconds % 1000:03d}"


class DatagramSink(Protocol):
    """Where datagrams go."""

    def send(self, data: bytes) -> None:
        """Send one.

        Raises:
            DeviceError: Nobody takes it any more.
        """
        ...

    def close(self) -> None:
        """End."""
        ...


class UdpSink:
    """Sends datagrams over UDP, whether or not anybody listens."""

    def __init__(self, address: str, port: int) -> None:
        self._target = (address, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, data: bytes) -> None:
        """Send one.

        Raises:
            SuitUnreachable: There is no way to that address.
        """
        try:
            # nobody listens yet: an earlier datagram bounced, and this one was not sent
            with contextlib.suppress(ConnectionRefusedError):
                self._socket.sendto(data, self._target)
        except OSError as error:
            raise SuitUnreachable(*self._target, error.strerror or str(error)) from error

    def close(self) -> None:
        """End."""
        self._socket.close()


class TcpSink:
    """Sends datagrams over TCP to whoever listens there, as MVN does."""

    def __init__(self, address: str, port: int) -> None:
        """Connect.

        Raises:
            SuitUnreachable: Nobody listens there.
        """
        self._target = (address, port)
        try:
            self._socket = socket.create_connection(self._target, timeout=TIMEOUT)
        except OSError as error:
            raise SuitUnreachable(address, port, error.strerror or str(error)) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        """Send one.

        Raises:
            SuitUnreachable: The connection is gone, or takes nothing any more.
        """
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise SuitUnreachable(*self._target, error.strerror or str(error)) from error

    def close(self) -> None:
        """End."""
        self._socket.close()


class MvnSender:
    """Sends samples of a person as the MVN stream."""

    def __init__(self, sink: DatagramSink, encoder: MvnEncoder) -> None:
        self._sink = sink
        self._encoder = encoder

    def send(self, human: TrackedHuman, elapsed: float, keeps: Callable[[], bool] | None = None) -> int:
        """Send a sample, and return how many datagrams went out.

        Args:
            human: The sample.
            elapsed: Time since the recording began [s].
            keeps: Whether to send the next datagram, asked for each; None to send all.

        Raises:
            DeviceError: Nobody takes it any more.
        """
        sent = 0
        for data in self._encoder.encode(human, elapsed):
            if keeps is None or keeps():
                self._sink.send(data)
                sent += 1
        return sent

    def close(self) -> None:
        """End."""
        self._sink.close()
