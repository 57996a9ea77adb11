"""The document of the page: viser's client within our own interface (pure)."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path

import msgspec

from handhold.devices.browser.pages import BEAT_PERIOD, FRAME_PERIOD

_SCRIPT = re.compile(rb"<script.*?</script>", re.DOTALL)
_TITLE = re.compile(rb"<title>.*?</title>", re.DOTALL)


class PageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the page says before it has heard of the robot.

    Attributes:
        robot: Name of the robot that is driven.
        title: Its name for people; without one the page has no loading screen.
        world: Name of the world.
        session: What tells this session from another one at the same address.
        robots: Robots that may be chosen, by name and title.
        worlds: Worlds that may be chosen, by name and title.
        surface: What a hand may lean on in this world; empty for nothing.
        has_robot: Whether there is a robot to look at from its sides.
    """

    robot: str = ""
    title: str = ""
    world: str = ""
    session: str = ""
    robots: tuple[tuple[str, str], ...] = ()
    worlds: tuple[tuple[str, str], ...] = ()
    surface: str = ""
    has_robot: bool = True


PLAIN = PageFacts()


def write_document(page: bytes, nonce: str, facts: PageFacts) -> bytes:
    """Return the page as it is served.

    Our interface comes first, so that there is something to read while viser's client, 0.8 MB, unpacks itself.

    Args:
        page: viser's page, with one script.
        nonce: What the page's scripts are known by.
        facts: What the page says before it has heard of the robot.
    """
    found = _SCRIPT.search(page)
    client = b"" if found is None else found.group().replace(b"<script", f'<script nonce="{nonce}"'.encode(), 1)
    page = page if found is None else page[: found.start()] + page[found.end() :]
    title = html.escape(f"Handhold: {facts.title}" if facts.title else "Handhold").encode()
    page = _TITLE.sub(lambda _old: b"<title>" + title + b"</title>", page, count=1)
    own = (
        f"<style>{_read('interface.css')}</style>{_write_loading(facts)}"
        f'<script nonce="{nonce}">{_read_heartbeat()}</script><script nonce="{nonce}">{_read("interface.js")}</script>'
    ).encode()
    page = page.replace(b"<body>", b"<body>" + own, 1)
    return page.replace(b"</body>", client + b"</body>", 1)


def _write_loading(facts: PageFacts) -> str:
    """Return the interface's root, which carries the facts, and the loading screen, where there is something to load."""
    encoded = html.escape(msgspec.json.encode(facts).decode(), quote=True)
    loading = (
        f'<div id="hh-loading" role="status"><div class="hh-mark">Handhold</div><h1>{html.escape(facts.title)}</h1>'
        '<div class="hh-track"><div id="hh-share"></div></div><p id="hh-progress">Opening the page</p></div>'
        if facts.title
        else ""
    )
    return f'<div id="hh" data-facts="{encoded}">{loading}</div>'


@cache
def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def _read_heartbeat() -> str:
    script = _read("heartbeat.js")
    for word, period in (("BEAT", BEAT_PERIOD), ("FRAME", FRAME_PERIOD)):
        script = re.sub(rf"\b{word}\b", f"{1e3 * period:.0f}", script)
    return script
