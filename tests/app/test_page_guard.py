"""The page's server attacked over real sockets, without a browser."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import viser
import viser.infra._infra as viser_infra
import websockets.asyncio.server

from handhold.app.lab.safety.page_attacks import attack_page
from handhold.app.lab.safety.raw_page import Opened, RawPage, ask, get_cookie, take_apart
from handhold.app.page.guard import GuardedServer, PageNotGuarded
from handhold.app.page.server import make_server, stop_server
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.browser.pages import PageLimits
from handhold.devices.stop import Stop

TIMEOUT = 30.0  # [s] to wait for an event


@pytest.fixture
def server() -> Iterator[GuardedServer]:
    server = make_server(port=0)
    yield server
    stop_server(server)


@pytest.fixture
def opened(server: GuardedServer) -> Opened:
    return take_apart(server.address)


def wait_until(condition: object) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


def test_no_attack_on_the_page_is_accepted() -> None:
    attacks = attack_page(mutations=300)
    assert [attack.name for attack in attacks if attack.accepted] == []
    assert len(attacks) > 1000


def test_every_answer_forbids_frames_sniffing_and_keeping(opened: Opened) -> None:
    shown = f"Cookie: {get_cookie(opened)}"
    for path, lines, status in (
        ("/", [shown], 200),
        ("/nothing", [shown], 404),
        ("/", [], 403),
        (f"/?token={opened.token}", [], 303),
        ("/", [shown, f"Origin: {opened.origin}", "Upgrade: websocket", "Connection: Upgrade"], 403),  # of no version
    ):
        answered, headers, _ = ask(opened.port, [f"GET {path} HTTP/1.1", f"Host: {opened.host}", *lines])
        assert answered in {status, 400}, path
        if answered == 400:
            continue  # a handshake that is none: websockets' own words
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in headers


def test_the_page_may_run_its_own_scripts_and_talk_to_its_own_server_only(opened: Opened) -> None:
    request = ["GET / HTTP/1.1", f"Host: {opened.host}", f"Cookie: {get_cookie(opened)}"]
    (_, first, page), (_, second, _) = ask(opened.port, request), ask(opened.port, request)
    policy = dict(one.split(" ", 1) for one in first["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == f"'self' ws://{opened.host} data:"
    assert "unsafe" not in policy["script-src"].replace("'wasm-unsafe-eval'", "")
    nonce = policy["script-src"].split("'")[1].removeprefix("nonce-")
    assert page.count(f'<script nonce="{nonce}"') == 3  # the heartbeat, our interface, viser's client
    assert page.count("<script") == 3
    assert nonce not in second["content-security-policy"]


def test_a_refusal_is_one_line_that_says_what_to_do(opened: Opened) -> None:
    status, headers, text = ask(opened.port, ["GET / HTTP/1.1", f"Host: {opened.host}"])
    assert status == 403
    assert headers["content-type"].startswith("text/plain")
    assert text.count("\n") == 1
    assert "Open the address that 'handhold run' prints" in text


def test_there_is_no_share_however_it_is_asked_for(server: GuardedServer, opened: Opened) -> None:
    assert server.request_share_url() is None
    with RawPage(opened, {"Cookie": get_cookie(opened)}, opened.origin) as page:
        page.send({"type": "ShareUrlRequest"})
        wait_until(lambda: server.pages.refused)
    assert server._share_tunnel is None


def test_a_page_that_watches_may_stop_and_not_resume(server: GuardedServer, opened: Opened) -> None:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    device.place(viser.transforms.SE3.identity().as_matrix(), viser.transforms.SE3.identity().as_matrix(), Stop.HOLD)

    def click(page: RawPage, name: str) -> None:
        page.send({"type": "HandholdAction", "name": name, "held": False})

    cookie = {"Cookie": get_cookie(opened)}
    with RawPage(opened, cookie, opened.origin) as driver, RawPage(opened, cookie, opened.origin) as watcher:
        driver.look_from(0.0)
        driver.live()
        wait_until(lambda: server.pages.driver is not None)
        watcher.look_from(1.0)
        wait_until(lambda: len(server.pages.pages) == 2)
        click(watcher, "stop:hold")
        wait_until(lambda: device.read().stop == Stop.HOLD)
        click(watcher, "stop:resume")
        wait_until(lambda: server.pages.refused)
        assert device.read().stop == Stop.HOLD
        click(driver, "stop:resume")
        wait_until(lambda: device.read().stop == Stop.RESUME)
        click(watcher, "stop:damp")
        wait_until(lambda: device.read().stop == Stop.DAMP)
    device.close()


def test_an_operator_is_there_while_the_page_that_drives_says_so(server: GuardedServer, opened: Opened) -> None:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    with RawPage(opened, {"Cookie": get_cookie(opened)}, opened.origin) as page:
        page.look_from(0.0)
        wait_until(lambda: server.pages.pages)
        assert not device.read().focused
        page.live()
        wait_until(lambda: device.read().focused)
        page.freeze()
        frozen = time.monotonic()
        wait_until(lambda: not device.read().focused)
        assert time.monotonic() - frozen > PageLimits().beat / 2.0
        page.live()
        wait_until(lambda: device.read().focused)
        page.freeze()
        for age, shown in ((0.0, False), (10.0, True)):
            page.beat()
            wait_until(lambda: device.read().focused)
            page.beat(age, shown)
            wait_until(lambda: not device.read().focused)
    device.close()


def test_a_new_driver_is_another_run_of_the_device(server: GuardedServer, opened: Opened) -> None:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    names = {device.name}
    cookie = {"Cookie": get_cookie(opened)}
    with RawPage(opened, cookie, opened.origin) as first, RawPage(opened, cookie, opened.origin) as second:
        for number, page in enumerate((first, second)):
            page.look_from(float(number))
            page.live()
            wait_until(lambda number=number: len(server.pages.pages) == number + 1 and server.pages.is_present())
        names.add(device.read().device)
        driver, watcher = server.pages.pages
        server.pages.ask(watcher)
        server.pages.grant(watcher, by=driver)
        wait_until(lambda: device.read().focused)
        names.add(device.read().device)
    assert len(names) == 3
    device.close()


def test_a_viser_that_serves_otherwise_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    serve = websockets.asyncio.server.serve

    def start(self: viser.infra.WebsockServer, *words: object) -> None:
        viser_infra.__dict__["websockets"].asyncio.server.serve = serve
        return own(self, *words)

    own = viser.infra.WebsockServer.start
    monkeypatch.setattr(viser.infra.WebsockServer, "start", start)
    with pytest.raises(PageNotGuarded, match=r"constraints\.txt"):
        make_server(port=0)


def test_an_address_without_a_token_is_none() -> None:
    with pytest.raises(ValueError, match="token"):
        take_apart("http://127.0.0.1:8080/")
