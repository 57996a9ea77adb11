"""The MVN suit over real sockets of the loopback interface."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from people import make_human

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.mvn_sender import MvnEncoder, MvnSender, TcpSink, UdpSink
from handhold.devices.suits.mvn_sockets import MAX_TAKEN, DatagramSource, DatagramStream, TcpSource, UdpSource
from handhold.devices.suits.suit_errors import PortUnavailable, SuitUnreachable
from handhold.devices.suits.xsens_mvn import MvnSuit
from handhold.devices.tracked_human import TrackedHuman

HERE = "127.0.0.1"


@contextmanager
def opened(source: DatagramSource) -> Iterator[MvnSuit]:
    suit = MvnSuit(source, clock=time.monotonic)
    suit.open()
    try:
        yield suit
    finally:
        suit.close()


def read_until(suit: MvnSuit, holds: Callable[[TrackedHuman | None], bool]) -> TrackedHuman | None:
    """Read until something holds; the test's own limit ends what never does."""
    while not holds(newest := suit.read()):
        time.sleep(0.001)
    return newest


def test_samples_arrive_over_udp() -> None:
    source = UdpSource(HERE, 0)
    with opened(source) as suit:
        assert suit.read() is None
        sender = MvnSender(UdpSink(HERE, source.port), MvnEncoder())
        for k in range(20):
            sender.send(make_human(0.01 * k), 0.01 * k)
        newest = read_until(suit, lambda human: human is not None and human.sequence == 19)
        assert newest is not None
        assert np.allclose(newest.positions, make_human(0.19).positions, atol=1e-5)
        assert newest.time == pytest.approx(time.monotonic(), abs=60.0)
        assert (suit.samples, suit.lost) == (20, 0)
        assert suit.refused == {}
        sender.close()


@pytest.mark.parametrize("connects", [False, True])
def test_samples_arrive_over_tcp_and_again_after_a_connection_ended(connects: bool) -> None:
    if connects:
        _receive_from_a_server()
        return
    source = TcpSource(HERE, 0)
    with opened(source) as suit:
        for run in range(2):
            sender = MvnSender(TcpSink(HERE, source.port), MvnEncoder(first_sample=100 * run))
            for k in range(30):
                sender.send(make_human(0.01 * k), 0.01 * k)
            sender.close()
            last = 30 * run + 29
            newest = read_until(suit, lambda human, last=last: human is not None and human.sequence == last)  # type: ignore[misc]
            assert newest is not None
            assert np.allclose(newest.positions, make_human(0.29).positions, atol=1e-5)
        assert suit.lost == 70


def _receive_from_a_server() -> None:
    with socket.create_server((HERE, 0)) as server:
        source = TcpSource(HERE, server.getsockname()[1], connects=True)
        with opened(source) as suit:
            connection, _ = server.accept()
            with connection:
                for data in MvnEncoder().encode(make_human(0.5), 0.0):
                    connection.sendall(data)
            assert read_until(suit, lambda human: human is not None) is not None
            with pytest.raises(SuitUnreachable, match="has ended"):
                read_until(suit, lambda _: False)


def test_nobody_to_connect_to_is_said() -> None:
    with socket.create_server((HERE, 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(SuitUnreachable, match=str(port)):
        MvnSuit(TcpSource(HERE, port, connects=True), clock=time.monotonic).open()
    with pytest.raises(SuitUnreachable, match=str(port)):
        TcpSink(HERE, port)


@pytest.mark.parametrize("kind", [UdpSource, TcpSource])
def test_a_port_that_is_taken_is_said_with_what_to_do(kind: type[UdpSource | TcpSource]) -> None:
    first = kind(HERE, 0)
    with opened(first), pytest.raises(PortUnavailable, match=r"--port"):
        MvnSuit(kind(HERE, first.port), clock=time.monotonic).open()


def test_a_suit_that_is_not_open_cannot_be_read() -> None:
    suit = MvnSuit(UdpSource(HERE, 0), clock=time.monotonic)
    with pytest.raises(DeviceNotOpen):
        suit.read()
    suit.close()


def test_one_reading_takes_a_bounded_share() -> None:
    source = UdpSource(HERE, 0)
    source.open()
    sink = UdpSink(HERE, source.port)
    for _ in range(MAX_TAKEN + 50):
        sink.send(b"MXTP")
    taken = []
    while sum(taken) < MAX_TAKEN + 50:
        taken.append(len(source.receive()))
    assert max(taken) <= MAX_TAKEN
    source.close()
    sink.close()


def test_what_is_no_datagram_or_from_elsewhere_is_counted() -> None:
    source = UdpSource(HERE, 0)
    with opened(source) as suit:
        sink = UdpSink(HERE, source.port)
        for data in (b"hello", b"MXTP02", bytes(100)):
            sink.send(data)
        while suit.refused.total() < 3:
            suit.read()
        assert suit.refused == {"size": 2, "magic": 1}
        sink.close()
    closed = UdpSource(HERE, 0, sender="0.0.0.0")
    with opened(closed) as suit:
        UdpSink(HERE, closed.port).send(MvnEncoder().encode(make_human(), 0.0)[0])
        while not suit.refused:
            assert suit.read() is None
        assert suit.refused == {"sender": 1}


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_a_stream_of_bytes_is_cut_where_datagrams_end(piece: int) -> None:
    datagrams = MvnEncoder().encode(make_human(), 0.0)
    data = b"junk MXT" + b"".join(datagrams) + b"MX"
    stream, taken = DatagramStream(), []
    for start in range(0, len(data), piece):
        stream.feed(data[start : start + piece])
        taken += stream.take(100)
    assert taken == datagrams
    assert stream.skipped == 8
