"""The page in a real browser: foreign origins, a rebound name, frozen tabs, several pages."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
import viser
from browser import CHROMIUM, FLAGS, PATIENT, grab_gizmo, open_chromium, open_details, open_page, pull_gizmo, wait_until
from foreign_page import ATTACK, serve_foreign_page
from playwright.sync_api import Browser, Page

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.safety.raw_page import take_apart
from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import make_server, stop_server
from handhold.app.session.commit import current_commit
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.browser.pages import PageLimits
from handhold.devices.stop import Stop

pytestmark = pytest.mark.alone

LEFT = np.array([[1.0, 0.0, 0.0, 0.4], [0.0, 1.0, 0.0, 0.3], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
RIGHT = LEFT * np.array([[1.0], [-1.0], [1.0], [1.0]])
BUSY = PageLimits(beat=3.0, frame=4.0)
"""For pages that are frozen: the tests' machine may be too busy for the limits of one that is used."""
SILENCE = 1.5
"""How long a page is frozen at least [s]."""


ATTACKS_OF_A_PAGE = 16
"""What a foreign page tries (``foreign_page.ATTACK``)."""

ALL_ATTACKS = 2 * ATTACKS_OF_A_PAGE + 3 + 2
"""From two foreign origins, by a rebound name, and of a second page that drags and is not asked."""


@pytest.fixture(scope="module")
def attacks(report_outcome: Callable[[Outcome], None]) -> Iterator[Counter[str]]:
    """What was ``tried`` on the page, and what of it was ``accepted``; reported when all is over."""
    count: Counter[str] = Counter()
    start = time.monotonic()
    yield count
    figures = (
        Figure("accepted_in_a_browser", count["accepted"], "-", must=0.0),
        Figure("attacks_in_a_browser", count["tried"], "-", must=float(ALL_ATTACKS), larger_is_better=True),
    )
    lasted = time.monotonic() - start
    report_outcome(Outcome("page-in-a-browser", None, None, 0, current_commit(), lasted, None, figures))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as chromium:
        yield chromium


def start(limits: PageLimits) -> GuardedServer:
    server = make_server(port=0, limits=limits)
    server.initial_camera.position = (2.0, -1.2, 1.6)
    server.initial_camera.look_at = (0.2, 0.0, 0.9)
    return server


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[GuardedServer]:
    server = start(BUSY if "frozen" in request.node.name else PATIENT)
    yield server
    stop_server(server)


@pytest.fixture
def device(server: GuardedServer) -> Iterator[BrowserDevice]:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    device.place(LEFT, RIGHT)
    yield device
    device.close()


@pytest.fixture
def tab(device: BrowserDevice, server: GuardedServer, browser: Browser) -> Iterator[tuple[Page, viser.ClientHandle]]:
    page, client = open_page(browser, server)
    page.wait_for_timeout(500)
    yield page, client
    page.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_foreign_page_in_the_operators_browser_reaches_nothing(
    server: GuardedServer, device: BrowserDevice, browser: Browser, attacks: Counter[str], name: str
) -> None:
    """At 127.0.0.1 it is of the same site, so that the browser sends it our cookie; at localhost of another one."""
    context = browser.new_context()
    open_page(context, server)
    opened = take_apart(server.address)
    before = (device.read().stop, server.pages.driver, len(server.get_clients()))
    with serve_foreign_page() as port:
        foreign = context.new_page()
        foreign.goto(f"http://{name}:{port}/")
        tried = foreign.evaluate(ATTACK, {"host": opened.host, "token": opened.token, "version": viser.__version__})
        foreign.wait_for_timeout(500)
        framed = [frame.url for frame in foreign.frames[1:] if frame.query_selector("canvas")]
        foreign.close()
    attacks.update(tried=len(tried), accepted=sum(map(bool, tried.values())))
    assert [attack for attack, reached in tried.items() if reached] == []
    assert len(tried) == ATTACKS_OF_A_PAGE
    assert framed == []
    assert sum(server.pages.refused.values()) >= 9
    wait_until(context.pages[0], lambda: len(server.get_clients()) == 1, "a window that was opened to be closed")
    assert (device.read().stop, server.pages.driver, len(server.get_clients())) == before
    context.close()


def test_a_name_that_was_rebound_to_this_machine_reaches_nothing(
    server: GuardedServer, browser: Browser, attacks: Counter[str]
) -> None:
    other = "evil.example"
    opened = take_apart(server.address)
    rules = f"--host-resolver-rules=MAP {other} 127.0.0.1"
    with closing(browser.browser_type.launch(executable_path=CHROMIUM, headless=True, args=[*FLAGS, rules])) as chromium:
        page = chromium.new_page()
        for path in ("/", f"/?token={opened.token}"):
            answer = page.goto(f"http://{other}:{opened.port}{path}")
            assert answer is not None
            attacks.update(tried=1, accepted=answer.status != 403)
            assert answer.status == 403
            assert "Handhold does not show this page" in page.inner_text("body")
        line = page.evaluate(
            """(address) => new Promise((answer) => {
              const line = new WebSocket(address);
              line.onopen = () => answer("open");
              line.onerror = () => answer("refused");
            })""",
            f"ws://{other}:{opened.port}/",
        )
        attacks.update(tried=1, accepted=line == "open")
        assert line == "refused"
    assert not server.get_clients()


def test_a_session_in_order_is_refused_nothing_and_breaks_no_policy(
    server: GuardedServer, device: BrowserDevice, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    broken: list[str] = []
    context.on("console", lambda told: broken.append(told.text) if "Content Security Policy" in told.text else None)
    page, client = open_page(context, server)
    page.wait_for_timeout(500)
    grab_gizmo(page, client, LEFT, 0)
    pull_gizmo(page, client, LEFT, 0, 0.1)
    wait_until(page, lambda: device.read().left.squeeze == 1.0, "the hand to be held")
    page.mouse.up()
    wait_until(page, lambda: device.read().left.squeeze == 0.0, "the hand to be let go")
    open_details(page)
    page.get_by_role("textbox").first.fill("0.4")
    wait_until(page, lambda: device.read().left.trigger == pytest.approx(0.4), "the trigger")
    page.keyboard.press("Escape")
    wait_until(page, lambda: device.read().stop == Stop.HOLD, "the stop")
    assert page.url.endswith(f"{take_apart(server.address).host}/?fixedDpr=0.5")  # the token is not in it
    assert page.evaluate("document.cookie") == ""
    context.close()
    assert dict(server.pages.refused) == {}
    assert broken == []


def find_renderers() -> list[int]:
    """Return the renderers of the browsers that this process has started."""
    parents, renderers = {}, []
    for folder in Path("/proc").iterdir():
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"--type=renderer" in (folder / "cmdline").read_bytes():
                renderers.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return [number for number in renderers if _descends(number, parents)]


def _descends(number: int, parents: dict[int, int]) -> bool:
    while number in parents:
        if number == os.getpid():
            return True
        number = parents[number]
    return False


@contextmanager
def stopped(_page: Page) -> Iterator[None]:
    """Stop the renderer of a page, as a machine does that sleeps."""
    renderers = find_renderers()
    assert renderers
    for number in renderers:
        os.kill(number, signal.SIGSTOP)
    try:
        yield
    finally:
        for number in renderers:
            os.kill(number, signal.SIGCONT)


@contextmanager
def blocked(page: Page) -> Iterator[None]:
    """Keep the page's own thread busy; its worker goes on."""
    page.evaluate("setTimeout(() => { const end = performance.now() + 8000; while (performance.now() < end); }, 0)")
    yield


@pytest.mark.parametrize("freeze", [stopped, blocked])
def test_a_page_frozen_in_mid_drag_lets_the_hand_go_until_it_is_taken_anew(
    device: BrowserDevice, server: GuardedServer, tab: tuple[Page, viser.ClientHandle], freeze: Callable[[Page], object]
) -> None:
    page, client = tab
    grab_gizmo(page, client, LEFT, 0)
    wait_until(page, lambda: device.read().left.squeeze == 1.0, "the hand to be held")
    wait_until(page, lambda: device.read().focused, "the page to live")
    with freeze(page):  # type: ignore[attr-defined]
        began = time.monotonic()
        while device.read().focused:
            assert time.monotonic() < began + 60.0
            time.sleep(0.01)
        noticed = time.monotonic() - began
        assert device.read().left.squeeze == 0.0
        time.sleep(SILENCE)
        assert not device.read().focused
    wait_until(page, lambda: device.read().focused, "the page to live again")
    if freeze is stopped:  # Chromium's remote control of the pointer never answers after its page has hung
        pull_gizmo(page, client, LEFT, 0, 0.1, moves=2)
        assert device.read().left.squeeze == 0.0
        page.mouse.up()
    assert device.read().left.squeeze == 0.0  # the pointer was still pressed
    print(json.dumps({"noticed": round(noticed, 3), "by": freeze.__name__}))


def test_a_hidden_page_does_not_drive(device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]) -> None:
    page, _ = tab
    wait_until(page, lambda: device.read().focused, "the page to live")
    hide = """(hidden) => { Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
                            document.dispatchEvent(new Event("visibilitychange")); }"""
    page.evaluate(hide, True)
    wait_until(page, lambda: not device.read().focused, "the page to count as hidden")
    page.evaluate(hide, False)
    wait_until(page, lambda: device.read().focused, "the page to be back")


def test_of_two_pages_one_drives_until_it_hands_over(
    device: BrowserDevice,
    server: GuardedServer,
    tab: tuple[Page, viser.ClientHandle],
    browser: Browser,
    attacks: Counter[str],
) -> None:
    page, client = tab
    second, second_client = open_page(browser, server)
    device.read()
    second.get_by_text("This page watches").wait_for()
    first_run = device.read().device
    grab_gizmo(second, second_client, LEFT, 0)
    pull_gizmo(second, second_client, LEFT, 0, 0.1)
    second.mouse.up()
    hand = device.read().left
    assert hand.pose is not None
    moved = not np.allclose(hand.pose.homogeneous, LEFT)
    attacks.update(tried=2, accepted=int(hand.squeeze > 0.0) + int(moved))
    assert hand.squeeze == 0.0
    assert not moved
    assert server.pages.refused["only the page that drives may do this"] > 0

    second.get_by_role("button", name="Ask to drive").click()
    wait_until(second, lambda: server.pages.asking, "the question")
    device.read()
    grab_gizmo(page, client, LEFT, 0)
    wait_until(page, lambda: device.read().left.squeeze == 1.0, "the hand to be held")
    page.mouse.up()
    page.get_by_role("button", name="Hand over to page 2").click()
    wait_until(page, lambda: server.pages.driver == second_client.client_id, "the control to be handed over")
    wait_until(second, lambda: device.read().focused, "the new driver")
    assert device.read().device != first_run
    device.place(LEFT, RIGHT)
    grab_gizmo(second, second_client, LEFT, 0)
    wait_until(second, lambda: device.read().left.squeeze == 1.0, "the hand to be held by the new driver")
    second.close()
    wait_until(page, lambda: not device.read().focused, "the driver to be gone")
    assert device.read().left.squeeze == 0.0
    wait_until(page, lambda: device.read() and server.pages.is_vacant(), "the seat to be vacant")
    device.read()  # pages are told with a sample, and time goes on between one and the question above
    page.get_by_role("button", name="Take the control").click()
    wait_until(page, lambda: device.read().focused, "the first page to drive again")
