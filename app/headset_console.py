"""A headset as the operator's device."""

from __future__ import annotations

import time
from typing import cast

from handhold.app.page import Page
from handhold.app.session import SessionConfig
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError, PictureNeeded
from handhold.devices.openxr import OpenXrDevice
from handhold.devices.openxr_session import GraphicsBinding
from handhold.devices.operator_input import OperatorInput
from handhold.render.gl.context import make_context
from handhold.render.headset import Headset
from handhold.render.snapshot import Snapshot

REOPEN_PERIOD = 2.0
"""How often a headset that is gone is asked for again [s]."""


class HeadsetConsole:
    """A headset; one that is lost is asked for again, and until it is back nobody is there."""

    name = "openxr"

    def __init__(self, _page: Page, _config: SessionConfig) -> None:
        """Open the headset, with pictures where the runtime wants them.

        Raises:
            DeviceError: There is no runtime or no headset.
            RenderError: The runtime wants pictures and there is no OpenGL for them.
        """
        self._device = OpenXrDevice(clock=time.monotonic)
        try:
            self._device.open()
        except PictureNeeded:
            graphics = cast("GraphicsBinding", make_context())
            self._device = OpenXrDevice(clock=time.monotonic, graphics=graphics)
            self._device.open()
        self._headset = Headset(self._device)
        self._reopen_at: float | None = None

    def read(self) -> OperatorInput:
        """Return the sample of the headset's next frame."""
        now = time.monotonic()
        try:
            if self._reopen_at is not None and now >= self._reopen_at:
                self._reopen_at = now + REOPEN_PERIOD
                self._device.open()
                self._reopen_at = None
            if self._reopen_at is None:
                self._headset.pump()
                return self._device.read()
        except DeviceError:
            self._device.close()
            self._reopen_at = now + REOPEN_PERIOD
        return OperatorInput(time=now, device="openxr lost", sequence=int(now * 1e3), focused=False)

    def show(self, _snapshot: Snapshot) -> None:
        """Show nothing yet: the page does."""

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse."""
        if self._reopen_at is None:
            self._device.pulse(pulse)

    def close(self) -> None:
        """Leave the headset."""
        self._device.close()
