"""What the drives of a robot are like, as its description says and as ``handhold identify`` finds it."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from handhold.robots.tables import Table

NotNegative = Annotated[float, Field(ge=0.0, le=1e4)]
Delay = Annotated[float, Field(ge=0.0, le=0.1)]
Bandwidth = Annotated[float, Field(ge=1.0, le=1e4)]


class Drives(Table):
    """The drives of a robot, by the names of their joints; a joint that is not named has none of it.

    Attributes:
        delay: From a command until it acts, and that is told [s].
        bandwidth: With which torques follow commands, to first order [Hz].
        friction: Coulomb friction [Nm].
        viscous_friction: What grows with the velocity [Nms/rad].
        rotor_inertia: Of the rotors, reflected to the joints [kg m^2].
    """

    delay: Delay = 0.0
    bandwidth: Bandwidth | None = None
    friction: dict[str, NotNegative] = Field(default_factory=dict)
    viscous_friction: dict[str, NotNegative] = Field(default_factory=dict)
    rotor_inertia: dict[str, NotNegative] = Field(default_factory=dict)

    @property
    def lag(self) -> float:
        """How late torques are, the time constant of their own lag included [s]."""
        return self.delay + (0.0 if self.bandwidth is None else 1.0 / (2.0 * math.pi * self.bandwidth))
