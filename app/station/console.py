"""The operator's devices by name, each with what shows him the robot: the one table of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from handhold.app.errors import AppError
from handhold.app.extras import ExtraMissing, find_missing_extra
from handhold.app.session.config import SessionConfig
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError, HeadsetNotFound, RuntimeNotFound
from handhold.devices.operator_input import OperatorInput
from handhold.render.errors import RenderError
from handhold.render.snapshot import Snapshot
from handhold.render.streams import CameraViews

if TYPE_CHECKING:
    from handhold.app.page.page import Page

CONSOLES = {
    "openxr": ("handhold.app.station.headset_console", "HeadsetConsole"),
    "browser": ("handhold.app.station.browser_console", "BrowserConsole"),
    "replay": ("handhold.app.station.replay_console", "ReplayConsole"),
}
"""Devices by name: the module (imported only when asked for) and the class."""

TakeInput = Callable[[OperatorInput], None]


class UnknownDevice(AppError):
    """A device is asked for that Handhold does not have."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no device '{name}'; take one of: {', '.join(known_devices())}")


class LogNeeded(AppError):
    """A recorded operator is asked for, and no recording is named."""

    def __init__(self) -> None:
        super().__init__("the device 'replay' needs a log: name it with --play LOG")


class Console(Protocol):
    """A device, paced, and what it shows.

    Attributes:
        name: Its name on the command line.
        description: What it is, in words.
        stop_control: What stops the robot, in words.
        paced: Whether the last ``read`` has waited for the device's own next frame.
    """

    name: str
    stop_control: str

    @property
    def description(self) -> str:  # noqa: D102
        ...

    @property
    def paced(self) -> bool:  # noqa: D102
        ...

    def read(self, take_interim: TakeInput | None = None) -> OperatorInput:
        """Return the present sample; may wait for the device's next frame.

        Args:
            take_interim: Takes the samples that come while something else is done that takes its time; None to leave them out.
        """
        ...

    def show(self, snapshot: Snapshot, /) -> None:
        """Let the device follow the robot."""
        ...

    def show_views(self, views: CameraViews, /) -> None:
        """Let the device show what the robot's cameras see, where it shows anything."""
        ...

    def pulse(self, pulse: HapticPulse, /) -> None:
        """Let the operator feel a pulse."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


def known_devices() -> tuple[str, ...]:
    """Return the names of the devices, as on the command line."""
    return ("auto", *CONSOLES)


def open_console(
    page: Page, config: SessionConfig, say: Callable[[str], None], consoles: Mapping[str, tuple[str, str]] = CONSOLES
) -> Console:
    """Open the device of a session; ``auto`` takes a headset where there is one and the browser where not.

    Args:
        page: The page of the session.
        config: What it was asked for; its device is one of the consoles.
        say: Tells people something.
        consoles: Devices by name, as ``CONSOLES``.

    Raises:
        UnknownDevice: No device has this name.
        DeviceError: The device named is not there, with what mends that.
        ExtraMissing: What it needs is not installed.
    """
    return _open_what_is_there(page, config, say) if config.device == "auto" else _open(config.device, page, config, consoles)


def _open_what_is_there(page: Page, config: SessionConfig, say: Callable[[str], None]) -> Console:
    try:
        return _open("openxr", page, config)
    except (RuntimeNotFound, HeadsetNotFound, ExtraMissing):
        # no fault where the page serves; 'handhold doctor' and --device openxr tell what is missing
        say("station: no headset found: drive from the page")
    except (DeviceError, RenderError) as error:
        say(f"station: the headset cannot be used ({error}): drive from the page")
    return _open("browser", page, config)


def _open(name: str, page: Page, config: SessionConfig, consoles: Mapping[str, tuple[str, str]] = CONSOLES) -> Console:
    if name not in consoles:
        raise UnknownDevice(name)
    module, kind = consoles[name]
    try:
        console: Callable[[Page, SessionConfig], Console] = getattr(import_module(module), kind)
    except ModuleNotFoundError as error:
        if missing := find_missing_extra(error):
            raise missing from None
        raise
    return console(page, config)
