"""What the operator is told of pulls that are more than the robot balances."""

from __future__ import annotations

import math
from collections.abc import Iterator

from handhold.retarget.bracing.seiko.external_forces import ExternalForces
from handhold.retarget.timed_messages import say_name
from handhold.robots.model import RobotModel

UNBALANCED, UNBALANCED_TIME = 5.0, 0.3
"""Force from which on the operator is told that it is not balanced [N], once it has lasted so long [s]: what is balanced
follows what is measured at a rate."""


class Unbalanced:
    """Follows how much of the pull on each effector or touch point is not balanced, and for how long."""

    def __init__(self, model: RobotModel) -> None:
        """Begin with nothing pulled."""
        self._names = [say_name(name) for name in model.touched_names]
        # Of each that is pulled too hard: by how much [N], and for how long [s].
        self._excesses: dict[int, tuple[float, float]] = {}

    def update(self, external: ExternalForces, dt: float) -> None:
        """Take in what is measured and balanced now, ``dt`` [s] after the last time."""
        before, self._excesses = self._excesses, {}
        for pulled, measured, missing in zip(external.pushed, external.measured, external.missing, strict=True):
            pull = math.sqrt(float(measured.dot(measured)))
            excess = float(missing.dot(measured)) / pull if pull > 0.0 else 0.0
            if excess > UNBALANCED:
                self._excesses[pulled] = excess, before.get(pulled, (0.0, 0.0))[1] + dt

    @property
    def messages(self) -> Iterator[str]:
        """What the operator should know."""
        for pulled, (excess, lasted) in self._excesses.items():
            if lasted > UNBALANCED_TIME:
                yield f"the {self._names[pulled]} is pulled by {excess:.0f} N more than can be balanced"
