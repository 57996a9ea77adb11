"""Attacks on the page that need no browser: at its door, with forged messages, as a second driver, by flooding."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
import viser
from websockets.exceptions import WebSocketException

from handhold.app.lab.safety.page_forgeries import (
    GIZMO,
    TURN,
    forge_actions,
    forge_attributes,
    forge_kinds,
    forge_poses,
    forge_twice,
    mutate,
)
from handhold.app.lab.safety.raw_page import ANSWER_TIMEOUT, Opened, RawPage, ask, get_cookie, make_camera, take_apart
from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import make_server, stop_server
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.stop import Stop

PACE = 1.0 / 300.0
"""Time between two messages [s], so that it is not their number that is refused."""
OK = 200
SWITCHING = 101
REDIRECTED = 303
TOO_LARGE = 10_000_000
FOREIGN = "evil.example"


@dataclass(frozen=True, slots=True)
class PageAttack:
    """One attack: what was tried, and whether it came through."""

    name: str
    accepted: bool


def attack_page(mutations: int = 1000, seed: int = 0) -> list[PageAttack]:
    """Serve a page with a hand to drag and stops to click, and attack it in every way that is known here.

    Args:
        mutations: How many mutated messages are sent; they take 3.3 ms each.
        seed: Of what is mutated how.
    """
    server = make_server(port=0)
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    pose = np.eye(4)
    pose[:3, 3] = (0.4, 0.3, 1.0)
    device.place(pose, pose, Stop.HOLD)
    opened = take_apart(server.address)
    try:
        return [
            *attack_door(opened),
            *attack_controls(server, device, opened, mutations, np.random.default_rng(seed)),
            *attack_seat(server, device, opened),
            *attack_flood(server, opened),
        ]
    finally:
        device.close()
        stop_server(server)


def attack_door(opened: Opened) -> Iterator[PageAttack]:
    """Ask for the page and for its websocket with what a foreign page, a rebound name or a thief would show."""
    cookie = get_cookie(opened)
    path = f"/?token={opened.token}"
    for name, target, headers in _list_doors(opened, cookie, path):
        for kind, extra in (("page", []), ("websocket", _list_upgrade())):
            status, _, _ = ask(opened.port, [f"GET {target} HTTP/1.1", *headers, *extra])
            yield PageAttack(f"{kind}: {name}", status in {OK, SWITCHING, REDIRECTED})
    for method in ("POST", "PUT", "OPTIONS", "HEAD", "DELETE"):
        status, _, _ = ask(opened.port, [f"{method} / HTTP/1.1", f"Host: {opened.host}", f"Cookie: {cookie}"])
        yield PageAttack(f"method {method}", status in {OK, SWITCHING, REDIRECTED})
    for target in ("/../app/page/page.py", "/%2e%2e/%2e%2e/__init__.py", "//etc/passwd", "/..\\..\\__init__.py"):
        status, _, _ = ask(opened.port, [f"GET {target} HTTP/1.1", f"Host: {opened.host}", f"Cookie: {cookie}"])
        yield PageAttack(f"file {target}", status in {OK, SWITCHING, REDIRECTED})


def _list_doors(opened: Opened, cookie: str, path: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield what is tried, the path that is asked for, and the headers."""
    host, shown, own = f"Host: {opened.host}", f"Cookie: {cookie}", f"Origin: {opened.origin}"
    name, _, value = cookie.partition("=")
    for other in (FOREIGN, f"{FOREIGN}:{opened.port}", f"127.0.0.1.{FOREIGN}:{opened.port}", "127.0.0.1", ""):
        yield f"rebound to '{other}' with the cookie", "/", [f"Host: {other}", shown, f"Origin: http://{other}"]
        yield f"rebound to '{other}' with the token", path, [f"Host: {other}"]
    yield "no host", "/", [shown, own]
    yield "two hosts", "/", [host, f"Host: {FOREIGN}", shown, own]
    for origin in (
        f"http://127.0.0.1:{opened.port + 1}",
        f"http://{FOREIGN}",
        "null",
        "file://",
        "",
        opened.origin + ".evil",
    ):
        yield f"stolen cookie from '{origin}'", "/", [host, shown, f"Origin: {origin}"]
        yield f"stolen token from '{origin}'", path, [host, f"Origin: {origin}"]
    yield "two origins", "/", [host, shown, own, f"Origin: http://{FOREIGN}"]
    for dest in ("iframe", "frame", "embed", "object", "script", "image"):
        yield (
            f"shown within another page as {dest}",
            path,
            [host, shown, f"Sec-Fetch-Dest: {dest}", "Sec-Fetch-Site: same-site"],
        )
    for wrong in ("", "0" * len(value), value[:-1], value + "0", opened.token, value.upper() + "x"):
        yield f"cookie '{wrong[:6]}'", "/", [host, f"Cookie: {name}={wrong}", own]
    for wrong in ("", "0" * 64, opened.token[:-1], opened.token + "0", value, f"x&token={opened.token}", "%00"):
        yield f"token '{wrong[:6]}'", f"/?token={wrong}", [host, own]
    yield "nothing to show", "/", [host, own]
    yield "cookie under another name", "/", [host, f"Cookie: handhold={value}", own]


def _list_upgrade() -> list[str]:
    return [
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        f"Sec-WebSocket-Protocol: viser-v{viser.__version__}",
    ]


def attack_controls(
    server: GuardedServer, device: BrowserDevice, opened: Opened, mutations: int, random: np.random.Generator
) -> Iterator[PageAttack]:
    """Send what no page sends from the page that drives: with its cookie, its origin and its heartbeat."""
    with _open(server, opened) as page:
        forged = [*forge_attributes(server), *forge_actions(server), *forge_poses(), *forge_kinds(server)]
        packed = [(name, msgspec.msgpack.encode(message)) for name, message in forged]
        for name, raw in [*packed, *forge_twice(server)]:
            yield PageAttack(name, _is_accepted(server, device, page, raw))
        yield PageAttack("text in place of bytes", _is_accepted(server, device, page, '{"type": "ShareUrlRequest"}'))
        for number, raw in enumerate(_mutate_all(packed, mutations, random)):
            page.send_bytes(raw)
            time.sleep(PACE)
            yield PageAttack(f"mutation {number}", not _is_sane(server, device))


def _mutate_all(packed: list[tuple[str, bytes]], count: int, random: np.random.Generator) -> Iterator[bytes]:
    for _ in range(count):
        yield mutate(packed[int(random.integers(len(packed)))][1], random)


def attack_seat(server: GuardedServer, device: BrowserDevice, opened: Opened) -> Iterator[PageAttack]:
    """Drive from a page that only watches, and take the control from one that drives."""
    with _open(server, opened), _open(server, opened) as watcher:
        driver = server.pages.driver
        for name, message in _list_driving(server):
            accepted = _is_accepted(server, device, watcher, msgspec.msgpack.encode(message))
            yield PageAttack(f"a page that watches: {name}", accepted)
        server.pages.grant(max(server.pages.pages), by=max(server.pages.pages))
        yield PageAttack("control granted to oneself", server.pages.driver != driver)


def _list_driving(server: GuardedServer) -> Iterator[tuple[str, dict[str, object]]]:
    for uuid, control in list(server.gui._gui_input_handle_from_uuid.items()):
        assert isinstance(control, viser.GuiSliderHandle)
        yield f"'{control.label}'", {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": control.max}}
    for name, action in sorted(server.actions.table.items()):
        if not action.for_all:
            yield f"'{name}'", {"type": "HandholdAction", "name": name, "held": action.held}
    yield "a hand taken hold of", {"type": "TransformControlsDragStartMessage", "name": GIZMO, "owner": ""}
    moved = {"wxyz": TURN, "position": [0.5, 0.3, 1.0], "owner": ""}
    yield "a hand moved", {"type": "TransformControlsUpdateMessage", "name": GIZMO, **moved}
    yield "a hand let go", {"type": "TransformControlsDragEndMessage", "name": GIZMO, "owner": ""}


def attack_flood(server: GuardedServer, opened: Opened) -> Iterator[PageAttack]:
    """Send too much, and too many; a page that does is closed."""
    for name, raw, count in (
        ("a large message", bytes(TOO_LARGE), 1),
        ("a flood", msgspec.msgpack.encode({"type": "x"}), 5000),
    ):
        with _open(server, opened) as page:
            for _ in range(count):
                page.send_bytes(raw)
            yield PageAttack(name, not _wait(lambda page=page: page.closed))  # type: ignore[misc]
    pages = []
    with contextlib.suppress(WebSocketException):
        pages = [RawPage(opened, {"Cookie": get_cookie(opened)}, opened.origin) for _ in range(64)]
    live = server.count_lines()
    for page in pages:
        page.close()
    yield PageAttack("64 pages at a time", live >= 64)


@contextlib.contextmanager
def _open(server: GuardedServer, opened: Opened) -> Iterator[RawPage]:
    """Open a page as the operator does, and wait until viser has taken it in."""
    before = set(server.pages.pages)
    with RawPage(opened, {"Cookie": get_cookie(opened)}, opened.origin) as page:
        page.look_from(0.0)
        _wait(lambda: set(server.pages.pages) - before)
        page.live()
        _wait(server.pages.is_present)
        yield page
    _wait(lambda: set(server.pages.pages) == before)


def _is_accepted(server: GuardedServer, device: BrowserDevice, page: RawPage, raw: bytes | str) -> bool:
    """Send a message and return whether anything is other than before, once the server has looked at it."""
    before = _describe(server, device)
    time.sleep(2.0 * PACE)  # two messages
    page.send_bytes(raw)
    marks = _mark(server, page)
    return not marks or _describe(server, device) != before


def _mark(server: GuardedServer, page: RawPage) -> bool:
    """Return whether a message that is sent now arrives: the server has looked at all that were sent before."""
    mark = time.monotonic() % 1000.0
    page.send(make_camera((mark, 0.0, 1.0)))
    return _wait(
        lambda: page.closed or any(abs(one.camera.position[0] - mark) < 1e-9 for one in server.get_clients().values())
    )


def _describe(server: GuardedServer, device: BrowserDevice) -> tuple[object, ...]:
    """Return all that a page must not change."""
    controls = [
        (uuid, repr(control.value), control.disabled, control.visible, control.label, len(control._impl.update_cb))
        for uuid, control in server.gui._gui_input_handle_from_uuid.items()
    ]
    gizmos = [
        (name, tuple(gizmo.position), tuple(gizmo.wxyz), gizmo.visible)
        for name, gizmo in server.scene._handle_from_transform_controls_name.items()
    ]
    sample = device.read()
    hands = [(hand.squeeze, hand.trigger, tuple(hand.stick), hand.buttons.primary) for hand in (sample.left, sample.right)]
    asked = (sample.stop, sample.request, *(value for hand in hands for value in hand))
    return (controls, gizmos, asked, server.pages.driver, server._share_tunnel, len(server.scene._handle_from_node_name))


def _is_sane(server: GuardedServer, device: BrowserDevice) -> bool:
    """Return whether all that a page may change is something that an operator could have done."""
    sliders = [one for one in server.gui._gui_input_handle_from_uuid.values() if isinstance(one, viser.GuiSliderHandle)]
    gizmos = server.scene._handle_from_transform_controls_name.values()
    sample = device.read()
    return (
        all(one.min <= one.value <= one.max for one in sliders)
        and all(math.isfinite(sum(one.position) + sum(one.wxyz)) for one in gizmos)
        and not any(one.disabled for one in server.gui._gui_input_handle_from_uuid.values())
        and server._share_tunnel is None
        and sample.stop in Stop
    )


def _wait(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + ANSWER_TIMEOUT
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.002)
    return bool(holds)
