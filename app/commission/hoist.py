"""What lowers a robot onto its soles and takes its weight again: people, or, of one that stands in, a hoist that obeys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from handhold.robots.unitree.stand_in_body import StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD

SPEED = 0.05
"""How fast it lowers and lifts [m/s]."""

LETTING_GO = 1.5
"""How long it takes until a robot bears itself [s]."""


class Hoist(Protocol):
    """A hoist; somebody keeps the robot meanwhile, period by period."""

    def lower(self, keep: Callable[[], None]) -> None:
        """Lower the robot until its soles bear it."""
        ...

    def lift(self, keep: Callable[[], None]) -> None:
        """Take its weight again."""
        ...


class PeoplesHoist:
    """People do it when they are asked (see ``Hoist``): they have said so."""

    def lower(self, keep: Callable[[], None]) -> None:
        """It has been lowered."""

    def lift(self, keep: Callable[[], None]) -> None:
        """It has been lifted."""


class StandInHoist:
    """That of a robot that stands in (see ``Hoist``)."""

    def __init__(self, body: StandInBody, height: float) -> None:
        """Take the hoist of a robot whose soles hang at a height [m]."""
        self._body, self._height = body, height

    def lower(self, keep: Callable[[], None]) -> None:
        """Lower the robot onto its soles, and let it go."""
        self._move(-self._height, keep)
        self._body.hangs = False
        for _ in range(round(LETTING_GO / PERIOD)):
            keep()

    def lift(self, keep: Callable[[], None]) -> None:
        """Hold the robot, and lift it."""
        self._body.hang_up()
        self._move(self._height, keep)

    def _move(self, height: float, keep: Callable[[], None]) -> None:
        count = round(abs(height) / SPEED / PERIOD)
        for _ in range(count):
            self._body.raise_hoist(height / count)
            keep()
