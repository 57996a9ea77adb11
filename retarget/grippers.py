"""Grippers by the triggers of the hands that command them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from handhold.devices.stop import Stop
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ModeStatus
from handhold.retarget.mode_report import ContactState, Grip
from handhold.robots.description import RobotDescription
from handhold.robots.gripper import TIP_CLOSED
from handhold.robots.robot import RobotState

Side = Literal["left", "right"]

PICKUP = 0.1
"""How near to a gripper's closing its trigger must come to be followed [-]."""

HOLDS_FROM = 0.5
"""Part of its effort with which a gripper that does not close any further holds something [-]."""

DEAD_ZONE = 0.05
"""Part of a trigger's way at either end that is the end [-]."""


class Grippers:
    """How far the grippers are to be closed.

    They are closed at the start. A trigger takes a gripper up where it is: once it has been pulled as far as the gripper is
    closed, the gripper follows it, as fast as its drive allows, while the hand is engaged and free. Otherwise, and while the
    robot is stopped, the gripper stays as it is: what it holds it keeps.

    Attributes:
        closings: What each is to be, 0 open, 1 closed, shape ``(grippers,)``.
    """

    def __init__(self, description: RobotDescription) -> None:
        self._grippers = description.grippers
        names = [effector.name for effector in description.effectors]
        self._hands = tuple(names.index(gripper.hand) for gripper in self._grippers)
        self.closings = np.ones(len(self._grippers))
        self._taken_up = [False] * len(self._grippers)
        self._triggers: list[float | None] = [None] * len(self._grippers)

    def screen(self, command: OperatorCommand, status: ModeStatus, state: RobotState) -> OperatorCommand:
        """Return a command without the presses that would brace a free hand whose fingers are not closed, and say so.

        Args:
            command: Of the operator.
            status: Of the mode in charge.
            state: What the robot measures.
        """
        measured = state.gripper_closings if len(state.gripper_closings) else self.closings
        for number, hand in enumerate(self._hands):
            side = _find_side(status, hand)
            if side is None or not _of_side(command, side).primary_pressed or measured[number] >= TIP_CLOSED:
                continue
            if status.find_contact(hand) is ContactState.FREE:
                held = self.closings[number] >= TIP_CLOSED
                reason = "holds something: put it down" if held else "is open: close it by the trigger"
                command = _drop_press(command, side, f"{side} gripper {reason}, to brace with this hand")
        return command

    def update(self, command: OperatorCommand, status: ModeStatus, dt: float) -> np.ndarray:
        """Go on for a cycle of length ``dt`` [s], and return how far the grippers are to be closed, shape ``(grippers,)``."""
        closings = self.closings.copy()
        for number, (gripper, hand) in enumerate(zip(self._grippers, self._hands, strict=True)):
            side = _find_side(status, hand)
            follows = side is not None and command.stop is Stop.NONE and status.find_contact(hand) is ContactState.FREE
            of_hand = _of_side(command, side) if side is not None and follows else None
            if of_hand is None or not of_hand.engaged:
                self._taken_up[number], self._triggers[number] = False, None
                continue
            trigger = _snap_to_ends(of_hand.trigger)
            self._take_up(number, trigger)
            if self._taken_up[number]:
                step = command.speed * dt / gripper.stroke_time
                closings[number] += min(max(trigger - closings[number], -step), step)
        self.closings = closings
        return closings

    def describe(self, effector: int, state: RobotState) -> Grip:
        """Return what the gripper at an effector does by what the robot measures; ``NONE`` where there is none."""
        if effector not in self._hands or not len(state.gripper_closings):
            return Grip.NONE
        number = self._hands.index(effector)
        if state.gripper_closings[number] >= TIP_CLOSED:
            return Grip.CLOSED
        holds = state.gripper_forces[number] >= HOLDS_FROM * self._grippers[number].effort
        return Grip.HOLDING if holds else Grip.OPEN

    def _take_up(self, number: int, trigger: float) -> None:
        closing, before = float(self.closings[number]), self._triggers[number]
        before = trigger if before is None else before
        passed = min(before, trigger) - PICKUP <= closing <= max(before, trigger) + PICKUP
        self._taken_up[number] = self._taken_up[number] or bool(passed)
        self._triggers[number] = trigger


def find_hands_without_tip(description: RobotDescription, state: RobotState) -> frozenset[int]:
    """Find the effectors that cannot brace because their grippers are open, or hold something."""
    names = [effector.name for effector in description.effectors]
    at = (names.index(gripper.hand) for gripper in description.grippers)
    return frozenset(hand for hand, closing in zip(at, state.gripper_closings.tolist(), strict=False) if closing < TIP_CLOSED)


def _find_side(status: ModeStatus, hand: int) -> Side | None:
    """Return which of the operator's hands commands an effector; None for neither."""
    left, right = status.hands
    return "left" if left == hand else "right" if right == hand else None


def _of_side(command: OperatorCommand, side: Side) -> HandCommand:
    return command.left if side == "left" else command.right


def _drop_press(command: OperatorCommand, side: Side, message: str) -> OperatorCommand:
    hand, messages = replace(_of_side(command, side), primary_pressed=False), (*command.messages, message)
    return (
        replace(command, left=hand, messages=messages) if side == "left" else replace(command, right=hand, messages=messages)
    )


def _snap_to_ends(trigger: float) -> float:
    return min(max((trigger - DEAD_ZONE) / (1.0 - 2.0 * DEAD_ZONE), 0.0), 1.0)
