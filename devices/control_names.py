"""What a hand's controls are called, for people: by the controller that is really bound to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNames:
    """Names of one hand's controls; what is empty the hand does not have.

    Attributes:
        device: What the operator holds: ``"Touch Plus"``, ``"tracked hand"``; empty while nothing is there.
        held: Whether the hand holds it: a tracked hand holds nothing.
        squeeze: The clutch.
        trigger: What pushes, and chooses on the wheel.
        stick: What is pushed to the sides.
        primary: What is written on A or X.
        secondary: What is written on B or Y.
        menu: What opens the wheel.
        stop_with_both: What both hands do to stop, as an instruction: ``"click both sticks"``.
        stop_with_one: What one of them does of it, as an instruction: ``"click the stick"``.
        stop_held: What stops while the other hand is not tracked, as a condition: ``"stick held down"``.
        may_resume: Whether what both hands did to stop ends the stop when it is done again: only where it is not done by
            accident, as a click is not.
    """

    device: str = ""
    held: bool = True
    squeeze: str = "squeeze"
    trigger: str = "trigger"
    stick: str = "stick"
    primary: str = ""
    secondary: str = ""
    menu: str = ""
    stop_with_both: str = "click both sticks"
    stop_with_one: str = "click the stick"
    stop_held: str = "stick held down"
    may_resume: bool = True

    @property
    def trigger_is_squeeze(self) -> bool:
        """Whether one thing is both: a pinch, of a hand that holds nothing."""
        return bool(self.trigger) and self.trigger == self.squeeze

    @property
    def opens_wheel(self) -> str:
        """What opens the wheel: the menu button, or what stops a hand that is alone, held while the other is tracked."""
        by_stop = "" if self.menu and self.menu in self.stop_held else self.stop_held
        return ", or ".join(control for control in (self.menu, by_stop) if control)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsControlNames:
    """Names of both hands' controls; before anything is known, those that most controllers have.

    Attributes:
        left: Of the left hand.
        right: Of the right hand.
    """

    left: ControlNames = ControlNames(primary="X", secondary="Y", menu="menu")
    right: ControlNames = ControlNames(primary="A", secondary="B", menu="menu")

    def of(self, hand: str) -> ControlNames:
        """Return the names of a hand's (``"left"`` or ``"right"``) controls."""
        return self.left if hand == "left" else self.right

    @property
    def stop_with_both(self) -> str:
        """What both hands do to stop, as an instruction."""
        left, right = self.left, self.right
        if left.stop_with_both == right.stop_with_both:
            return left.stop_with_both
        return f"{left.stop_with_one} (left) and {right.stop_with_one} (right)"

    @property
    def stop_held(self) -> str:
        """What one hand holds to stop while the other is not tracked, as a condition."""
        left, right = self.left.stop_held, self.right.stop_held
        return left if left == right else f"{left} (left) or {right} (right)"

    @property
    def squeezes(self) -> str:
        """What is let go of before the robot goes on: ``"both squeezes"``."""
        left, right = self.left.squeeze, self.right.squeeze
        return f"both {_make_plural(left)}" if left == right else f"{left} and {right}"

    @property
    def may_resume(self) -> bool:
        """Whether what both hands do to stop may end a stop as well, without having been announced on the wheel."""
        return self.left.may_resume and self.right.may_resume

    @property
    def resume_steps(self) -> tuple[str, ...]:
        """What ends a hold, an instruction each."""
        announce = () if self.may_resume else ("choose Go on on the wheel",)
        return (f"let go of {self.squeezes}", *announce, f"then {self.stop_with_both}")


DEFAULT_CONTROL_NAMES = HandsControlNames()
"""As most controllers have them, until it is known which are bound."""


def _make_plural(word: str) -> str:
    return f"{word}es" if word.endswith("ch") else f"{word}s"
