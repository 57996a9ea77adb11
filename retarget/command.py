"""What a mode gets from the operator, after screening, clutching and filtering."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from handhold.devices.stop import Stop
from handhold.devices.tracked_human import TrackedHuman


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandCommand:
    """What one hand of the robot is asked to do.

    Attributes:
        engaged: Whether the operator's hand moves this one now.
        waiting: Why a squeezed hand does not move, in words for the operator; empty while it moves or is not squeezed.
        target: Filtered pose the effector is asked to take, in world, homogeneous, shape ``(4, 4)``; not a number
            where the robot has no such hand.
        trigger: 0 released, 1 pulled. Kept as it was when the hand was lost until the operator takes it up again there.
        primary_pressed: A or X went down since the last step.
        secondary_pressed: B or Y went down since the last step.
        secondary_held: B or Y is down, and was seen going down.
    """

    engaged: bool
    waiting: str
    target: np.ndarray
    trigger: float
    primary_pressed: bool
    secondary_pressed: bool
    secondary_held: bool = False

    def pass_on(self) -> HandCommand:
        """Return the command as it goes on: a button goes down once."""
        if not (self.primary_pressed or self.secondary_pressed):
            return self
        return replace(self, primary_pressed=False, secondary_pressed=False)

    @staticmethod
    def released(target: np.ndarray) -> HandCommand:
        """Return the command of a hand that squeezes and presses nothing, whose effector stays at ``target``."""
        return HandCommand(
            engaged=False, waiting="", target=target, trigger=0.0, primary_pressed=False, secondary_pressed=False
        )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class OperatorCommand:
    """What the operator asks of the robot in one control cycle.

    Attributes:
        left: Left hand.
        right: Right hand.
        com_velocity: Desired velocity of the centre of mass, x forward, y left, z up, shape ``(3,)``, each -1 to 1 of what
            the mode allows; nothing within the sticks' dead zone; already slowed by ``speed``.
        yaw_rate: Desired turning rate, -1 to 1, positive to the left; already slowed by ``speed``.
        menu_pressed: A menu button went down since the last step.
        stop: The operator's latched stop.
        speed: 1 while the operator's samples arrive in time, falling to 0 when none has come for 80 ms. The hands'
            targets are already slowed by it.
        messages: What the operator should know, in words.
        refused_samples: Samples of a hand refused so far.
        lost_tracking: How often a hand's tracking was lost so far.
        lost_link: How often the operator's samples stopped coming so far.
        attended: Whether the operator is there and can stop the robot: whatever else would move it, moves it only then.
        human: The tracked person, by the sample accepted last; None where nobody is tracked, or any more.
        lost_humans: How often a tracked person was lost so far.
    """

    left: HandCommand
    right: HandCommand
    com_velocity: np.ndarray
    yaw_rate: float
    menu_pressed: bool
    stop: Stop
    speed: float
    messages: tuple[str, ...]
    refused_samples: int
    lost_tracking: int
    lost_link: int
    attended: bool = True
    human: TrackedHuman | None = None
    lost_humans: int = 0

    def pass_on(self) -> OperatorCommand:
        """Return the command as it goes on for a cycle in which nothing new has come: buttons go down once."""
        left, right = self.left.pass_on(), self.right.pass_on()
        if left is self.left and right is self.right and not self.menu_pressed:
            return self
        return replace(self, left=left, right=right, menu_pressed=False)

    @staticmethod
    def of_hands(left: HandCommand, right: HandCommand) -> OperatorCommand:
        """Return a command of the hands alone: no stick is pushed, nothing is stopped and nothing was ever wrong."""
        return OperatorCommand(
            left=left,
            right=right,
            com_velocity=np.zeros(3),
            yaw_rate=0.0,
            menu_pressed=False,
            stop=Stop.NONE,
            speed=1.0,
            messages=(),
            refused_samples=0,
            lost_tracking=0,
            lost_link=0,
        )
