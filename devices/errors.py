"""Errors of the devices package."""


class DeviceError(Exception):
    """An operator's device cannot be used, or is gone."""


class DeviceNotOpen(DeviceError):
    """A device is read before it is opened, or after it is closed."""

    def __init__(self, device: str) -> None:
        self.device = device
        super().__init__(f"the device '{device}' is not open; call open() first")


class RuntimeNotFound(DeviceError):
    """There is no OpenXR runtime, or it does not start."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"no OpenXR runtime starts ({reason.rstrip('.')}); start SteamVR, WiVRn or Monado, or set XR_RUNTIME_JSON to a "
            "runtime's JSON file"
        )


class HeadsetNotFound(DeviceError):
    """The OpenXR runtime runs, and has no headset."""

    def __init__(self, runtime: str, reason: str) -> None:
        self.runtime = runtime
        self.reason = reason
        super().__init__(f"the OpenXR runtime '{runtime}' has no headset ({reason.rstrip('.')}); connect it and switch it on")


class PictureNeeded(DeviceError):
    """The OpenXR runtime lacks what the session's graphics, or their absence, needs."""

    def __init__(self, extensions: tuple[str, ...], headless: bool) -> None:
        self.extensions = extensions
        self.headless = headless
        remedy = "give it an OpenGL context" if headless else "take another OpenGL context (EGL or GLX), or another runtime"
        super().__init__(f"the OpenXR runtime does not offer {', '.join(extensions)}; {remedy}")


class RuntimeLost(DeviceError):
    """The OpenXR runtime or its session is gone in mid-use."""

    def __init__(self, runtime: str, reason: str) -> None:
        self.runtime = runtime
        self.reason = reason
        super().__init__(
            f"the OpenXR runtime '{runtime}' is lost ({reason.rstrip('.')}); see that it runs, then open the device again"
        )


class SessionEnded(DeviceError):
    """The operator, or the runtime, has ended the OpenXR session in order."""

    def __init__(self, runtime: str) -> None:
        self.runtime = runtime
        super().__init__(f"the OpenXR runtime '{runtime}' has ended the session; open the device again to go on")


class RecordingEmpty(DeviceError):
    """A recording to be played has no sample of an operator."""

    def __init__(self) -> None:
        super().__init__("the recording has no sample of an operator; choose one in which an operator was there")
