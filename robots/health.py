"""How a robot is that tells more of itself than its motion: warm motors, its supply, drives that tell nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotHealth:
    """How a robot is now.

    Attributes:
        hottest: What people call its hottest motor.
        temperature: Of that motor [degrees Celsius].
        voltage: Of the supply [V]; None where no motor tells it.
        silent: What people call the motors that tell nothing, or no numbers.
    """

    hottest: str
    temperature: float
    voltage: float | None
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLimits:
    """What a kind of robot stands.

    Attributes:
        warm: Temperature of a motor from which on it is warned of [degrees Celsius].
        hot: That from which on the robot is to rest, likewise.
        cooling: By how much it is to cool before it is warned of no more [K].
        low: Voltage of the supply below which it is warned of [V].
        empty: That below which the robot is to rest [V].
        charging: By how much it is to rise before it is warned of no more [V].
    """

    warm: float
    hot: float
    cooling: float
    low: float
    empty: float
    charging: float
