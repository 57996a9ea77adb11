"""The hoist of a robot that stands in: it lowers the robot onto its soles and lets go, or takes it and lifts it."""

from __future__ import annotations

from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD

SPEED = 0.05
"""How fast it lowers and lifts [m/s]."""


class StandInHoist:
    """It moves as long as it is stepped."""

    def __init__(self, body: StandInBody, height: float) -> None:
        """Take the hoist of a robot whose soles hang at a height [m]."""
        self._body, self._height = body, height
        self._left = 0.0

    @property
    def moves(self) -> bool:
        """Whether it is on its way."""
        return self._left != 0.0

    def begin_lowering(self) -> None:
        """Begin to lower the robot, and to let it go then."""
        self._left = -self._height

    def begin_lift(self) -> None:
        """Take the robot where it is, and begin to lift it."""
        self._body.hang_up()
        self._left = self._height

    def step(self) -> None:
        """Go on for a period."""
        if not self._left:
            return
        step = min(abs(self._left), SPEED * PERIOD)
        shift = step if self._left > 0.0 else -step
        self._body.raise_hoist(shift)
        self._left = self._left - shift
        if shift < 0.0 and not self._left:
            self._body.hangs = False
