"""What the operator may ask of the robot by name, as buttons on the page: modes, and what can be switched."""

from __future__ import annotations

from handhold.devices.browser.controls import ClickButton
from handhold.devices.browser.page_server import PageActions
from handhold.devices.browser.words import Choices

ASKED = 0.25
"""How long a click asks [s]: the link drops what it cannot send at once."""
PAUSE = 0.1
"""Time between two clicks of one button that are told apart [s]: the same words without a break ask nothing new."""


class RequestButtons:
    """A button for each request, as long as it is offered."""

    def __init__(self, actions: PageActions) -> None:
        """Offer nothing yet."""
        self._actions = actions
        self._clicks: dict[str, ClickButton] = {}

    def notify(self, offered: Choices) -> None:
        """Take in what can be asked for, by its request."""
        gone = tuple(self._clicks.keys() - offered.keys())
        self._actions.remove(*gone)
        for request in gone:
            del self._clicks[request]
        for request in offered:
            if request not in self._clicks:
                click = self._clicks[request] = ClickButton(ASKED, PAUSE)
                self._actions.add(request, click.to_action())

    def read(self, now: float) -> str:
        """Return what is asked for at time ``now`` [s], as ``OperatorInput.request``; several clicks one by one."""
        return next((request for request, click in self._clicks.items() if click.read(now)), "")

    def drop(self) -> None:
        """Forget the clicks that were not read yet."""
        for click in self._clicks.values():
            click.drop()

    def remove(self) -> None:
        """Offer nothing any more."""
        self.notify({})
