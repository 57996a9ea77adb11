"""Sockets that datagrams of the MVN stream arrive by, none of which ever waits.

Over TCP, MVN's network streamer has the same setting as over UDP, an address to send to: it is taken to connect there, so that
whoever reads listens. (The specification does not say which side connects; a source can do either.) One datagram follows the
other with nothing in between, and the header's payload size tells where one ends.
"""

from __future__ import annotations

import contextlib
import socket
from collections import Counter
from typing import Protocol

from handhold.devices.suits.mvn_header import HEADER_SIZE, MAGIC, MAX_DATAGRAM
from handhold.devices.suits.suit_errors import PortUnavailable, SuitUnreachable

MAX_TAKEN = 256
"""Datagrams that are taken at once: a second of two types at 120 Hz; more would keep whoever reads from his own rate."""

BUFFER = 1 << 18
"""What the system may keep of datagrams until they are read [bytes]: 1.4 s at 240 Hz."""

CONNECT_TIMEOUT = 3.0
"""Time that somebody is waited for who is to be connected to [s]."""

_SIZE_AT = HEADER_SIZE - 2


class DatagramSource(Protocol):
    """Where datagrams come from.

    Attributes:
        title: What people call it.
        refused: Datagrams that were not taken, by the reason.
    """

    title: str
    refused: Counter[str]

    def open(self) -> None:
        """Begin to listen.

        Raises:
            DeviceError: That cannot be.
        """
        ...

    def receive(self) -> list[bytes]:
        """Return what has come since the last time, at most ``MAX_TAKEN`` datagrams, without waiting.

        Raises:
            DeviceError: Nothing will come any more.
        """
        ...

    def close(self) -> None:
        """End; what has not been read is gone."""
        ...


class UdpSource:
    """Datagrams that arrive over UDP.

    Attributes:
        port: Port that is listened on; the system's choice where 0 was asked for.
    """

    def __init__(self, address: str, port: int, sender: str = "") -> None:
        """Remember where to listen.

        Args:
            address: Address of this machine to listen on; ``0.0.0.0`` for all of them.
            port: Port; 0 for a free one.
            sender: Address that datagrams must come from; ``""`` for any.
        """
        self.title = f"UDP {address}:{port}"
        self.refused: Counter[str] = Counter()
        self.port = port
        self._address = address
        self._sender = sender
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Listen.

        Raises:
            PortUnavailable: Somebody else does, or the address is not this machine's.
        """
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            opened.setblocking(False)
            opened.bind((self._address, self.port))
        except OSError as error:
            opened.close()
            raise PortUnavailable(self._address, self.port, error.strerror or str(error)) from error
        self._socket = opened
        self.port = opened.getsockname()[1]
        self.title = f"UDP {self._address}:{self.port}"

    def receive(self) -> list[bytes]:
        """Return what has come since the last time, at most ``MAX_TAKEN`` datagrams, without waiting."""
        received: list[bytes] = []
        if self._socket is None:
            return received
        for _ in range(MAX_TAKEN):
            try:
                data, (sender, *_) = self._socket.recvfrom(MAX_DATAGRAM)
            except BlockingIOError:
                break
            except OSError:
                # what was sent from this socket bounced, or the network went: the next one may come again
                continue
            if self._sender in ("", sender):
                received.append(data)
            else:
                self.refused["sender"] += 1
        return received

    def close(self) -> None:
        """End; what has not been read is gone."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None


class TcpSource:
    """Datagrams that arrive over TCP: from whoever connects, one at a time, or from where this one connects to.

    Where this one listens, a connection that ends is waited for again.

    Attributes:
        port: Port that is listened on, or connected to.
    """

    def __init__(self, address: str, port: int, sender: str = "", *, connects: bool = False) -> None:
        """Remember where to listen, or what to connect to.

        Args:
            address: Address of this machine to listen on; or of the sender, to connect to.
            port: Port; 0 for a free one, to listen on.
            sender: Address that connections must come from; ``""`` for any.
            connects: Whether to connect, and not to listen, as MVN expects it.
        """
        self.title = f"TCP {address}:{port}"
        self.refused: Counter[str] = Counter()
        self.port = port
        self._address = address
        self._sender = sender
        self._connects = connects
        self._listening: socket.socket | None = None
        self._connection: socket.socket | None = None
        self._stream = DatagramStream()

    def open(self) -> None:
        """Listen, or connect.

        Raises:
            PortUnavailable: The port cannot be listened on.
            SuitUnreachable: Nobody is there to connect to.
        """
        if self._connects:
            self._connect()
            return
        opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.setblocking(False)
            opened.bind((self._address, self.port))
            opened.listen(1)
        except OSError as error:
            opened.close()
            raise PortUnavailable(self._address, self.port, error.strerror or str(error)) from error
        self._listening = opened
        self.port = opened.getsockname()[1]
        self.title = f"TCP {self._address}:{self.port}"

    def receive(self) -> list[bytes]:
        """Return what has come since the last time, at most ``MAX_TAKEN`` datagrams, without waiting.

        Raises:
            SuitUnreachable: The connection that was made from here has ended.
        """
        if self._connection is None and self._connects:
            raise SuitUnreachable(self._address, self.port, "the connection has ended")
        if self._connection is None:
            self._accept()
        while self._connection is not None and not self._stream.is_full:
            try:
                data = self._connection.recv(MAX_DATAGRAM)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self._hang_up()
                break
            self._stream.feed(data)
        received = self._stream.take(MAX_TAKEN)
        if self._stream.skipped:
            self.refused["magic"] += 1
            self._stream.skipped = 0
        return received

    def close(self) -> None:
        """End; what has not been read is gone."""
        self._hang_up()
        if self._listening is not None:
            self._listening.close()
        self._listening = None

    def _connect(self) -> None:
        try:
            self._connection = socket.create_connection((self._address, self.port), timeout=CONNECT_TIMEOUT)
        except OSError as error:
            raise SuitUnreachable(self._address, self.port, error.strerror or str(error)) from error
        self._connection.setblocking(False)

    def _accept(self) -> None:
        if self._listening is None:
            return
        with contextlib.suppress(OSError):
            connection, (sender, *_) = self._listening.accept()
            if self._sender not in ("", sender):
                self.refused["sender"] += 1
                connection.close()
                return
            connection.setblocking(False)
            self._connection, self._stream = connection, DatagramStream()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class DatagramStream:
    """Cuts a stream of bytes into datagrams by the sizes in their headers.

    Attributes:
        skipped: Bytes that belonged to none: what follows a wrong header is looked through for the next one.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._data = bytearray()

    @property
    def is_full(self) -> bool:
        """Whether there is more than what is taken at once."""
        return len(self._data) > 4 * MAX_DATAGRAM

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._data += data

    def take(self, most: int) -> list[bytes]:
        """Return the whole datagrams that are there, at most so many."""
        taken: list[bytes] = []
        begin, data = 0, self._data
        while len(taken) < most and len(data) - begin >= HEADER_SIZE:
            if data[begin : begin + 4] != MAGIC:
                found = data.find(MAGIC, begin + 1)
                # the last three bytes may begin one
                onward = found if found >= 0 else len(data) - 3
                self.skipped += onward - begin
                begin = onward
                continue
            end = begin + HEADER_SIZE + int.from_bytes(data[begin + _SIZE_AT : begin + HEADER_SIZE], "big")
            if end > len(data):
                break
            taken.append(bytes(data[begin:end]))
            begin = end
        del data[:begin]
        return taken
