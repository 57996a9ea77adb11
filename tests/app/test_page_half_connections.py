"""Connections that are none, cut, or refused: nothing of them is printed on the operator's terminal."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest
import viser

from handhold.app.lab.safety.raw_page import get_cookie, take_apart
from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import make_server, stop_server

TLS_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
RESET = struct.pack("ii", 1, 0)
ANSWER_TIMEOUT = 60.0  # [s]


@pytest.fixture
def server() -> Iterator[GuardedServer]:
    server = make_server(port=0)
    yield server
    stop_server(server)


def list_connections(server: GuardedServer) -> Iterator[bytes]:
    opened = take_apart(server.address)
    upgrade = (
        f"GET / HTTP/1.1\r\nHost: {opened.host}\r\nCookie: {get_cookie(opened)}\r\nOrigin: {opened.origin}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    ).encode()
    version = f"Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n\r\n".encode()
    yield from (b"", b"hello\r\n\r\n", TLS_HELLO, b"GET / HTTP/1.1\r\nHost: 127", bytes(200_000))
    yield f"GET /?token=wrong HTTP/1.1\r\nHost: {opened.host}\r\n\r\n".encode()
    yield b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
    yield from (upgrade, upgrade + b"\r\n", upgrade + b"Sec-WebSocket-Protocol: viser-v0.0\r\n\r\n")
    yield from (upgrade + version, upgrade + version + b"\x81\x05hello\xff\xff\xff\xff")


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_is_none_prints_nothing(
    server: GuardedServer, capfd: pytest.CaptureFixture[str], reset: bool
) -> None:
    for told in list_connections(server):
        with socket.create_connection(("127.0.0.1", server.get_port()), timeout=ANSWER_TIMEOUT) as line:
            line.sendall(told)
            if reset:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            elif told.endswith(b"\r\n\r\n"):
                line.recv(1)  # it has been answered
    get_cookie(take_apart(server.address))  # who comes in order is still served
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
