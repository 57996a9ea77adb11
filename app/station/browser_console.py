"""The browser as the operator's device."""

from __future__ import annotations

import time

import numpy as np

from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.station.console import TakeInput
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.browser.words import Choice, ControlWords, HandWords
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import OperatorInput
from handhold.render.interface.placement import compute_base_pose, find_heading
from handhold.render.interface.wheel import list_modes
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.render.streams import CameraViews
from handhold.retarget.mode_profile import ModeProfile, find_profile
from handhold.retarget.mode_report import ContactState, Grip


class BrowserConsole:
    """Hands dragged on the page."""

    name = "browser"
    description = "hands dragged on the page"
    stop_control = "the stop bar of the page, or the space bar on it"
    paced = False

    def __init__(self, page: Page, _config: SessionConfig) -> None:
        self._device = BrowserDevice(page.server, page.server.pages, time.monotonic)
        self._device.open()

    def read(self, _take_interim: TakeInput | None = None) -> OperatorInput:
        """Return the present sample."""
        return self._device.read()

    def show_views(self, _views: CameraViews) -> None:
        """Show nothing: the page does."""

    def show(self, snapshot: Snapshot) -> None:
        """Put the gizmos where the robot's hands are, and offer modes and what can be switched in the wheel's words."""
        heading = find_heading(compute_base_pose(snapshot.q))
        self._device.place(snapshot.left.target, snapshot.right.target, snapshot.stop, heading)
        walking = {f"mode:{offer.name}" for offer in snapshot.modes if offer.profile.walks}
        modes = {
            item.action: Choice(title=item.title, present=item.present, reason=item.reason, walks=item.action in walking)
            for item in list_modes(snapshot.modes, snapshot.mode)
        }
        switches = {f"switch:{one.name}": Choice(title=one.title, present=one.on) for one in snapshot.report.toggles}
        self._device.offer(modes, switches, choose_words(snapshot))

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse."""
        self._device.pulse(pulse)

    def close(self) -> None:
        """Take the hands off the page."""
        self._device.close()


_GRIP_WORDS = {Grip.NONE: "", Grip.OPEN: "Close", Grip.CLOSED: "Open", Grip.HOLDING: "Drop"}
"""What the button of a gripper says, by what the gripper does."""


def choose_words(snapshot: Snapshot) -> ControlWords:
    """Return what the controls of the page do now, by the same words as the hints at the controllers."""
    profile = find_profile(snapshot.modes, snapshot.mode)
    hints = profile.hints
    turns, rises = "turn" in hints.right_stick, "height" in hints.right_stick
    return ControlWords(
        left=_name_buttons(profile, snapshot.left),
        right=_name_buttons(profile, snapshot.right),
        left_stick=hints.left_stick.capitalize(),
        right_stick="Turn" if turns else "",
        height="Height" if rises else "",
    )


def _name_buttons(profile: ModeProfile, status: HandStatus) -> HandWords | None:
    """Return what the buttons of a hand do: a hand that bears, or is on its way to a surface, is let go.

    What the secondary button asks for where the mode does not read it has a button of its own on the page.
    """
    if not np.isfinite(status.target).all():
        return None
    hints = profile.hints
    own = "" if profile.secondary_request else hints.secondary
    in_contact = status.contact is not ContactState.FREE
    return HandWords(
        primary=("Let go" if in_contact else "Lean on") if hints.primary else "",
        secondary="Preview" if hints.primary else own.split(";")[0].capitalize(),
        trigger="Push" if hints.trigger else "",
        grip=_GRIP_WORDS[status.grip] if status.contact in (ContactState.FREE, ContactState.TOUCHING) else "",
        grip_opens=status.grip in (Grip.CLOSED, Grip.HOLDING),
    )
