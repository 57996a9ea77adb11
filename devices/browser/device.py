"""A page in the browser as the operator's device: hands that are dragged, buttons, a hotkey to stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import viser

from handhold.devices.browser.controls import HoldButton
from handhold.devices.browser.driver import DriverPanel
from handhold.devices.browser.hand import BrowserHand
from handhold.devices.browser.page_server import PageServer
from handhold.devices.browser.pages import Pages
from handhold.devices.browser.requests import RequestButtons
from handhold.devices.browser.stop import StopControls
from handhold.devices.browser.words import Choices, ControlWords, HandWords
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop

PADS = {
    "stick:forward": ("left", (0.0, 1.0)),
    "stick:back": ("left", (0.0, -1.0)),
    "stick:left": ("left", (-1.0, 0.0)),
    "stick:right": ("left", (1.0, 0.0)),
    "stick:up": ("right", (0.0, 1.0)),
    "stick:down": ("right", (0.0, -1.0)),
    "stick:turn left": ("right", (-1.0, 0.0)),
    "stick:turn right": ("right", (1.0, 0.0)),
}
"""What a held pad or key does: which stick it deflects, and where to (right, forward)."""
HANDS = ("left", "right")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Page:
    driver: DriverPanel
    stop: StopControls
    modes: RequestButtons
    switches: RequestButtons
    hands: dict[str, BrowserHand]
    pads: dict[str, HoldButton]
    speed: viser.GuiSliderHandle[float]

    def drop(self) -> None:
        """Let go of all that was held or clicked; a stop that was asked for stays."""
        self.stop.drop()
        self.modes.drop()
        self.switches.drop()
        for pad in self.pads.values():
            pad.drop()
        for hand in self.hands.values():
            hand.drop()

    def remove(self) -> None:
        """Take all of it off the page."""
        self.driver.remove()
        self.stop.remove()
        self.modes.remove()
        self.switches.remove()
        self.speed.remove()
        for hand in self.hands.values():
            hand.remove()


class BrowserDevice:
    """The operator in front of a page: while a hand's gizmo is dragged its clutch is closed, released it is open."""

    def __init__(self, server: PageServer, pages: Pages, clock: Callable[[], float]) -> None:
        """Make the device of a page.

        Args:
            server: Where the page comes from.
            pages: Which of the pages that are open drives, and whether it is alive.
            clock: Monotonic clock of the station [s].
        """
        self._server = server
        self._pages = pages
        self._clock = clock
        self._opened_at = clock()
        self._page: _Page | None = None
        self._offered: tuple[Choices, Choices, ControlWords] = ({}, {}, ControlWords())
        self._sequence = 0

    @property
    def name(self) -> str:
        """Name of this run: a device opened again, or driven by another page, is another one and holds nothing of the last."""
        return f"browser {self._opened_at:.6f} {self._pages.turn}"

    def open(self) -> None:
        """Put the hands and the buttons on the page."""
        if self._page is None:
            self._opened_at = self._clock()
            self._page = _build_page(self._server, self._pages, self._clock)
            self._notify(self._page)
            self._pages.when_lost(self._page.drop)
            self._server.drives = True

    def read(self) -> OperatorInput:
        """Return what the operator does now.

        Raises:
            DeviceError: The device is not open.
        """
        page = self._opened()
        page.driver.update()
        now = self._clock()
        present = self._pages.is_present()
        self._sequence += 1
        return OperatorInput(
            time=now,
            sequence=self._sequence,
            device=self.name,
            focused=present,
            left=page.hands["left"].read(_read_stick(page, "left", now), now),
            right=page.hands["right"].read(_read_stick(page, "right", now), now),
            stop=page.stop.read(now),
            request=page.modes.read(now) or page.switches.read(now),
        )

    def place(self, left: np.ndarray, right: np.ndarray, stop: Stop = Stop.NONE, heading: float = 0.0) -> None:
        """Put the gizmos that nobody drags where the robot's hands are asked to be, and take in its stop.

        Args:
            left: Pose of the left hand's effector in world, homogeneous, shape ``(4, 4)``.
            right: The same of the right hand.
            stop: The stop that is latched, as in ``Snapshot``; without it nothing can be resumed from the page.
            heading: Heading of the robot [rad]: keys that move a hand ahead move it there.

        Raises:
            DeviceError: The device is not open.
        """
        page = self._opened()
        now = self._clock()
        page.hands["left"].gizmo.place(left, now)
        page.hands["right"].gizmo.place(right, now)
        if math.isfinite(heading):
            for hand in page.hands.values():
                hand.heading = heading
        page.stop.notify(stop)
        if stop is not Stop.NONE:
            # A stop is lifted with both hands let go.
            for hand in page.hands.values():
                hand.grip.drop()
        self._notify(page)

    def offer(self, modes: Choices, switches: Choices, words: ControlWords | None = None) -> None:
        """Put a button on the page for every mode and for everything that the robot lets be switched.

        Args:
            modes: Modes, by their requests (``"mode:NAME"``).
            switches: What can be switched, by its requests (``"switch:NAME"``).
            words: What the controls do in the mode in charge; by default as in bracing.

        Raises:
            DeviceError: The device is not open.
        """
        page = self._opened()
        page.modes.notify(modes)
        page.switches.notify(switches)
        self._offered = (modes, switches, words or ControlWords())
        for hand, offered in zip(HANDS, (self._offered[2].left, self._offered[2].right), strict=True):
            own = offered or HandWords()
            page.hands[hand].grip.offer(offered=bool(own.grip), opens=own.grip_opens)
        self._notify(page)

    def _notify(self, page: _Page) -> None:
        """Notify the page's own interface of what there is to press."""
        modes, switches, words = self._offered
        message = {
            "stop": page.stop.latched,
            "modes": {request: asdict(choice) for request, choice in modes.items()},
            "switches": {request: asdict(choice) for request, choice in switches.items()},
            "words": asdict(words),
        }
        self._server.notify("controls", message)

    def pulse(self, pulse: HapticPulse) -> None:
        """Do nothing: a page cannot be felt."""

    def close(self) -> None:
        """Take the hands and the buttons off the page."""
        page, self._page = self._page, None
        if page is not None:
            self._pages.forget(page.drop)
            self._server.drives = False
            self._server.notify("controls", None)
            self._server.actions.remove(*page.pads)
            page.remove()

    def _opened(self) -> _Page:
        if self._page is None:
            raise DeviceError("the browser's device is not open; open it before it is read")
        return self._page


def _read_stick(page: _Page, hand: str, now: float) -> np.ndarray:
    held = [np.array(PADS[name][1]) for name, pad in page.pads.items() if PADS[name][0] == hand and pad.read(now)]
    return float(page.speed.value) * np.clip(np.sum(held, axis=0), -1.0, 1.0) if held else np.zeros(2)


def _build_page(server: PageServer, pages: Pages, clock: Callable[[], float]) -> _Page:
    pads = {name: HoldButton(clock) for name in PADS}
    for name, pad in pads.items():
        server.actions.add(name, pad.to_action())
    return _Page(
        driver=DriverPanel(server, pages),
        stop=StopControls(server.actions),
        modes=RequestButtons(server.actions),
        switches=RequestButtons(server.actions),
        hands={hand: BrowserHand(server, hand, clock) for hand in HANDS},
        pads=pads,
        speed=server.gui.add_slider("Speed", min=0.1, max=1.0, step=0.1, initial_value=0.5),
    )
