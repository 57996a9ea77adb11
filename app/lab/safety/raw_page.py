"""A page without a browser: HTTP and viser's websocket written by hand, with whatever headers and messages one likes."""

from __future__ import annotations

import contextlib
import re
import secrets
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import msgspec
import viser
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from handhold.devices.browser.pages import BEAT_PERIOD

ANSWER_TIMEOUT = 30.0
"""A busy machine answers within this [s]."""
PATIENCE = 0.2
"""How long a client goes on reading what it is sent before it looks whether it should end [s]."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An address as it is printed, taken apart.

    Attributes:
        host: Host and port, as in the header Host.
        token: The token in it.
    """

    host: str
    token: str

    @property
    def port(self) -> int:
        """Port of the page."""
        return int(self.host.rpartition(":")[2])

    @property
    def origin(self) -> str:
        """The page's own origin."""
        return f"http://{self.host}"


def take_apart(address: str) -> Opened:
    """Take an address apart.

    Raises:
        ValueError: It is not one that ``run`` prints.
    """
    found = re.fullmatch(r"http://([^/]+)/\?token=(\w+)", address)
    if found is None:
        raise ValueError(f"'{address}' is not the address of a page with its token")
    return Opened(found[1], found[2])


def ask(port: int, lines: list[str]) -> tuple[int, dict[str, str], str]:
    """Send a request as it stands and return the answer's status (0: none), headers by lower-case names, and text."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_TIMEOUT) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        answer = b""
        with contextlib.suppress(OSError):
            while part := line.recv(65536):
                answer += part
                if answer.startswith(b"HTTP/1.1 101") and b"\r\n\r\n" in answer:
                    break
    head, _, text = answer.decode("latin-1").partition("\r\n\r\n")
    found = re.match(r"HTTP/1\.1 (\d+)", head)
    fields = dict(one.split(": ", 1) for one in head.split("\r\n")[1:] if ": " in one)
    return int(found[1]) if found else 0, {name.lower(): value for name, value in fields.items()}, text


def get_cookie(opened: Opened) -> str:
    """Exchange the token for the cookie, as ``name=value``."""
    _, headers, _ = ask(opened.port, [f"GET /?token={opened.token} HTTP/1.1", f"Host: {opened.host}"])
    return headers["set-cookie"].split(";")[0]


class RawPage:
    """A websocket to the server of a page, which says that it lives until it is told to freeze."""

    def __init__(self, opened: Opened, headers: Mapping[str, str], origin: str | None) -> None:
        """Open the websocket.

        Raises:
            WebSocketException: It was refused.
        """
        self._line: ClientConnection = connect(
            f"ws://{opened.host}/",
            origin=None if origin is None else Origin(origin),
            additional_headers=dict(headers),
            subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
            max_size=None,
            max_queue=None,
            compression=None,
            proxy=None,
            open_timeout=ANSWER_TIMEOUT,
        )
        self._identity = secrets.token_hex(16)
        self._beats = threading.Event()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._drain, self._beat)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        """Return the page."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Close the page."""
        self.close()

    @property
    def closed(self) -> bool:
        """Whether the server has closed it."""
        return self._line.close_code is not None

    def look_from(self, x: float) -> None:
        """Tell a camera at ``x`` [m], as a page does first: with it viser takes it for a client."""
        self.send(make_camera((x, 0.0, 1.0)))

    def live(self) -> None:
        """Say every 50 ms that the page lives."""
        self._beats.set()

    def beat(self, frame_age: float = 0.0, shown: bool = True) -> None:
        """Say once that the page lives."""
        self.send({"type": "HandholdBeat", "frame_age": frame_age, "shown": shown, "identity": self._identity})

    def freeze(self) -> None:
        """Say so no more."""
        self._beats.clear()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message of viser's protocol."""
        self.send_bytes(msgspec.msgpack.encode(message))

    def send_bytes(self, raw: bytes | str) -> None:
        """Send bytes; nothing where the connection is closed."""
        with contextlib.suppress(WebSocketException):
            self._line.send(raw)

    def close(self) -> None:
        """Close it."""
        self._ended.set()
        self._line.close()
        for thread in self._threads:
            thread.join()

    def _drain(self) -> None:
        while not self._ended.is_set():
            try:
                self._line.recv(timeout=PATIENCE)
            except TimeoutError:
                continue
            except ConnectionClosed:
                return

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_PERIOD):
            if self._beats.is_set():
                self.beat()


def make_camera(position: tuple[float, float, float]) -> dict[str, Any]:
    """Return the message of a camera."""
    return {
        "type": "ViewerCameraMessage",
        "wxyz": [1.0, 0.0, 0.0, 0.0],
        "position": list(position),
        "fov": 1.0,
        "near": 0.01,
        "far": 1000.0,
        "image_height": 400,
        "image_width": 600,
        "look_at": [0.0, 0.0, 1.0],
        "up_direction": [0.0, 0.0, 1.0],
    }
