"""How far a simulated robot is from its model."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.app.errors import AppError
from handhold.robots.simulation.imperfection import LEVELS


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """What of a simulated robot its model does not know.

    Attributes:
        imperfect: Level of its imperfections, one of ``LEVELS``; 0 for none.
        payload: Mass in one of its hands [kg].

    Raises:
        AppError: There is no level of that number.
    """

    imperfect: int = 0
    payload: float = 0.0

    def __post_init__(self) -> None:
        """Check the level."""
        if self.imperfect not in (0, *LEVELS):
            levels = ", ".join(str(level) for level in (0, *LEVELS))
            raise AppError(f"no level of imperfection {self.imperfect}; take one of {levels}")


NO_DEVIATION = Deviation()
