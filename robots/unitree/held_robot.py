r"""A humanoid of Unitree that holds the posture in which it was found, while single joints are moved.

Each of its drives runs the law

.. math:: \tau = \hat\tau + \tau_j + k (\hat q + q_j - q) + d (\dot q_j - v)

with the torques :math:`\hat\tau` and the posture :math:`\hat q` that it had when it was taken, so that nothing jumps, and with
a displacement :math:`q_j` and a torque :math:`\tau_j` of those joints that are to move. Nobody balances it: it hangs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from handhold.robots.control.holding import DAMPING_TIME, compute_holding_stiffness
from handhold.robots.joint_target import JointTarget
from handhold.robots.model import RobotModel
from handhold.robots.robot import JointCommand
from handhold.robots.simulation.actuation import compute_damping_gains
from handhold.robots.unitree.errors import AlreadyCommanded, DampedMeanwhile, HoldBroken, RobotSilent
from handhold.robots.unitree.hold_bounds import HoldBounds
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.reach import READING, reach_robot
from handhold.robots.unitree.unitree_robot import MAX_LATENESS, PERIOD

MAX_SILENCE = 0.1
"""Time without a new state after which the robot is damped [s]."""

LETTING_GO = 2.0
"""Time in which the torques that hold it fade before it is damped [s]."""

DRIVE_PERIOD = 1e-3
"""Period of the drives' own loops, at most [s]: what damping is stable."""


class HeldRobot:
    """A robot that is held; whatever goes wrong damps it, and an error says what it was.

    It is to be commanded every period as long as it is held: ``wait``, then ``send``, also while somebody is asked.

    Attributes:
        model: Its kinematics and dynamics.
        reading: What it told last.
        stiffness: Gains on position with which it is held, shape ``(n,)`` [Nm/rad].
        damping: Those on velocity, shape ``(n,)`` [Nms/rad].
        command: What it was sent last; None before it is held, and once it is damped.
        is_ours: Whether it has been sent anything: before that nothing is sent to it, whatever goes wrong.
    """

    def __init__(
        self,
        model: RobotModel,
        link: MotorLink,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        bounds: HoldBounds | None = None,
    ) -> None:
        """Reach a robot that nobody else commands; it is sent nothing yet.

        Args:
            model: The robot.
            link: To the robot.
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].
            bounds: What it keeps within.

        Raises:
            UnknownMotors: Its joints are not those of a robot of this maker.
            WrongMotors: The protocol has another number of motors.
            RobotSilent: It tells nothing of itself.
            AlreadyCommanded: Somebody else commands it.
        """
        self.model, self._link, self._clock, self._sleep = model, link, clock, sleep
        self._bounds = bounds or HoldBounds()
        self.stiffness = compute_holding_stiffness(model)
        self.damping = DAMPING_TIME * self.stiffness
        self.reading = reach_robot(model, link, clock, sleep)
        self.command: JointCommand | None = None
        self.is_ours = False
        self._found = self.reading

    @property
    def posture(self) -> np.ndarray:
        """Where its joints are held, shape ``(n,)`` [rad]."""
        return self._found.positions

    @property
    def torques(self) -> np.ndarray:
        """With which torques it is held there, shape ``(n,)`` [Nm]."""
        return self._found.torques

    def hold(self) -> None:
        """Hold the robot from now on, as it is.

        Raises:
            RobotSilent: It tells nothing of itself any more.
            AlreadyCommanded: Somebody has begun to command it meanwhile.
            HoldBroken: It is past a bound already.
        """
        reading = self.wait()
        if self._link.is_commanded():
            raise AlreadyCommanded(self._link.interface)
        self._found = reading
        self._bounds.check(self.model, reading, reading.positions, reading.positions)
        self._link.release()
        self.send({})

    def wait(self) -> MotorReading:
        """Wait until the robot tells its state anew, and return it; meanwhile the last command is sent again.

        Raises:
            RobotSilent: It does not.
            DampedMeanwhile: Its guard has damped it.
            HoldBroken: A joint is past a bound.
        """
        return self._await(self._bounds)

    def _await(self, bounds: HoldBounds) -> MotorReading:
        since = sent = self._clock()
        while (reading := self._link.read()) is None or not reading.is_finite or reading.repeats(self.reading):
            now = self._clock()
            if now - since > MAX_SILENCE:
                if self.is_ours:
                    self.damp()
                raise RobotSilent(self._link.interface, MAX_SILENCE)
            if self.command is not None and now - sent > MAX_LATENESS * PERIOD:
                self._link.write(self.command)
                sent = now
            self._sleep(READING)
        self.reading = reading
        if self.command is not None:
            self._check(reading, self.command, bounds)
        return reading

    def _check(self, reading: MotorReading, command: JointCommand, bounds: HoldBounds) -> None:
        if self._link.damped:
            self.command = None
            raise DampedMeanwhile
        try:
            bounds.check(self.model, reading, command.positions, self._found.positions)
        except HoldBroken:
            self.damp()
            raise

    def send(self, targets: Mapping[int, JointTarget]) -> float:
        """Let joints move beside the posture, by their indices, and hold all others; returns when it was sent [s]."""
        positions, torques = self._found.positions.copy(), self._found.torques.copy()
        velocities = np.zeros(self.model.n)
        for joint, target in targets.items():
            positions[joint] += target.displacement
            velocities[joint] = target.velocity
            torques[joint] += target.torque
        sent_at = self._clock()
        self._write(
            JointCommand(
                time=sent_at,
                positions=positions,
                velocities=velocities,
                torques=torques,
                stiffness=self.stiffness,
                damping=self.damping,
            )
        )
        return sent_at

    def _write(self, command: JointCommand) -> None:
        self.command, self.is_ours = command, True
        self._link.write(command)

    def let_go(self) -> None:
        """Let the torques that hold it fade, and damp it: its limbs sink.

        Raises:
            RobotSilent: It tells nothing of itself any more.
            DampedMeanwhile: Its guard has damped it.
            HoldBroken: A joint is past a bound.
        """
        self.send({})
        held, begun = self.command, self._clock()
        # What sinks is not where it was held: no bound of that counts any more.
        bounds = replace(self._bounds, lag=np.inf, excess=np.inf)
        while held is not None and (left := 1.0 - (self._clock() - begun) / LETTING_GO) > 0.0:
            self._await(bounds)
            self._write(replace(held, torques=left * held.torques, stiffness=left * held.stiffness))
        self.damp()

    def damp(self) -> None:
        """Let its joints brake, and nothing else, until it is held anew."""
        nothing = np.zeros(self.model.n)
        gains = compute_damping_gains(self.model, DRIVE_PERIOD)
        self._link.write(
            JointCommand(
                time=self._clock(), positions=nothing, velocities=nothing, torques=nothing, stiffness=nothing, damping=gains
            )
        )
        self.command = None

    def close(self) -> None:
        """Damp a robot that is held, and command it no more."""
        if self.command is not None:
            self.damp()
        self._link.close()
