"""How far a simulated robot is from its model."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.app.errors import AppError
from handhold.robots.simulation.imperfection import LEVELS

IDEAL, REAL = SENSORS = ("ideal", "real")
"""Whether a simulated robot is told where its base is, or estimates that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """What of a simulated robot its model does not know.

    Attributes:
        imperfect: Level of its imperfections, one of ``LEVELS``; 0 for none.
        payload: Mass in one of its hands [kg].
        sensors: ``"ideal"``, it is told where its base is; ``"real"``, it estimates that by what it carries.

    Raises:
        AppError: There is no level of that number, or there are no such sensors.
    """

    imperfect: int = 0
    payload: float = 0.0
    sensors: str = IDEAL

    def __post_init__(self) -> None:
        """Check the level and the sensors."""
        if self.imperfect not in (0, *LEVELS):
            levels = ", ".join(str(level) for level in (0, *LEVELS))
            raise AppError(f"no level of imperfection {self.imperfect}; take one of {levels}")
        if self.sensors not in SENSORS:
            raise AppError(f"no sensors '{self.sensors}'; take one of {', '.join(SENSORS)}")


NO_DEVIATION = Deviation()
