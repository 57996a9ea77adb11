"""Which effector each hand of the operator commands: the robot's hand at first, its feet when asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from handhold.robots.model import RobotModel

HOLDING_TIME = 0.6
"""Time for which B/Y must be held to take the side's next effector [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectorChoice:
    """The choice of one side.

    Attributes:
        effectors: What the side can command, the hand first.
        index: Which of them it commands now.
        held: How long the button has been held [s]; counted on until it is let go, so that it takes one step only.
    """

    effectors: tuple[int, ...]
    index: int = 0
    held: float = 0.0

    @property
    def effector(self) -> int | None:
        """The effector under command; None where the side has none."""
        return self.effectors[self.index] if self.effectors else None


def list_effectors(model: RobotModel, side: str) -> EffectorChoice:
    """List what the ``"left"`` or ``"right"`` hand can command: that hand of the robot, then the other effectors of its side.

    An effector that is no hand belongs to the side on which it is in the nominal posture (y to the left).
    """
    poses = model.effector_poses(model.q_nominal)
    hand = [e for e, about in enumerate(model.effectors) if about.hand == side]
    feet = [e for e, about in enumerate(model.effectors) if about.is_foot and not about.is_fixed]
    feet = [e for e in feet if (poses[e, 1, 3] >= 0.0) == (side == "left")]
    return EffectorChoice(effectors=(*hand, *feet))


def step_choice(choice: EffectorChoice, *, held: bool, may_change: bool, dt: float) -> EffectorChoice:
    """Advance by one step: the next effector once the button has been held long enough.

    Args:
        choice: The choice so far.
        held: Whether the button is held.
        may_change: Whether the effector under command may be left now (its clutch is open, it is not on its way).
        dt: Length of the step [s].
    """
    if not held:
        return replace(choice, held=0.0) if choice.held > 0.0 else choice
    due = choice.held < HOLDING_TIME <= choice.held + dt
    if due and not may_change:
        return choice
    index = (choice.index + 1) % len(choice.effectors) if due and choice.effectors else choice.index
    return replace(choice, index=index, held=choice.held + dt)
