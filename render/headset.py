"""The headset's frames: what an OpenXR session wants ended, again and again, to be given input.

For now a frame has no layers, and the operator sees the runtime's own empty room.
"""

from __future__ import annotations

from handhold.devices.openxr import OpenXrDevice


class Headset:
    """The frame loop of a device's session, pumped by whoever reads the device."""

    def __init__(self, device: OpenXrDevice) -> None:
        """Remember the device; its session may be opened, lost and opened again."""
        self._device = device

    def pump(self) -> bool:
        """Wait for the headset's next frame and end it.

        Call it before each ``read`` of the device, in the same thread: it paces both at the headset's rate.

        Returns:
            Whether it waited for a frame; otherwise (the session is headless or does not run) the caller paces itself.

        Raises:
            DeviceNotOpen: The device has no session.
            RuntimeLost: The runtime is gone.
        """
        session = self._device.session
        frame = session.wait_frame()
        if frame is not None:
            session.end_frame(frame)
        return frame is not None
