"""A page in the browser as the operator's device: hands that are dragged, buttons, a hotkey to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import viser

from handhold.devices.browser_controls import ClickButton, HoldButton
from handhold.devices.browser_driver import DriverPanel
from handhold.devices.browser_gizmo import HandGizmo
from handhold.devices.browser_pages import Pages
from handhold.devices.browser_stop import StopControls
from handhold.devices.browser_switches import SwitchButtons
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput

PRESS = 0.1
"""A click counts as a button pressed this long [s]."""
STICK_BUTTONS = (
    ("Lean forward", "left", (0.0, 1.0)),
    ("Lean back", "left", (0.0, -1.0)),
    ("Lean left", "left", (-1.0, 0.0)),
    ("Lean right", "left", (1.0, 0.0)),
    ("Rise", "right", (0.0, 1.0)),
    ("Crouch", "right", (0.0, -1.0)),
    ("Turn left", "right", (-1.0, 0.0)),
    ("Turn right", "right", (1.0, 0.0)),
)
"""What a held button does: which stick it deflects, and where to (right, forward)."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _HandControls:
    gizmo: HandGizmo
    primary: ClickButton
    secondary: ClickButton
    trigger: viser.GuiSliderHandle[float]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Page:
    driver: DriverPanel
    stop: StopControls
    modes: SwitchButtons
    hands: dict[str, _HandControls]
    sticks: tuple[tuple[HoldButton, str, np.ndarray], ...]
    speed: viser.GuiSliderHandle[float]
    switches: SwitchButtons
    folders: tuple[viser.GuiFolderHandle, ...]

    def drop(self) -> None:
        """Let go of all that was held or clicked; a stop that was asked for stays."""
        self.stop.drop()
        self.modes.drop()
        self.switches.drop()
        for button, _, _ in self.sticks:
            button.drop()
        for hand in self.hands.values():
            hand.gizmo.drop()
            hand.primary.drop()
            hand.secondary.drop()


class BrowserDevice:
    """The operator in front of a page: while a hand's gizmo is dragged its clutch is closed, released it is open."""

    def __init__(self, server: viser.ViserServer, pages: Pages, clock: Callable[[], float]) -> None:
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
            self._pages.open_to_all(*self._page.stop.for_all)
            self._pages.when_lost(self._page.drop)

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
            left=_read_hand(page, "left", now),
            right=_read_hand(page, "right", now),
            stop=page.stop.read(now),
            request=page.modes.read(now) or page.switches.read(now),
        )

    def place(self, left: np.ndarray, right: np.ndarray, stop: str = "") -> None:
        """Put the gizmos that nobody drags where the robot's hands are asked to be, and take in its stop.

        Args:
            left: Pose of the left hand's effector in world, homogeneous, shape ``(4, 4)``.
            right: The same of the right hand.
            stop: The stop that is latched, as in ``Snapshot``; without it nothing can be resumed from the page.

        Raises:
            DeviceError: The device is not open.
        """
        page = self._opened()
        now = self._clock()
        page.hands["left"].gizmo.place(left, now)
        page.hands["right"].gizmo.place(right, now)
        page.stop.tell(stop)

    def offer(self, modes: dict[str, str], switches: dict[str, str]) -> None:
        """Put a button on the page for every mode and for everything that the robot lets be switched.

        Args:
            modes: What each mode's says, by its request (``"mode:NAME"``).
            switches: What each says, by its request (``"switch:NAME"``).

        Raises:
            DeviceError: The device is not open.
        """
        page = self._opened()
        page.modes.tell(modes)
        page.switches.tell(switches)

    def pulse(self, pulse: HapticPulse) -> None:
        """Do nothing: a page cannot be felt."""

    def close(self) -> None:
        """Take the hands and the buttons off the page."""
        page, self._page = self._page, None
        if page is not None:
            self._pages.forget(page.drop)
            page.driver.remove()
            page.stop.remove()
            page.modes.remove()
            page.switches.remove()
            for folder in page.folders:
                folder.remove()
            for hand in page.hands.values():
                hand.gizmo.remove()

    def _opened(self) -> _Page:
        if self._page is None:
            raise DeviceError("the browser's device is not open; open it before it is read")
        return self._page


def _read_hand(page: _Page, hand: str, now: float) -> HandInput:
    controls = page.hands[hand]
    sample = controls.gizmo.read(now)
    return HandInput(
        pose=sample.pose,
        squeeze=1.0 if sample.dragged else 0.0,
        trigger=float(controls.trigger.value),
        stick=_read_stick(page, hand, now),
        buttons=Buttons(
            primary=controls.primary.read(now),
            secondary=controls.secondary.read(now),
        ),
    )


def _read_stick(page: _Page, hand: str, now: float) -> np.ndarray:
    held = [direction for button, side, direction in page.sticks if side == hand and button.read(now)]
    return float(page.speed.value) * np.clip(np.sum(held, axis=0), -1.0, 1.0) if held else np.zeros(2)


def _build_page(server: viser.ViserServer, pages: Pages, clock: Callable[[], float]) -> _Page:
    stop = StopControls(server)
    modes = SwitchButtons(server, "Mode")
    folders = {hand: server.gui.add_folder(f"{hand.capitalize()} hand") for hand in ("left", "right")}
    hands = {hand: _build_hand(server, pages, hand, folder) for hand, folder in folders.items()}
    body = server.gui.add_folder("Body", expand_by_default=False)
    with body:
        speed = server.gui.add_slider("Speed", min=0.1, max=1.0, step=0.1, initial_value=0.5)
        sticks = tuple(
            (HoldButton(server.gui.add_button(label, color="gray"), clock), hand, np.array(direction))
            for label, hand, direction in STICK_BUTTONS
        )
    return _Page(
        driver=DriverPanel(server, pages),
        stop=stop,
        modes=modes,
        hands=hands,
        sticks=sticks,
        speed=speed,
        switches=SwitchButtons(server, "Switch"),
        folders=(*folders.values(), body),
    )


def _build_hand(server: viser.ViserServer, pages: Pages, hand: str, folder: viser.GuiFolderHandle) -> _HandControls:
    primary, secondary = ClickButton(PRESS), ClickButton(PRESS)
    with folder:
        _add_button(server, f"Load / unload {hand}", primary, hint="Bear on the surface shown, or let go of it (A/X)")
        _add_button(server, f"Look ahead {hand}", secondary, color="gray", hint="Where a switch of the contact leads (B/Y)")
        trigger = server.gui.add_slider(f"Push {hand}", min=0.0, max=1.0, step=0.01, initial_value=0.0)
    gizmo = HandGizmo(server, hand, pages.may_use)
    return _HandControls(gizmo=gizmo, primary=primary, secondary=secondary, trigger=trigger)


def _add_button(
    server: viser.ViserServer,
    label: str,
    click: ClickButton,
    *,
    color: Literal["gray"] | None = None,
    hint: str | None = None,
) -> None:
    server.gui.add_button(label, color=color, hint=hint).on_click(click.click)
