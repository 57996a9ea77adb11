"""The browser as the operator's device."""

from __future__ import annotations

import time

from handhold.app.page import Page
from handhold.app.session import SessionConfig
from handhold.devices.browser import BrowserDevice
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.render.wheel import Item, list_modes, list_switches


class BrowserConsole:
    """Hands dragged on the page."""

    name = "browser"
    description = "hands dragged on the page"
    paced = False

    def __init__(self, page: Page, _config: SessionConfig) -> None:
        self._device = BrowserDevice(page.server, page.server.pages, time.monotonic)
        self._device.open()

    def read(self) -> OperatorInput:
        """Return the present sample."""
        return self._device.read()

    def show(self, snapshot: Snapshot) -> None:
        """Put the gizmos where the robot's hands are, and offer modes and what can be switched in the wheel's words."""
        self._device.place(snapshot.left.target, snapshot.right.target, snapshot.stop)
        modes = {item.action: _say(item) for item in list_modes(snapshot.modes, snapshot.mode)}
        self._device.offer(modes, {item.action: item.title for item in list_switches(snapshot.switches)})

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse."""
        self._device.pulse(pulse)

    def close(self) -> None:
        """Take the hands off the page."""
        self._device.close()


def _say(item: Item) -> str:
    if item.present:
        return f"{item.title} (in charge)"
    return f"{item.title}: {item.reason}" if item.reason else item.title
