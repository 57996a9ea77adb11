"""What can be wrong with a depth camera or a recording of one, each in one line that says what to do."""

from __future__ import annotations

from pathlib import Path

from handhold.perception.errors import PerceptionError


class CameraLibraryMissing(PerceptionError):
    """A library that cameras or pictures need is not installed, or does not load.

    Attributes:
        library: Its name.
        reason: What importing it says.
    """

    def __init__(self, library: str, reason: str) -> None:
        self.library, self.reason = library, reason
        remedy = "pip install 'handhold[camera]'"
        if "libusb" in reason:
            remedy = "install libusb, for example: apt-get install libusb-1.0-0"
        super().__init__(f"{library} cannot be loaded ({reason.rstrip('.')}): {remedy}")


class CameraAbsent(PerceptionError):
    """There is no camera at the moment, and there may be one later: opening it again is worth a try."""


class NoCamera(CameraAbsent):
    """No depth camera is connected, or not the one that was asked for.

    Attributes:
        serial: Serial number that was asked for; None for any.
        connected: Titles of those that are connected.
    """

    def __init__(self, serial: str | None = None, connected: tuple[str, ...] = ()) -> None:
        self.serial, self.connected = serial, connected
        if serial is None or not connected:
            wanted = "depth camera" if serial is None else f"depth camera with serial number {serial}"
            super().__init__(f"no {wanted} is connected: connect an Intel RealSense by USB 3")
        else:
            there = ", ".join(connected)
            super().__init__(f"no depth camera with serial number {serial} is connected: connect it, or choose one of {there}")


class CameraBusy(CameraAbsent):
    """Another program uses the camera."""

    def __init__(self, title: str) -> None:
        self.title = title
        super().__init__(f"{title} is used by another program: close that (realsense-viewer, a camera app), or reconnect it")


class CameraLost(CameraAbsent):
    """A camera that was in use is gone, or sends nothing any more.

    Attributes:
        title: Of the camera.
        reason: What is missing.
    """

    def __init__(self, title: str, reason: str) -> None:
        self.title, self.reason = title, reason
        super().__init__(f"{title} is lost ({reason.rstrip('.')}): see to its cable, and connect it again")


class CameraForbidden(PerceptionError):
    """The user may not open the camera."""

    def __init__(self, title: str) -> None:
        self.title = title
        super().__init__(
            f"{title} may not be opened by this user: install librealsense's udev rules (99-realsense-libusb.rules in "
            "/etc/udev/rules.d), then connect it again"
        )


class FirmwareUnfit(PerceptionError):
    """The camera's firmware is too old for the library, or its update was never finished.

    Attributes:
        title: Of the camera.
        found: Version of its firmware, or what state it is in.
        needed: Version that is needed; empty where it is not known.
    """

    def __init__(self, title: str, found: str, needed: str = "") -> None:
        self.title, self.found, self.needed = title, found, needed
        wanted = f" to {needed} or later" if needed else ""
        super().__init__(
            f"the firmware of {title} is unfit ({found}): update it{wanted} with realsense-viewer or rs-fw-update"
        )


class StreamRefused(PerceptionError):
    """The camera does not offer the streams that are needed.

    Attributes:
        title: Of the camera.
        wanted: The streams, in words.
        connection: How it is connected; empty where that is not known.
    """

    def __init__(self, title: str, wanted: str, connection: str = "") -> None:
        self.title, self.wanted, self.connection = title, wanted, connection
        by = f" by USB {connection}" if connection else ""
        super().__init__(f"{title} does not offer {wanted}{by}: connect it to a USB 3 port, with a USB 3 cable")


class StreamSize(PerceptionError):
    """Frames are of another size than their stream says.

    Attributes:
        found: Size that came, in words.
        expected: Size that was expected, in words.
    """

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(f"a frame of {found}, where {expected} is expected: open the camera or the recording anew")


class CameraFailed(PerceptionError):
    """The camera's library refuses for a reason that is not known here.

    Attributes:
        title: Of the camera.
        reason: What the library says.
    """

    def __init__(self, title: str, reason: str) -> None:
        self.title, self.reason = title, reason
        super().__init__(f"{title} cannot be used ({reason.rstrip('.')}): disconnect it, connect it again, and retry")


class RecordingUnreadable(PerceptionError):
    """A recording cannot be read, or only a part of it.

    Attributes:
        path: Of the recording.
        reason: Why.
    """

    def __init__(self, path: Path, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"the recording {path} cannot be read ({reason.rstrip('.')}): choose another, or record it again")


class RecordingEnded(PerceptionError):
    """A recording has been played to its end.

    Attributes:
        path: Of the recording.
        frames: How many depth images it gave.
    """

    def __init__(self, path: Path, frames: int) -> None:
        self.path, self.frames = path, frames
        super().__init__(f"the recording {path} has ended after {frames} depth images: open it again to play it anew")


class RecordingNotWritten(PerceptionError):
    """A recording cannot be written.

    Attributes:
        path: Of the recording.
        reason: Why.
    """

    def __init__(self, path: Path, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"the recording {path} cannot be written ({reason.rstrip('.')}): choose another .db3 file")
