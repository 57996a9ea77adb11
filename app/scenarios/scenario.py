"""What a scenario is: a script of the operator, a world, a duration, and what its run must show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from handhold.app.figures import Figure
from handhold.app.scenarios.trace import Trace
from handhold.devices.operator_input import OperatorInput
from handhold.robots.model import RobotModel

OPERATOR_RATE = 90.0
"""Samples of the scripted operator [Hz], as a headset's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario.

    Attributes:
        name: Name on the command line.
        title: What happens, in a line for people.
        world: World the robot stands in.
        duration: Simulated time [s].
        script: Makes the operator's script for a robot, from the hands' first poses, shape ``(effectors, 4, 4)``, and a
            random generator: the operator's input at each time.
        measure: Turns the run into figures.
    """

    name: str
    title: str
    world: str
    duration: float
    script: Callable[[RobotModel, np.ndarray, np.random.Generator], Callable[[float], OperatorInput]]
    measure: Callable[[RobotModel, Trace], Sequence[Figure]]
