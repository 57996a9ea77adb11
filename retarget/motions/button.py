"""One button with two meanings: pressed for a moment, and held."""

from __future__ import annotations

from enum import Enum

from handhold.retarget.command import OperatorCommand

HOLDING = 0.6
"""Time for which B or Y is held to mean the other thing [s], as everywhere in the operator's interface."""


class Press(Enum):
    """What the button was just read as."""

    NOTHING = "nothing"
    DOWN = "down"
    SHORT = "short"
    HELD = "held"


class HeldButton:
    """Reads B and Y, of either hand, as one button."""

    def __init__(self) -> None:
        self._since: float | None = None

    def read(self, command: OperatorCommand, dt: float) -> Press:
        """Take the operator's command of a cycle of ``dt`` [s]."""
        hands = (command.left, command.right)
        if any(hand.secondary_pressed for hand in hands) and self._since is None:
            self._since = 0.0
            return Press.DOWN
        if self._since is None:
            return Press.NOTHING
        if not any(hand.secondary_held for hand in hands):
            # What was held for long has been handled already.
            short, self._since = self._since < HOLDING, None
            return Press.SHORT if short else Press.NOTHING
        before, self._since = self._since, self._since + dt
        return Press.HELD if before < HOLDING <= self._since else Press.NOTHING
