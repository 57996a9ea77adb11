"""The protocol every suit follows."""

from __future__ import annotations

from typing import Protocol

from handhold.devices.tracked_human import TrackedHuman


class Suit(Protocol):
    """What tracks a person's limbs; worn besides the device that the operator sees and presses buttons by.

    Attributes:
        name: Name of the suit.
    """

    name: str

    def open(self) -> None:
        """Connect to the suit.

        Raises:
            DeviceError: It is not there, with the remedy.
        """
        ...

    def read(self) -> TrackedHuman | None:
        """Return the newest sample, without waiting for one; None before the first.

        Raises:
            DeviceError: The suit is gone.
        """
        ...

    def close(self) -> None:
        """Let go of the suit."""
        ...
