"""Which connected camera is which of a robot's: ``live``, or ``live:head=1234567890,chest=0987654321`` by serial numbers."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.app.errors import AppError

LIVE = "live"
PREFIX = f"{LIVE}:"


class BadAssignment(AppError):
    """What follows ``live:`` names no cameras and serial numbers.

    Attributes:
        text: What was given.
    """

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        super().__init__(f"'{text}': {reason}; give {PREFIX}NAME=SERIAL,NAME=SERIAL with the names of the robot's [[cameras]]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectedCamera:
    """A camera of a robot that is a connected one.

    Attributes:
        name: Name in the robot's description; empty for its first camera.
        serial: Serial number of the device; None for the first one found.
    """

    name: str
    serial: str | None


def is_live(camera: str) -> bool:
    """Whether a choice of cameras means those that are connected."""
    return camera == LIVE or camera.startswith(PREFIX)


def parse_connected(camera: str) -> tuple[ConnectedCamera, ...]:
    """Return what a choice for which ``is_live`` holds assigns.

    Raises:
        BadAssignment: It is malformed, or names a camera or a serial number twice.
    """
    if camera == LIVE:
        return (ConnectedCamera(name="", serial=None),)
    pairs = [part.partition("=") for part in camera.removeprefix(PREFIX).split(",")]
    if not all(name.strip() and serial.strip() for name, _, serial in pairs):
        raise BadAssignment(camera, "a name or a serial number is missing")
    found = tuple(ConnectedCamera(name=name.strip(), serial=serial.strip()) for name, _, serial in pairs)
    for values in ([one.name for one in found], [one.serial for one in found]):
        if len(set(values)) < len(values):
            raise BadAssignment(camera, "a name or a serial number is there twice")
    return found
