"""Errors of suits and of recordings of people."""

from __future__ import annotations

from handhold.devices.errors import DeviceError


class DatagramRefused(DeviceError):
    """A datagram does not keep to the protocol, or tells of no person.

    Attributes:
        reason: Which of a few words it is counted under, such as ``"size"`` or ``"quaternion"``.
    """

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(f"a datagram was refused ({reason}): {detail}")


class PortUnavailable(DeviceError):
    """The port on which a suit is to be heard cannot be had."""

    def __init__(self, address: str, port: int, reason: str) -> None:
        self.address = address
        self.port = port
        super().__init__(
            f"port {port} of {address} cannot be listened on ({reason}); end what else listens there, or take another --port "
            "and set the same in MVN's network streamer"
        )


class SuitUnreachable(DeviceError):
    """Nobody answers where a suit's stream is to come from, or to go to."""

    def __init__(self, address: str, port: int, reason: str) -> None:
        self.address = address
        self.port = port
        super().__init__(f"nothing answers at port {port} of {address} ({reason}); start it there first")


class SuitMissing(DeviceError):
    """What a suit needs is not installed, or not connected."""


class RecordingUnreadable(DeviceError):
    """A file is no recording of a person, or one that cannot be played.

    Attributes:
        file: Its name.
    """

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        self.reason = reason
        super().__init__(f"{file}: {reason}")
