"""What the buttons of the page say: the device is notified by whoever knows the robot's modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button that asks for something of the robot.

    Attributes:
        title: What it says.
        present: Whether that is in force already.
        reason: Why it is not possible now; empty where it is.
        walks: Whether the robot then goes where the sticks tell it.
    """

    title: str
    present: bool = False
    reason: str = ""
    walks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWords:
    """What the buttons of a hand do in the mode in charge; one that says nothing is not shown.

    Attributes:
        primary: Primary button (A/X).
        secondary: Secondary button (B/Y).
        trigger: Trigger.
        grip: The button that closes or opens its gripper.
        grip_opens: Whether it opens it now.
    """

    primary: str = "Lean on"
    secondary: str = "Preview"
    trigger: str = "Push"
    grip: str = ""
    grip_opens: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlWords:
    """What the controls of the page do in the mode in charge.

    Attributes:
        left: Buttons of the left hand; None where the robot has no such hand.
        right: Buttons of the right hand, likewise.
        left_stick: What the left stick does; empty where it does nothing.
        right_stick: What the right stick does when it is moved sideways.
        height: What it does when it is moved forward and back.
    """

    left: HandWords | None = field(default_factory=HandWords)
    right: HandWords | None = field(default_factory=HandWords)
    left_stick: str = "Lean"
    right_stick: str = "Turn"
    height: str = "Height"


Choices = Mapping[str, Choice]
"""Buttons by what they ask for, as ``OperatorInput.request``."""
