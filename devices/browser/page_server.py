"""What the operator's device and the view need of the server of the page, besides viser's scene and controls."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import msgspec
import viser
import viser._messages as viser_messages

from handhold.devices.browser.pages import Pages

UNKNOWN_ACTION = "no such action"
NOT_HELD = "an action that is asked for once, not held"
ONLY_THE_DRIVER = "only the page that drives may do this"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something that the page's own interface may ask for.

    Attributes:
        take: Called with the number of the page that asks, on the thread that serves the pages.
        for_all: Whether pages that only watch may ask for it too.
        held: Whether it lasts as long as the page keeps saying so, instead of being asked for once.
    """

    take: Callable[[int], None]
    for_all: bool = False
    held: bool = False


class PageActions:
    """What the page's own interface may ask for now, by name; whatever is not in this table is refused."""

    def __init__(self, pages: Pages) -> None:
        """Begin with an empty table; ``pages`` tells which page drives."""
        self._pages = pages
        self._lock = threading.Lock()
        self._actions: dict[str, Action] = {}

    @property
    def table(self) -> dict[str, Action]:
        """What may be asked for now, by name."""
        with self._lock:
            return dict(self._actions)

    def add(self, name: str, action: Action) -> None:
        """Let an action be asked for."""
        with self._lock:
            self._actions[name] = action

    def remove(self, *names: str) -> None:
        """Let actions be asked for no more; names that are not known are none."""
        with self._lock:
            for name in names:
                self._actions.pop(name, None)

    def judge(self, page: int, name: str, *, held: bool) -> str:
        """Return why a page may not ask for an action, or ``""``."""
        action = self._find(name)
        if action is None:
            return UNKNOWN_ACTION
        if held is not action.held:
            return NOT_HELD
        return "" if action.for_all or page == self._pages.driver else ONLY_THE_DRIVER

    def take(self, page: int, name: str) -> None:
        """Do what a page asks for, once it has been judged."""
        action = self._find(name)
        if action is not None:
            action.take(page)

    def _find(self, name: str) -> Action | None:
        with self._lock:
            return self._actions.get(name)


@dataclasses.dataclass
class HandholdPart(viser_messages.Message, include_in_scene_serialization=False):
    """A part of what the page's own interface shows, as JSON; the newest of each part is sent to pages that open later."""

    part: str
    content: str

    def redundancy_key(self) -> str:
        """Return what a later message replaces."""
        return f"handhold {self.part}"


class PageServer(viser.ViserServer):
    """viser's server with the page's own interface beside it.

    Attributes:
        pages: Which of the open pages drives.
        actions: What the interface may ask for.
        drives: Whether a page is the operator's device.
    """

    pages: Pages
    actions: PageActions
    drives: bool = False
    _parts: dict[tuple[int | None, str], str]

    def notify(self, part: str, value: Any, page: int | None = None) -> None:
        """Notify the interface of all pages, or of one, of what a part of it shows; what has not changed is not sent again."""
        content = msgspec.json.encode(value).decode()
        if self._parts.get((page, part)) == content:
            return
        line = self._websock_server if page is None else self._find_line(page)
        if line is not None:
            self._parts[page, part] = content
            line.queue_message(HandholdPart(part, content))

    def forget_page(self, page: int) -> None:
        """Forget what was sent only to a page that is gone."""
        for key in [key for key in self._parts if key[0] == page]:
            self._parts.pop(key, None)

    def _find_line(self, page: int) -> Any:
        client = self.get_clients().get(page)
        return None if client is None else client._websock_connection
