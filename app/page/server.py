"""The web server that the page in the browser comes from."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import rich
import viser

from handhold.app.errors import AppError
from handhold.app.link.config import make_key
from handhold.app.page.document import PLAIN, PageFacts
from handhold.app.page.guard import GuardedServer
from handhold.devices.browser.pages import PageLimits


class PortBusy(AppError):
    """The address that the page should be served at cannot be had.

    Attributes:
        host: Address asked for.
        port: Port asked for.
    """

    def __init__(self, host: str, port: int, reason: str) -> None:
        self.host = host
        self.port = port
        super().__init__(
            f"cannot serve the page at {host}:{port} ({reason}); stop what uses it or choose another port with --port"
        )


def make_server(
    host: str = "127.0.0.1",
    port: int = 8080,
    key: bytes | None = None,
    limits: PageLimits | None = None,
    facts: PageFacts = PLAIN,
) -> GuardedServer:
    """Start the server of the page; it needs no network beyond ``host``, and only who knows its address is let in.

    Args:
        host: Address to listen at; the default can be reached from this machine only.
        port: Port to listen at; 0 lets the system choose one (``server.get_port()`` tells which).
        key: Secret of the session that the address's token comes from; without one the address is a new one each time.
        limits: From when on a page does not count as alive.
        facts: What the page says before it has heard of the robot.

    Raises:
        PortBusy: The address is taken or is not one of this machine.
        PageNotGuarded: The page cannot be protected.
    """
    _check_free(host, port)
    with no_banner():
        server = GuardedServer(host, port, key or make_key(), time.monotonic, limits or PageLimits(), facts)
    if port not in (0, server.get_port()):  # viser takes the next free port without a word.
        stop_server(server)
        raise PortBusy(host, port, "taken while starting")
    return server


def stop_server(server: viser.ViserServer) -> None:
    """Stop serving; pages that are open try to come back by themselves."""
    with no_banner():
        server.stop()


@contextlib.contextmanager
def no_banner() -> Iterator[None]:
    """Keep viser from printing its own comings and goings on standard output, which belongs to our commands."""
    console = rich.get_console()
    quiet, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = quiet


def _check_free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As asyncio does: a port that is only in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise PortBusy(host, port, getattr(error, "strerror", None) or str(error)) from None
