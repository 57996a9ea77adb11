"""A robot that is commissioned, and who has it: nobody, who holds it on its hoist, or the control cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import numpy as np

from handhold.app.commission.answers import Operator
from handhold.app.commission.drive import Drive
from handhold.app.commission.hoist import Hoist
from handhold.app.commission.kept_link import KeptLink
from handhold.app.errors import AppError, to_line
from handhold.app.host.cycle import Cycle
from handhold.robots.errors import RobotError
from handhold.robots.joint_target import JointTarget
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.reach import READING, reach_robot
from handhold.robots.unitree.unitree_robot import PERIOD, UnitreeRobot

LIFT = "Take the robot's weight with the hoist: is it done? It is damped then"
"""What is asked of people before a robot that stands is damped."""


class Rig:
    """A robot and all that commissioning does with it, step by step.

    Attributes:
        model: The robot.
        posture: Configuration in which it is to stand, shape ``(nq,)``.
        drive: What moves it; None before it is taken over.
        clock: Monotonic clock [s].
    """

    def __init__(
        self,
        model: RobotModel,
        posture: np.ndarray,
        link: MotorLink,
        hoist: Hoist,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        parting: float,
        keeping: Callable[[KeptLink], AbstractContextManager[None]],
    ) -> None:
        """Take a robot that nobody commands; nothing is sent.

        Args:
            model: The robot.
            posture: Configuration in which it is to stand, shape ``(nq,)``.
            link: To the robot.
            hoist: What it hangs on.
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].
            parting: How long it is held at least before it is damped, so that people can take its weight [s].
            keeping: Keeps a robot while something is computed.
        """
        self.model, self.posture = model, posture
        self.drive: Drive | None = None
        self._link, self._hoist, self.clock, self._sleep = link, hoist, clock, sleep
        self._parting, self._keeping = parting, keeping
        self._held: HeldRobot | None = None
        self._kept: KeptLink | None = None
        self._stands = False
        self._displacements = np.zeros(model.n)

    @property
    def held(self) -> HeldRobot:
        """The robot, held."""
        assert self._held is not None, "the list holds it first"
        return self._held

    def reach(self) -> MotorReading:
        """Return the first state, of a robot that nobody else commands.

        Raises:
            RobotError: There is none, or somebody does.
        """
        return reach_robot(self.model, self._link, self.clock, self._sleep)

    def listen(self, duration: float) -> list[MotorReading]:
        """Return all states that arrive within a time [s]; nothing is sent."""
        readings: list[MotorReading] = []
        end = self.clock() + duration
        while self.clock() < end:
            reading = self._link.read()
            if reading is not None and not (readings and reading.repeats(readings[-1])):
                readings.append(reading)
            self._sleep(READING)
        return readings

    def hold(self) -> None:
        """Hold the robot in the posture in which it is, as one that hangs.

        Raises:
            RobotError: It cannot be held.
        """
        self._held = HeldRobot(self.model, self._link, clock=self.clock, sleep=self._sleep)
        self._displacements = np.zeros(self.model.n)
        self._held.hold()

    def move(self, displacements: np.ndarray) -> MotorReading:
        """Hold the robot for a period beside the posture in which it was found, shape ``(n,)`` [rad].

        Raises:
            RobotError: It has been damped.
        """
        reading = self.held.wait()
        self._displacements = displacements
        self.held.send({k: JointTarget(displacement=float(shift)) for k, shift in enumerate(displacements) if shift})
        return reading

    @property
    def displacements(self) -> np.ndarray:
        """Where the joints are held beside the posture in which they were found, shape ``(n,)`` [rad]."""
        return self._displacements

    def keep(self) -> None:
        """Let a period pass, in which the robot goes on with what it does.

        Raises:
            RobotError: It has been damped.
            AppError: The control cycle gives it up.
        """
        if self.drive is not None:
            self.drive.step()
        elif self._kept is not None:
            self._kept.sleep(PERIOD)
        elif self._held is not None and self._held.command is not None:
            self.move(self._displacements)
        else:
            self._sleep(PERIOD)

    def ask(self, operator: Operator, question: str) -> bool:
        """Put a question, and keep the robot until it is answered; returns whether the answer is yes."""
        operator.ask(question)
        while (answer := operator.poll()) is None:
            self.keep()
        return answer

    def lower(self) -> None:
        """Let the hoist lower the robot onto its soles, and keep it."""
        self._stands = True
        self._hoist.lower(self.keep)

    def take_over(self) -> UnitreeRobot:
        """Take the robot over from who holds it: it is estimated from here on, and moves with the first cycle.

        Raises:
            RobotError: It does not stand as is expected, or tells nothing.
        """
        command = self.held.command
        assert command is not None, "it is held"
        self._kept = kept = KeptLink(self._link, command, self.clock, self._sleep)
        with self._keeping(kept):
            robot = UnitreeRobot(self.model, kept, clock=self.clock, sleep=kept.sleep)
            state = robot.reset(self.posture)
            self._cycle = Cycle(self.model, state)
        self._robot, self._state = robot, state
        return robot

    def watch(self, duration: float) -> Iterator[RobotState]:
        """Yield the states that a robot tells within a time [s], kept where it stands."""
        for _ in range(round(duration / PERIOD)):
            self.keep()
            self._state = self._robot.read()
            yield self._state

    @property
    def robot(self) -> UnitreeRobot:
        """The robot, taken over."""
        return self._robot

    def begin_drive(self) -> Drive:
        """Let the control cycle move the robot from here on."""
        assert self._kept is not None, "it is taken over first"
        drive = Drive(self._robot, self._cycle, self._state)
        with self._keeping(self._kept):
            drive.rehearse()
        self.drive = drive
        return drive

    def end(self, operator: Operator) -> str:
        """Hand the robot back, or let it go, and damp it, however far it was; returns what has become of it, in words."""
        # One that somebody else has begun to command meanwhile is his.
        if self._held is None or not self._held.is_ours:
            self._link.close()
            return "nothing was sent to the robot"
        words = "the robot is damped"
        try:
            if self._is_damped:
                words = "the robot was damped"
            elif self._stands:
                self._part(operator)
            else:
                self.held.let_go()
        except (RobotError, AppError) as error:
            words = f"the robot is damped: {to_line(error)}"
        finally:
            # Whatever happens, nobody commands it any more.
            self.held.damp()
            self._link.close()
        return words

    @property
    def _is_damped(self) -> bool:
        """Whether it has been damped already: it is not held again."""
        if self.drive is not None:
            return self.drive.robot.is_given_up or self._link.damped
        return self.held.command is None or self._link.damped

    def _part(self, operator: Operator) -> None:
        """Hold a robot that stands until its weight has been taken."""
        if self.drive is not None and not self.drive.robot.returned:
            self.drive.robot.hand_back()
        end = self.clock() + self._parting
        self.ask(operator, LIFT)
        while self.clock() < end:
            self.keep()
        self._hoist.lift(self.keep)
