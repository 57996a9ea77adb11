"""One kind of robot of Unitree, as its protocol has it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.health import HealthLimits


class MessageKind(StrEnum):
    """Which messages a robot speaks; the values are the maker's library's own names."""

    HUMANOID = "HG"
    GO2 = "GO2"


@dataclass(frozen=True, slots=True, kw_only=True)
class MakersRobot:
    """What is to be known of a kind of robot to speak with it.

    Attributes:
        messages: Which messages it speaks.
        motors: Joint of each motor of a message, in the maker's order; None where no motor is.
        unit: Where its inertial unit is.
        health: What its motors and its supply stand.
        full: Voltage of its supply when that is nearly full [V].
    """

    messages: MessageKind
    motors: tuple[str | None, ...]
    unit: UnitMount
    health: HealthLimits
    full: float

    @property
    def joints(self) -> tuple[str, ...]:
        """Its joints, in the maker's order."""
        return tuple(joint for joint in self.motors if joint is not None)

    @property
    def tells_voltage(self) -> bool:
        """Whether its motors tell the voltage of their supply: the library passes none of a Go2's messages on."""
        return self.messages is MessageKind.HUMANOID


def make_health_limits(cells: int) -> HealthLimits:
    """Return the limits of a robot whose battery has as many cells in series.

    Unitree's own checks of a running G1 (unitree_sdk2, ``unitree/robot/g1``) take a motor for too hot at 85 degrees of its
    casing and 120 of its winding, and ask for passive motors then; which of both the Python library passes on it does not say,
    so the lower one counts. The warning, and the voltages of a cell, are ours: a lithium cell has less than a fifth of its
    charge left below 3.5 V under load, where Unitree's checks warn, and goes down fast below 3.3 V.
    """
    return HealthLimits(warm=75.0, hot=85.0, cooling=5.0, low=3.5 * cells, empty=3.3 * cells, charging=1.0)
