"""What tells one command from the maker's library's repetition of the last one: a hold is one posture for long."""

from __future__ import annotations

from dataclasses import replace

from handhold.robots.robot import JointCommand

BEAT = 1e-4
"""Torque by which the first motor's differs from command to command [Nm]: more than the protocol's rounding."""


class Beat:
    """Makes no two commands alike, one after the other."""

    def __init__(self) -> None:
        self._torque = BEAT

    def mark(self, command: JointCommand) -> JointCommand:
        """Return a command that differs from the one before."""
        self._torque = -self._torque
        torques = command.torques.copy()
        torques[0] += self._torque
        return replace(command, torques=torques)
