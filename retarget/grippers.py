"""Grippers by the triggers of the hands that command them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ModeStatus
from handhold.retarget.mode_report import ContactState, Grip
from handhold.retarget.timed_messages import TimedMessages
from handhold.robots.description import RobotDescription
from handhold.robots.gripper import TIP_CLOSED, Gripper
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState

Side = Literal["left", "right"]

PICKUP = 0.1
"""How near to a gripper's closing its trigger must come to be followed [-]."""

HOLDS_FROM = 0.5
"""Part of its effort with which a gripper that does not close any further holds something [-]."""

RELEASED_BELOW = 0.1
"""Pull under which a trigger counts as released, after a contact was made or lost [-]."""

DEAD_ZONE = 0.05
"""Part of a trigger's way at either end that is the end [-]."""


class GripperFollower:
    r"""Follows the trigger of one hand: :math:`\dot c = \mathrm{clip}((t - c) / \Delta t, \pm s / T)`.

    c is the closing, t the trigger, s the operator's speed, T the time of a stroke. The trigger takes the gripper up where it
    is: t is followed once it has come by c since the hand was engaged, and, where a contact was made or lost, since it was
    released.

    Attributes:
        closing: What the gripper is to be, 0 open, 1 closed [-].
    """

    def __init__(self, gripper: Gripper, closing: float) -> None:
        """Begin with a closing."""
        self.closing = closing
        self._stroke_time = gripper.stroke_time
        self._taken_up, self._must_release, self._was_free = False, False, True
        self._trigger: float | None = None

    def note_contact(self, trigger: float, *, free: bool) -> bool:
        """Note whether the hand is free; says whether its trigger still has to be released since that has changed."""
        if free != self._was_free:
            self._was_free, self._must_release = free, True
        self._must_release &= trigger > RELEASED_BELOW
        return self._must_release

    def let_go(self) -> None:
        """Keep the closing until the trigger takes it up again."""
        self._taken_up, self._trigger = False, None

    def follow(self, trigger: float, speed: float, dt: float) -> None:
        """Follow the trigger for a time [s] at the operator's speed [-]."""
        if self._must_release:
            self.let_go()
            return
        trigger = min(max((trigger - DEAD_ZONE) / (1.0 - 2.0 * DEAD_ZONE), 0.0), 1.0)
        before = trigger if self._trigger is None else self._trigger
        self._taken_up |= min(before, trigger) - PICKUP <= self.closing <= max(before, trigger) + PICKUP
        self._trigger = trigger
        if self._taken_up:
            step = speed * dt / self._stroke_time
            self.closing += min(max(trigger - self.closing, -step), step)


class Grippers:
    """How far the grippers are to be closed.

    They begin as they are measured. A gripper follows its trigger while its hand is engaged and free (``GripperFollower``).
    Otherwise, and while the robot is stopped or damped, it stays as it is: what it holds it keeps.

    Attributes:
        refused: Presses so far that would have braced a hand whose gripper is not closed.
    """

    def __init__(self, model: RobotModel, state: RobotState) -> None:
        """Begin with what a robot measures; one that measures no grippers is taken to have them closed."""
        self._model, description = model, model.description
        closings = [
            1.0 if holds else min(max(closing, 0.0), 1.0)
            for closing, holds in zip(find_closings(description, state), _find_holding(description, state), strict=True)
        ]
        self._followers = tuple(map(GripperFollower, description.grippers, closings))
        self._messages = TimedMessages()
        self.refused = 0

    @property
    def closings(self) -> np.ndarray:
        """What each is to be, 0 open, 1 closed, shape ``(grippers,)``."""
        return np.array([follower.closing for follower in self._followers])

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        return self._messages.texts

    def screen(self, command: OperatorCommand, status: ModeStatus, state: RobotState, *, braces: bool) -> OperatorCommand:
        """Return a command without what the mode in charge must not see of hands with grippers.

        That is the pull of a trigger since before a contact was made, which is the gripper's and no push, and presses that
        would brace a hand whose fingers are not closed.

        Args:
            command: Of the operator.
            status: Of the mode in charge.
            state: What the robot measures.
            braces: Whether a press makes a contact of a free hand in that mode.
        """
        for follower, hand in zip(self._followers, self._model.gripper_hands, strict=True):
            side = _find_side(status, hand)
            if side is None:
                continue
            before, free = _of_side(command, side), _is_free(status, hand)
            after = replace(before, trigger=0.0) if follower.note_contact(before.trigger, free=free) and not free else before
            if braces and after.primary_pressed and free and hand in find_hands_without_tip(self._model, state):
                self._refuse(side, holds=self.describe(hand, state) is Grip.HOLDING)
                after = replace(after, primary_pressed=False)
            if after is not before:
                command = replace(command, left=after) if side == "left" else replace(command, right=after)
        return command

    def _refuse(self, side: Side, *, holds: bool) -> None:
        self.refused += 1
        reason = "holds something: put it down" if holds else "is open: close it by the trigger"
        self._messages.publish(f"refused: {side} gripper {reason}, to brace with this hand")

    def update(self, command: OperatorCommand, status: ModeStatus, dt: float, *, frozen: bool = False) -> np.ndarray:
        """Go on for a cycle, and return how far the grippers are to be closed, shape ``(grippers,)`` [-].

        Args:
            command: Of the operator.
            status: Of the mode in charge.
            dt: Length of the cycle [s].
            frozen: Whether the robot is damped: nothing is opened or closed.
        """
        self._messages.advance(dt)
        for follower, hand in zip(self._followers, self._model.gripper_hands, strict=True):
            side = _find_side(status, hand)
            of_hand = None if side is None else _of_side(command, side)
            if of_hand is None or not of_hand.engaged or frozen or command.stop or not _is_free(status, hand):
                follower.let_go()
            else:
                follower.follow(of_hand.trigger, command.speed, dt)
        return self.closings

    def describe(self, effector: int, state: RobotState) -> Grip:
        """Return what the gripper at an effector does by what the robot measures; ``NONE`` where there is none."""
        hands, description = self._model.gripper_hands, self._model.description
        if effector not in hands:
            return Grip.NONE
        number = hands.index(effector)
        if _find_holding(description, state)[number]:
            return Grip.HOLDING
        return Grip.CLOSED if find_closings(description, state)[number] >= TIP_CLOSED else Grip.OPEN


def find_closings(description: RobotDescription, state: RobotState) -> list[float]:
    """Return how far the grippers are closed [-]; those of a robot that does not measure it count as closed."""
    measured = state.gripper_closings.tolist()
    return measured if len(measured) == len(description.grippers) else [1.0] * len(description.grippers)


def _find_holding(description: RobotDescription, state: RobotState) -> list[bool]:
    """Return which grippers press on something that keeps them from closing."""
    forces = state.gripper_forces.tolist()
    if len(forces) != len(description.grippers):
        return [False] * len(description.grippers)
    efforts = (gripper.effort for gripper in description.grippers)
    return [force >= HOLDS_FROM * effort for force, effort in zip(forces, efforts, strict=True)]


def find_hands_without_tip(model: RobotModel, state: RobotState) -> frozenset[int]:
    """Find the effectors that cannot brace because their grippers are open, or hold something."""
    description = model.description
    closings, holding = find_closings(description, state), _find_holding(description, state)
    return frozenset(
        hand
        for hand, closing, holds in zip(model.gripper_hands, closings, holding, strict=True)
        if holds or not closing >= TIP_CLOSED
    )


def _is_free(status: ModeStatus, hand: int) -> bool:
    """Return whether a hand bears nothing and is not on its way to: one that only touches something is free."""
    contact = status.find_contact(hand)
    return contact is ContactState.FREE or (contact is ContactState.TOUCHING and not status.busy)


def _find_side(status: ModeStatus, hand: int) -> Side | None:
    """Return which of the operator's hands commands an effector; None for neither."""
    left, right = status.hands
    return "left" if left == hand else "right" if right == hand else None


def _of_side(command: OperatorCommand, side: Side) -> HandCommand:
    return command.left if side == "left" else command.right
