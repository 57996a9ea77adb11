"""How far a simulated robot is from its model."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.app.errors import AppError
from handhold.app.session.config import IDEAL, SIMULATED_BODY, UNITREE, check_sensors
from handhold.robots.robot import CONTROL_PERIOD
from handhold.robots.simulation.imperfection import LEVELS
from handhold.robots.unitree.stand_in_motors import MotorFlaws
from handhold.robots.unitree.unitree_robot import PERIOD

SIMULATED, STAND_IN = SIMULATED_BODY, "stand-in"
BODIES = (SIMULATED, STAND_IN, UNITREE)
"""Whether a robot is our own model of it, or somebody else's that is driven by its maker's protocol: in lockstep, or in real
processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """What of a simulated robot its model does not know.

    Attributes:
        imperfect: Level of its imperfections, one of ``LEVELS``; 0 for none.
        payload: Mass in one of its hands [kg].
        sensors: ``"ideal"``, it is told where its base is; ``"real"``, it estimates that by what it carries.
        body: ``"simulated"``, it is our own model of it; ``"stand-in"``, somebody else's behind its maker's protocol, with
            flaws and sensors of its own.
        motors: Flaws of the motors of what stands in; None for its own.

    Raises:
        AppError: There is no level of that number, there are no such sensors, no such body, or a body of its own has other
            deviations besides.
    """

    imperfect: int = 0
    payload: float = 0.0
    sensors: str = IDEAL
    body: str = SIMULATED
    motors: MotorFlaws | None = None

    def __post_init__(self) -> None:
        """Check the level and the sensors."""
        if self.imperfect not in (0, *LEVELS):
            levels = ", ".join(str(level) for level in (0, *LEVELS))
            raise AppError(f"no level of imperfection {self.imperfect}; take one of {levels}")
        check_sensors(self.sensors)
        if self.body not in BODIES:
            raise AppError(f"no body '{self.body}'; take one of {', '.join(BODIES)}")
        if self.body != SIMULATED and (self.imperfect or self.payload or self.sensors != IDEAL):
            raise AppError("what stands in has flaws and sensors of its own; leave --imperfect, --payload and --sensors out")
        if self.body == SIMULATED and self.motors is not None:
            raise AppError("a simulated robot's motors are flawed by --imperfect; leave --motors out")

    @property
    def period(self) -> float:
        """Control period at which such a robot is driven [s]."""
        return CONTROL_PERIOD if self.body == SIMULATED else PERIOD


NO_DEVIATION = Deviation()
