"""The protocol every operator device follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from handhold.devices.operator_input import OperatorInput


@dataclass(frozen=True, slots=True, kw_only=True)
class HapticPulse:
    """A pulse the operator feels in one hand.

    Attributes:
        hand: ``"left"`` or ``"right"``.
        amplitude: 0 to 1.
        duration: Length [s].
        frequency: Frequency [Hz]; 0 leaves it to the device.
    """

    hand: str
    amplitude: float
    duration: float
    frequency: float = 0.0


class OperatorDevice(Protocol):
    """A device an operator drives the robot with."""

    name: str

    def open(self) -> None:
        """Connect to the device.

        Raises:
            DeviceError: It is not there, with the remedy.
        """
        ...

    def read(self) -> OperatorInput:
        """Return the present sample, without waiting for a new one.

        Raises:
            DeviceError: The device is gone.
        """
        ...

    def pulse(self, pulse: HapticPulse) -> None:
        """Let the operator feel a pulse; a device without haptics does nothing."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...
