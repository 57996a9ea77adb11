"""The protocol every operator device follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from handhold.devices.operator_input import OperatorInput
from handhold.devices.operator_sample import OperatorSample

SampleT_co = TypeVar("SampleT_co", OperatorSample, OperatorInput, covariant=True)
"""What a device tells: poses in the operator's room (a headset), or in world (a page, a recording)."""


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


class OperatorDevice(Protocol[SampleT_co]):
    """A device an operator drives the robot with; ``app/station/console.py`` says who shows its operator the robot."""

    name: str

    def open(self) -> None:
        """Connect to the device.

        Raises:
            DeviceError: It is not there, with the remedy.
        """
        ...

    def read(self) -> SampleT_co:
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
