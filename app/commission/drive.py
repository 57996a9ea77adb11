"""A robot that the control cycle moves, as in a session, with an operator of few words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.host.cycle import Cycle
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.unitree.unitree_robot import UnitreeRobot

SAMPLE_PERIOD = 0.01
"""How often the operator's hand is looked at [s]."""

REPORT_EVERY = 8
"""Cycles from one that is reported to the next: a report takes half as long as a cycle, and a robot's commands do not wait."""

REHEARSED = 100
"""Cycles that are computed, and not sent, before the first one that counts: the first of all take too long."""

NAME = "check list"
"""What the operator's device is called."""


class GivenUp(AppError):
    """The control cycle has given the robot up.

    Attributes:
        reason: Why, in words.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the robot is damped: {reason}")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Moment:
    """One cycle.

    Attributes:
        state: What the robot told.
        snapshot: What was published of it.
    """

    state: RobotState
    snapshot: Snapshot


class Drive:
    """One cycle after the other, each with a state that the robot tells.

    Attributes:
        robot: The robot.
    """

    def __init__(self, robot: UnitreeRobot, cycle: Cycle, state: RobotState) -> None:
        """Take a robot over that has been reset to a state."""
        self.robot, self._cycle, self._state = robot, cycle, state
        self._hand = HandInput()
        self._elapsed, self._count = SAMPLE_PERIOD, 0
        self._sample = OperatorInput(time=0.0, device=NAME)

    def rehearse(self) -> None:
        """Compute what would be sent to a robot that somebody else keeps where it is."""
        for _ in range(REHEARSED):
            self._advance()
            self._cycle.report()

    def move_hand(self, pose: pin.SE3, squeeze: float = 1.0) -> None:
        """Let the operator's right hand be at a pose in world, and squeeze, or not: 0."""
        self._hand = HandInput(pose=pose, squeeze=squeeze)

    def step(self) -> None:
        """Go on for a cycle.

        Raises:
            GivenUp: The cycle damps the robot.
        """
        self.robot.send(self._advance())
        if self.robot.is_given_up:
            messages = self._cycle.report().messages
            raise GivenUp(messages[0] if messages else "no reason given")

    def _advance(self) -> JointCommand:
        robot, period = self.robot, self.robot.period
        robot.wait()
        self._state = robot.read()
        return self._cycle.advance(self._take_sample(period), self._state, (), period)

    def run(self, duration: float, moved: Callable[[float], pin.SE3] | None = None) -> list[Moment]:
        """Go on for a time [s], with the operator's hand where a function of the time since has it; returns moments of it.

        Raises:
            GivenUp: The cycle damps the robot.
        """
        moments = []
        for k in range(round(duration / self.robot.period)):
            if moved is not None:
                self.move_hand(moved(k * self.robot.period))
            self.step()
            if k % REPORT_EVERY == 0:
                moments.append(Moment(state=self._state, snapshot=self._cycle.report()))
        return moments

    def _take_sample(self, period: float) -> OperatorInput:
        self._elapsed += period
        if self._elapsed >= SAMPLE_PERIOD:
            self._elapsed = 0.0
            self._count += 1
            self._sample = OperatorInput(time=self._state.time, sequence=self._count, device=NAME, right=self._hand)
        return self._sample

    def find_hand(self, effector: int, state: RobotState | None = None) -> np.ndarray:
        """Return where an effector is as measured, now or in another state, its pose in world, shape ``(4, 4)``."""
        return np.asarray(self.robot.model.effector_poses((state or self._state).q)[effector])
