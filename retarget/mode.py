"""A mode of teleoperation: from what the operator commands to what the robot should track."""

from __future__ import annotations

from typing import Protocol

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState


class Mode(Protocol):
    """One way to drive the robot.

    Attributes:
        name: Name for the switcher, logs and the operator.
        title: Name for people.
        failures: Quadratic programs of the retargeting without a solution so far.
        failures_in_a_row: How many of them since the last that had one, or since the robot was last held at rest.
        active: Names of the constraints that hold the reference back now.
    """

    name: str
    title: str
    failures: int
    failures_in_a_row: int
    active: tuple[str, ...]

    def enter(self, state: RobotState) -> Reference:
        """Take charge; the first reference is the robot's present posture, so that nothing jumps.

        Raises:
            RetargetError: The mode cannot begin here, with what would mend it.
        """
        ...

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Return the reference of this control period; with ``hold`` the robot comes to rest and stays."""
        ...
