"""Who drives, on every page: what each page is, and the buttons by which the control goes from one to another."""

from __future__ import annotations

from functools import partial

from handhold.devices.browser.page_server import Action, PageServer
from handhold.devices.browser.pages import Pages

ASK = "drive:ask"


class DriverPanel:
    """Notifies each page what it is, and lets it ask for the control."""

    def __init__(self, server: PageServer, pages: Pages) -> None:
        """Offer the control to pages that ask."""
        self._server = server
        self._pages = pages
        self._grants: set[str] = set()
        server.actions.add(ASK, Action(take=pages.ask, for_all=True))

    def update(self) -> None:
        """Notify every page what it is now; what has not changed is not sent again."""
        self._offer_grants()
        refused = _describe_refused(sum(self._pages.refused.values()), self._pages.refused.most_common(1))
        vacant = self._pages.is_vacant()
        for page in self._pages.pages:
            words, buttons = self._choose(page, vacant)
            drives = page == self._pages.driver
            self._server.notify("seat", {"drives": drives, "words": words, "buttons": buttons, "refused": refused}, page)

    def remove(self) -> None:
        """Offer the control no more."""
        self._server.actions.remove(ASK, *self._grants)

    def _offer_grants(self) -> None:
        """Let the page that drives hand the control over to each page that asks for it."""
        asking = {f"drive:grant:{page}": page for page in self._pages.asking}
        self._server.actions.remove(*(self._grants - asking.keys()))
        for name, page in asking.items():
            if name not in self._grants:
                self._server.actions.add(name, Action(take=partial(self._grant, page)))
        self._grants = set(asking)

    def _grant(self, page: int, by: int) -> None:
        self._pages.grant(page, by=by)

    def _choose(self, page: int, vacant: bool) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return the message to a page, and its buttons: what each asks for, and says."""
        pages = self._pages
        if page == pages.driver:
            return "This page drives.", tuple((f"drive:grant:{one}", f"Hand over to page {one + 1}") for one in pages.asking)
        if vacant:
            return "Nobody drives.", ((ASK, "Take the control"),)
        words = "This page watches" if pages.driver is None else f"This page watches: page {pages.driver + 1} drives"
        if page in pages.asking:
            return f"{words} and has been asked for the control.", ()
        return f"{words}. (This is page {page + 1}.)", ((ASK, "Ask to drive"),)


def _describe_refused(count: int, most_frequent: list[tuple[str, int]]) -> str:
    return f"Refused {count} times, mostly: {most_frequent[0][0]}." if count else ""
