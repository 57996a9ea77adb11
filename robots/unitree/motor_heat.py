r"""How warm motors of what stands in are, to first order: :math:`T_c \dot T = T_a + r (\tau / \tau_{max})^2 - T`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from handhold.robots.errors import DescriptionError

AMBIENT = 30.0
"""Temperature of motors that have nothing to do, :math:`T_a` [degrees Celsius]."""

RISE, TIME_CONSTANT = 400.0, 600.0
"""What a motor's largest torque would warm it by in the end, r [K], and how long it takes, :math:`T_c` [s].

Ours: a knee that bears a third of what it can is then too hot after half an hour.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInHealth:
    """How what stands in is in the beginning.

    Attributes:
        hot: Temperatures of motors by their joints' names [degrees Celsius]; the others have that of the air.
        voltage: Of its supply [V]; None for one that is nearly full.
    """

    hot: Mapping[str, float] = field(default_factory=dict)
    voltage: float | None = None


class MotorHeat:
    """Temperatures of motors.

    Attributes:
        temperatures: Of all, shape ``(n,)`` [degrees Celsius].
    """

    def __init__(self, joint_names: Sequence[str], hot: Mapping[str, float]) -> None:
        """Begin.

        Args:
            joint_names: Joints of the motors.
            hot: Temperatures of some of them by their names [degrees Celsius].

        Raises:
            DescriptionError: There is no joint of such a name.
        """
        if unknown := [name for name in hot if name not in joint_names]:
            problem = f"no joint '{unknown[0]}' to be hot"
            raise DescriptionError("the model that stands in", "", problem, f"take one of: {', '.join(joint_names)}")
        self.temperatures = np.array([hot.get(name, AMBIENT) for name in joint_names])

    def advance(self, loads: np.ndarray, duration: float) -> None:
        """Let a time [s] pass under torques, as parts of the largest ones, shape ``(n,)`` [-]."""
        final = AMBIENT + RISE * loads**2
        self.temperatures = final + math.exp(-duration / TIME_CONSTANT) * (self.temperatures - final)
