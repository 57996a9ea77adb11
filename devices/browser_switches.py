"""What the robot lets the operator switch, as buttons on a page."""

from __future__ import annotations

import viser

from handhold.devices.browser_controls import ClickButton

ASKED = 0.25
"""How long a click asks [s]: the link drops what it cannot send at once."""
PAUSE = 0.1
"""Time between two clicks of one button that are told apart [s]: the same words without a break ask nothing new."""


class SwitchButtons:
    """A button for each request, in a folder that is on the page as long as there are any."""

    def __init__(self, server: viser.ViserServer, title: str) -> None:
        self._server = server
        self._title = title
        self._folder: viser.GuiFolderHandle | None = None
        self._handles: dict[str, viser.GuiButtonHandle] = {}
        self._clicks: dict[str, ClickButton] = {}

    def tell(self, offered: dict[str, str]) -> None:
        """Take in what can be asked for: what each button says, by its request; what has not changed is not sent again."""
        if list(offered) != list(self._handles):
            self._rebuild(offered)
        for request, label in offered.items():
            if self._handles[request].label != label:
                self._handles[request].label = label

    def read(self, now: float) -> str:
        """Return what is asked for at time ``now`` [s], as ``OperatorInput.request``; several clicks one by one."""
        return next((request for request, click in self._clicks.items() if click.read(now)), "")

    def drop(self) -> None:
        """Forget the clicks that were not read yet."""
        for click in self._clicks.values():
            click.drop()

    def remove(self) -> None:
        """Take the buttons off the page."""
        self._rebuild({})

    def _rebuild(self, offered: dict[str, str]) -> None:
        if self._folder is not None:
            self._folder.remove()
        self._folder, self._handles, self._clicks = None, {}, {}
        if not offered:
            return
        self._folder = self._server.gui.add_folder(self._title)
        with self._folder:
            for request, label in offered.items():
                click = ClickButton(ASKED, PAUSE)
                handle = self._server.gui.add_button(label, color="gray")
                handle.on_click(click.click)
                self._handles[request], self._clicks[request] = handle, click
