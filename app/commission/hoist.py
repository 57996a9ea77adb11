"""What lowers a robot onto its soles and takes its weight again: people, or, of one that stands in, a hoist that obeys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from handhold.app.stand_in.hoist import StandInHoist
from handhold.robots.unitree.unitree_robot import PERIOD

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


class ObedientHoist:
    """That of a robot that stands in (see ``Hoist``)."""

    def __init__(self, hoist: StandInHoist) -> None:
        self._hoist = hoist

    def lower(self, keep: Callable[[], None]) -> None:
        """Lower the robot onto its soles, and let it go."""
        self._hoist.begin_lowering()
        self._wait(keep)
        for _ in range(round(LETTING_GO / PERIOD)):
            keep()

    def lift(self, keep: Callable[[], None]) -> None:
        """Hold the robot, and lift it."""
        self._hoist.begin_lift()
        self._wait(keep)

    def _wait(self, keep: Callable[[], None]) -> None:
        while self._hoist.moves:
            self._hoist.step()
            keep()
