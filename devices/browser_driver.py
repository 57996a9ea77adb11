"""Who drives, on every page: what each page is, and the buttons by which the control goes from one to another."""

from __future__ import annotations

import html

import viser

from handhold.devices.browser_pages import Pages

_LINE = '<div style="padding:0.2em 0.8em;font-size:0.9em">{}</div>'


class DriverPanel:
    """A folder on each page, made for that page alone and sent again only where what it says changes."""

    def __init__(self, server: viser.ViserServer, pages: Pages) -> None:
        self._server = server
        self._pages = pages
        self._corners: dict[int, _Corner] = {}

    def update(self) -> None:
        """Show every page what it is now."""
        clients = self._server.get_clients()
        for page in set(self._corners) - set(clients):
            del self._corners[page]
        told = _describe_refused(sum(self._pages.refused.values()), self._pages.refused.most_common(1))
        vacant = self._pages.is_vacant()
        for page, client in clients.items():
            corner = self._corners.setdefault(page, _Corner(client, self._pages))
            corner.update(self._choose(page, vacant), told)

    def remove(self) -> None:
        """Take the folders off the pages."""
        for corner in self._corners.values():
            corner.remove()
        self._corners = {}

    def _choose(self, page: int, vacant: bool) -> tuple[str, tuple[tuple[str, int], ...]]:
        """Return what a page is told, and its buttons: their words, and the page that each is about."""
        pages = self._pages
        if page == pages.driver:
            return "This page drives.", tuple((f"Hand over to page {one + 1}", one) for one in pages.asking)
        if vacant:
            return "Nobody drives.", (("Take the control", page),)
        words = "This page watches" if pages.driver is None else f"This page watches: page {pages.driver + 1} drives"
        if page in pages.asking:
            return f"{words} and has been asked for the control.", ()
        return f"{words}. (This is page {page + 1}.)", (("Ask to drive", page),)


class _Corner:
    """The folder of one page."""

    def __init__(self, client: viser.ClientHandle, pages: Pages) -> None:
        self._client = client
        self._pages = pages
        self._folder = client.gui.add_folder("Control", order=-1.0)
        with self._folder:
            self._words = client.gui.add_html("")
        self._buttons: tuple[tuple[str, int], ...] = ()
        self._handles: list[viser.GuiButtonHandle] = []

    def update(self, chosen: tuple[str, tuple[tuple[str, int], ...]], refused: str) -> None:
        words, buttons = chosen
        content = _LINE.format(html.escape(words)) + refused
        if self._words.content != content:
            self._words.content = content
        if buttons != self._buttons:
            self._rebuild(buttons)

    def remove(self) -> None:
        self._folder.remove()

    def _rebuild(self, buttons: tuple[tuple[str, int], ...]) -> None:
        for handle in self._handles:
            handle.remove()
        self._buttons, self._handles = buttons, []
        with self._folder:
            for label, page in buttons:
                self._handles.append(self._add_button(label, page))

    def _add_button(self, label: str, page: int) -> viser.GuiButtonHandle:
        own = self._client.client_id

        async def click(_event: object) -> None:
            if page == own:
                self._pages.ask(own)
            else:
                self._pages.grant(page, by=own)

        handle = self._client.gui.add_button(label)
        handle.on_click(click)
        return handle


def _describe_refused(count: int, most: list[tuple[str, int]]) -> str:
    if not count:
        return ""
    return _LINE.format(f"Refused {count} times, mostly: {html.escape(most[0][0])}.")
