"""Which mode is in charge, and when everything stops."""

from __future__ import annotations

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import Mode
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

MOST_FAILURES = 50
"""Quadratic programs of the retargeting without a solution in a row that make the robot hold."""


class Switcher:
    """Passes each cycle to the mode in charge and makes it hold when it must.

    Attributes:
        mode: Mode in charge.
        holding: Why the robot holds though motion may be commanded; empty while nothing is wrong. What the operator can do
            about a stop or a lost link stands in the command's own messages.
    """

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.holding = ""
        # Set by too many failures in a row, until nothing is commanded any more.
        self._exhausted = False

    def enter(self, state: RobotState) -> Reference:
        """Let the mode take charge (see ``Mode.enter``)."""
        return self.mode.enter(state)

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, *, fault: str = ""
    ) -> Reference:
        """Return the reference of this cycle; a ``fault`` of the robot, in words, makes it hold."""
        commanded = _commands_motion(command)
        self._exhausted = commanded and (self._exhausted or self.mode.failures_in_a_row >= MOST_FAILURES)
        self.holding = fault or self._find_reason_to_hold(command) or self.mode.hold_reason
        # Whatever was lost, let go or stopped: nothing moves before the operator commands a motion again.
        hold = bool(self.holding) or not (commanded or self.mode.busy)
        return self.mode.update(command, state, surfaces, dt, hold=hold)

    def _find_reason_to_hold(self, command: OperatorCommand) -> str:
        if command.stop:
            return f"stopped by the operator: {command.stop}"
        if command.speed <= 0.0:
            return "operator lost"
        if self._exhausted:
            return "no feasible motion found: release and squeeze again"
        return ""


def _commands_motion(command: OperatorCommand) -> bool:
    """Whether a clutch is closed or a stick is pushed."""
    return command.left.engaged or command.right.engaged or bool(command.com_velocity.any()) or command.yaw_rate != 0.0
