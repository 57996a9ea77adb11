"""A server of viser's page that only its operator gets, and that hears only what an operator's page may say."""

from __future__ import annotations

import contextlib
import dataclasses
import http
import logging
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import viser
import viser.infra._infra as viser_infra
import websockets.asyncio.server
import websockets.exceptions
from websockets import Headers
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from handhold.app.errors import AppError
from handhold.app.page.access import Admission, PageAccess
from handhold.app.page.document import PLAIN, PageFacts, write_document
from handhold.app.page.line import PageLine
from handhold.app.page.messages import MAX_MESSAGE_SIZE, PageAction, PageBeat, decode_message, encode_message
from handhold.app.page.policy import list_headers
from handhold.app.page.rules import PageRules
from handhold.devices.browser.page_server import PageActions, PageServer
from handhold.devices.browser.pages import Beat, PageLimits, Pages

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
MAX_PAGES = 16
"""Connections at a time; the browser of one operator has a few."""
PING_PERIOD = 0.5
"""How often the way to a page and back is measured [s]."""
UNREADABLE = "no message that a page may send"

_HANDSHAKE = "websocket"
PROTOCOL = f"viser-v{viser.__version__}"
"""What a page of this version asks for; viser prints what it refuses on the terminal, so that it is not asked."""

Handler = Callable[[Any], Awaitable[None]]
Process = Callable[[ServerConnection, Request], Response | None]


class PageNotGuarded(AppError):
    """viser does not serve its page as this guard knows it."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"the page cannot be protected ({what}); install the version of viser that constraints.txt names")


class PageGuard:
    """Stands between the network and viser: admits requests, writes the headers, judges messages, counts what it refuses."""

    def __init__(self, pages: Pages, clock: Callable[[], float], facts: PageFacts) -> None:
        self._pages = pages
        self._clock = clock
        self._facts = facts
        self._access: PageAccess | None = None
        self._rules: PageRules | None = None
        self._server: GuardedServer | None = None
        self._open = 0
        self.serving = False

    def begin(self, server: GuardedServer, access: PageAccess) -> None:
        """Admit pages from now on."""
        self._server, self._rules, self._access = server, PageRules(server), access

    def serve(self, handler: Handler, host: str, port: int, *, process_request: Process, **options: Any) -> Any:
        """Serve as websockets does, for viser: this is what it calls in its place."""
        self.serving = True

        async def handle(connection: ServerConnection) -> None:
            await self._handle(connection, handler)

        def process(connection: ServerConnection, request: Request) -> Response | None:
            return self._process(connection, request, process_request)

        options |= {
            "max_size": MAX_MESSAGE_SIZE,
            "ping_interval": PING_PERIOD,
            "server_header": None,
            "logger": _make_logger(),
        }
        return websockets.asyncio.server.serve(
            handle, host, port, process_request=process, process_response=self._finish, **options
        )

    async def _handle(self, connection: ServerConnection, handler: Handler) -> None:
        if self._open >= MAX_PAGES:
            self._pages.refuse("more pages than may be open")
            await connection.close(1013, "too many pages")
            return
        self._open += 1
        try:
            await handler(PageLine(connection, self, self._clock))
        finally:
            self._open -= 1

    def _process(self, connection: ServerConnection, request: Request, serve_page: Process) -> Response | None:
        """Answer a request, or return None where a websocket may be opened."""
        websocket = request.headers.get_all("Upgrade") == [_HANDSHAKE]
        address = _get_address(request)
        if self._access is None:
            return _answer(http.HTTPStatus.SERVICE_UNAVAILABLE, "not ready yet: ask again", address)
        admission = self._access.admit(request.path, request.headers.raw_items(), websocket=websocket)
        if admission.status == http.HTTPStatus.FORBIDDEN:
            self._pages.refuse(admission.reason)
            return _answer(http.HTTPStatus.FORBIDDEN, _describe_refusal(admission), address)
        if admission.status == http.HTTPStatus.SEE_OTHER:
            return _redirect(admission, address)
        if websocket and request.headers.get_all("Sec-WebSocket-Protocol") != [PROTOCOL]:
            self._pages.refuse("a page of another version")
            return _answer(http.HTTPStatus.FORBIDDEN, "this page is of another version: load it anew", address)
        return None if websocket else self._serve_page(connection, request, serve_page, address)

    def _serve_page(self, connection: ServerConnection, request: Request, serve_page: Process, address: str) -> Response:
        headers = Headers((name, value) for name, value in request.headers.raw_items() if name.lower() != "accept-encoding")
        response = serve_page(connection, dataclasses.replace(request, headers=headers))
        if response is None:
            return _answer(http.HTTPStatus.FORBIDDEN, "this is no page", address)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            return _answer_page(bytes(response.body or b""), address, self._facts)
        response.headers.update(list_headers(address))
        return response

    @staticmethod
    def _finish(_connection: ServerConnection, request: Request, response: Response) -> None:
        for name, value in list_headers(_get_address(request)).items():
            if name not in response.headers:
                response.headers[name] = value

    def judge(self, line: PageLine, raw: bytes | str) -> bytes | None:
        """Return what viser may hear of a message, or None where it is refused or is for the guard itself."""
        page = self._identify(line)
        try:
            message = decode_message(raw)
        except ValueError:  # msgspec's errors are some
            self._pages.refuse(UNREADABLE)
            return None
        if isinstance(message, PageBeat):
            self._pages.beat(page, Beat(message.frame_age, message.shown, message.identity, line.delay))
            return None
        assert self._rules is not None
        reason = self._rules.judge(page, message)
        if reason:
            self._pages.refuse(reason)
            return None
        if isinstance(message, PageAction):
            assert self._server is not None
            self._server.actions.take(page, message.name)
            return None
        return encode_message(message)

    def _identify(self, line: PageLine) -> int:
        """Return the number that viser has given to the page at this line."""
        if line.page is None:
            assert self._server is not None
            line.page = self._server.find_page(line)
        return line.page


class GuardedServer(PageServer):
    """viser's server behind a guard. It has no share: nothing of it is ever reachable from elsewhere."""

    def __init__(
        self, host: str, port: int, key: bytes, clock: Callable[[], float], limits: PageLimits, facts: PageFacts = PLAIN
    ) -> None:
        """Serve the page.

        Args:
            host: Address to listen at.
            port: Port to listen at; 0 lets the system choose one.
            key: Secret of the session.
            clock: Monotonic clock [s].
            limits: From when on a page does not count as alive.
            facts: What the page says before it has heard of the robot.

        Raises:
            PageNotGuarded: viser has changed.
        """
        self.pages = Pages(clock, limits)
        self.actions, self._parts = PageActions(self.pages), {}
        guard = PageGuard(self.pages, clock, facts)
        with _served_by(guard):
            super().__init__(host=host, port=port, verbose=False)
        if not guard.serving:
            self.stop()
            raise PageNotGuarded("viser no longer calls websockets' serve()")
        own = f"[{host}]" if ":" in host else host
        names = LOOPBACK_NAMES if own in LOOPBACK_NAMES else (own,)
        access = PageAccess(names, self.get_port(), key)
        self.on_client_connect(self._enter)
        self.on_client_disconnect(self._leave)
        guard.begin(self, access)
        self.address = f"http://{own}:{self.get_port()}/{access.query}"
        """What the operator opens: it carries the token."""

    def request_share_url(self, verbose: bool = True) -> str | None:  # noqa: ARG002 viser's signature
        """Share nothing."""
        return None

    def find_page(self, line: PageLine) -> int:
        """Return viser's number of the client at a line."""
        live: dict[int, object] = dict(self._websock_server._live_connections)
        return next(number for number, connection in live.items() if connection is line)

    def count_lines(self) -> int:
        """Return how many websockets are open."""
        return len(self._websock_server._live_connections)

    async def _enter(self, client: viser.ClientHandle) -> None:
        self.pages.enter(client.client_id)

    async def _leave(self, client: viser.ClientHandle) -> None:
        self.pages.leave(client.client_id)
        self.forget_page(client.client_id)


def _make_logger() -> logging.Logger:
    """Return a log in which a request that is refused or none is nothing to tell the operator: it is counted."""
    logger = logging.getLogger("handhold.page")
    logger.addFilter(lambda record: not record.getMessage().startswith(("opening handshake failed", "connection rejected")))
    return logger


_patching = threading.Lock()


@contextlib.contextmanager
def _served_by(guard: PageGuard) -> Iterator[None]:
    """Let the guard serve in websockets' place for as long as viser starts its server.

    viser offers no way to see a request or a message before it does. It looks ``websockets.asyncio.server.serve`` up in its
    module when it starts, and that is the narrowest place; should it do so no more, ``GuardedServer`` refuses to run.
    """
    with _patching:
        own = viser_infra.__dict__["websockets"]
        viser_infra.__dict__["websockets"] = SimpleNamespace(
            asyncio=SimpleNamespace(server=SimpleNamespace(serve=guard.serve)),
            exceptions=websockets.exceptions,
            datastructures=websockets.datastructures,
        )
        try:
            yield
        finally:
            viser_infra.__dict__["websockets"] = own


def _get_address(request: Request) -> str:
    return next(iter(request.headers.get_all("Host")), "")


def _answer_page(page: bytes, address: str, facts: PageFacts) -> Response:
    """Return viser's page within ours, its one script and our own known by a number used once."""
    nonce = secrets.token_urlsafe(16)
    body = write_document(page, nonce, facts)
    headers = Headers(list_headers(address, nonce), **{"Content-Type": "text/html; charset=utf-8"})
    headers["Content-Length"] = str(len(body))
    return Response(http.HTTPStatus.OK, "OK", headers, body)


def _redirect(admission: Admission, address: str) -> Response:
    response = _answer(http.HTTPStatus.SEE_OTHER, "", address)
    response.headers["Location"] = admission.location
    response.headers["Set-Cookie"] = admission.cookie
    return response


def _describe_refusal(admission: Admission) -> str:
    return f"Handhold does not show this page: {admission.reason}. Open the address that 'handhold run' prints.\n"


def _answer(status: http.HTTPStatus, words: str, address: str) -> Response:
    body = words.encode()
    headers = Headers(list_headers(address), **{"Content-Type": "text/plain; charset=utf-8"})
    headers["Content-Length"] = str(len(body))
    return Response(status.value, status.phrase, headers, body)
