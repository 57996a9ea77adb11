"""A humanoid of Unitree: joints, drives and inertial unit by its maker's protocol, the rest estimated.

Its feet feel nothing: the wrenches on them are what the observer of generalised momentum finds in the torques of the drives,
and where the base is follows from these, the joints and the inertial unit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.external_force import ExternalForceObserver
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.robot import MAX_PERIOD, JointCommand, RobotState
from handhold.robots.simulation.actuation import compute_damping_gains, compute_motor_torques
from handhold.robots.unitree.command_guard import CommandGuard
from handhold.robots.unitree.errors import AlreadyCommanded, NotStanding, NotThere, RobotSilent, WrongMotors
from handhold.robots.unitree.motor_link import MotorLink, MotorReading

ARRIVAL, LISTENING = 3.0, 0.3
"""How long a first state is waited for, and how long it is listened whether somebody else commands the robot [s]."""

COMMAND_TIMEOUT = 0.02
"""Time without a command after which the robot damps [s]."""

DRIVE_PERIOD = 1e-3
"""Period of the drives' own loops, at most [s]: what damping is stable."""

MAX_OFF = 0.2
"""How far a joint may be from where the robot is to be taken over [rad]."""

MAX_UNFELT = 0.7
"""Part of the weight that something else than its feet may bear when it is taken over, such as a hoist [-]."""

CALIBRATION = 1000
"""For how many states it stands still before it is taken over, while its unit's biases are learnt: 2 s."""

PARTING = 0.05
"""How long a robot is told to damp before its network is left [s]."""

READING = 0.001
"""How often a state is looked for while one is waited for [s]."""


class UnitreeRobot:
    """A robot that keeps its own time (see ``Robot``).

    Attributes:
        description: What the robot is.
        model: Its kinematics and dynamics.
        estimator: What finds its base.
        temperatures: Of the motors, as last told, shape ``(n,)`` [degrees Celsius].
    """

    def __init__(
        self,
        model: RobotModel,
        link: MotorLink,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take a robot over that nobody else commands; it is sent nothing yet.

        Args:
            model: The robot; the order of its joints is that of the maker's motors.
            link: To the robot.
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].

        Raises:
            WrongMotors: The protocol has another number of motors.
            RobotSilent: It tells nothing of itself.
            AlreadyCommanded: Somebody else commands it.
        """
        if link.motors != model.n:
            raise WrongMotors(model.n, link.motors)
        self.description, self.model = model.description, model
        self._link, self._clock, self._sleep = link, clock, sleep
        self._began = clock()
        self._reading = self._await_state()
        self.temperatures = self._reading.temperatures
        self._refuse_rivals()
        self._kinematics = EffectorKinematics(model)
        self.estimator = BaseEstimator(model)
        self._take_base(np.concatenate([model.q_nominal[:7], self._reading.positions]))
        self._guard = CommandGuard(link, compute_damping_gains(model, DRIVE_PERIOD), COMMAND_TIMEOUT, clock)

    def _await_state(self) -> MotorReading:
        while (reading := self._link.read()) is None or not reading.is_finite:
            if self._clock() - self._began > ARRIVAL:
                raise RobotSilent(self._link.interface, ARRIVAL)
            self._sleep(READING)
        return reading

    def _refuse_rivals(self) -> None:
        # One that hangs is repeated by its library, and never changes.
        self._sleep(LISTENING)
        if any(self._link.read_command()):
            raise AlreadyCommanded(self._link.interface)

    @property
    def damped(self) -> bool:
        """Whether it is damped, because no command came in time."""
        return self._guard.damping

    def reset(self, q: np.ndarray) -> RobotState:
        """Check that the robot stands in a configuration, shape ``(nq,)``, before and after it has learnt its unit's biases.

        It may be commanded from then on, though it was damped before.

        Raises:
            NotThere: A joint is elsewhere.
            NotStanding: It stands on no foot.
            RobotSilent: It tells nothing of itself any more.
        """
        self.read()
        self._refuse_elsewhere(q)
        self._take_base(np.concatenate([q[:7], self._reading.positions]))
        for _ in range(CALIBRATION):
            self._await_change()
        self._refuse_elsewhere(q)
        if self._measure_unfelt() > MAX_UNFELT:
            raise NotStanding
        self._guard.release()
        return self._state

    def _measure_unfelt(self) -> float:
        r"""Measure which part of the estimated loads the joints do not feel: :math:`\|r - J^T f\| / \|J^T f\|` [-].

        What lifts the base elsewhere looks like a load on the soles, which carry the weight in the model: the legs tell.
        """
        count, joints = len(self.model.effectors), slice(6, None)
        wrenches = np.hstack([self._observer.forces[:count], self._observer.moments[:count]])
        expected = np.einsum("eij,ei->j", self._kinematics.jacobians[:count], wrenches)[joints]
        missing = self._observer.residual[joints] - expected
        return float(np.linalg.norm(missing) / max(float(np.linalg.norm(expected)), np.finfo(float).tiny))

    def _await_change(self) -> None:
        before, since = self._state, self._clock()
        while self.read() is before:
            if self._clock() - since > ARRIVAL:
                raise RobotSilent(self._link.interface, ARRIVAL)
            self._sleep(READING)

    def _refuse_elsewhere(self, q: np.ndarray) -> None:
        off = np.abs(self._reading.positions - q[7:])
        if off.max() > MAX_OFF:
            joint = int(off.argmax())
            raise NotThere(self.model.joint_names[joint], float(off[joint]))

    def _take_base(self, q: np.ndarray) -> None:
        """Begin the estimate where the soles of a configuration are on the ground, upright as the unit has it."""
        q = q.copy()
        heading = pin.rpy.matrixToRpy(pin.XYZQUATToSE3(q[:7]).rotation)[2]
        roll, pitch, _ = pin.rpy.matrixToRpy(pin.Quaternion(self._reading.quaternion).normalized().toRotationMatrix())
        q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(roll, pitch, heading)).coeffs()
        self._kinematics.update(q)
        standing = [e for e, effector in enumerate(self.model.effectors) if effector.standing]
        q[2] -= float(self._kinematics.poses[standing, 2, 3].mean())
        self.estimator.reset(q)
        self._observer = ExternalForceObserver(self.model, sensed=())
        self._state = RobotState(
            time=self._clock() - self._began,
            q=q,
            v=np.zeros(self.model.nv),
            joint_torques=self._reading.torques,
            contact_wrenches=np.zeros((len(self.model.effectors), 6)),
        )

    def read(self) -> RobotState:
        """Return the present state; that of before, with its time, where the robot has told nothing new, or no numbers."""
        reading = self._link.read()
        if reading is None or not reading.is_finite or reading.repeats(self._reading):
            return self._state
        now = self._clock() - self._began
        dt = now - self._state.time
        if dt > MAX_PERIOD:
            # What was before says nothing of forces now, nor of what stands; the base is taken to have stayed where it was.
            self._observer, dt = ExternalForceObserver(self.model, sensed=()), MAX_PERIOD
        self._reading, self.temperatures = reading, reading.temperatures
        wrenches = self._estimate_wrenches(reading, dt)
        sample = InertialSample(now, reading.angular_velocity, reading.specific_force)
        self.estimator.update(sample, reading.positions, wrenches, dt)
        self._state = RobotState(
            time=now,
            q=np.concatenate([self.estimator.pose, reading.positions]),
            v=np.concatenate([self.estimator.velocity, reading.velocities]),
            joint_torques=reading.torques,
            contact_wrenches=wrenches,
        )
        return self._state

    def _estimate_wrenches(self, reading: MotorReading, dt: float) -> np.ndarray:
        """Estimate the wrenches on all effectors in their contact frames, shape ``(effectors, 6)`` [N, Nm]."""
        before = self._state
        measured = replace(
            before,
            q=np.concatenate([before.q[:7], reading.positions]),
            v=np.concatenate([before.v[:6], reading.velocities]),
            joint_torques=reading.torques,
        )
        self._observer.update(measured, dt)
        self._kinematics.update(measured.q)
        rotations = self._kinematics.poses[: len(self.model.effectors), :3, :3]
        parts: Sequence[np.ndarray] = (self._observer.forces, self._observer.moments)
        return np.hstack([np.einsum("eji,ej->ei", rotations, part) for part in parts])

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command and return the torques that follow from it, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: It has a NaN or an infinity in it; the robot goes on with the one before, and then damps.
        """
        torques = compute_motor_torques(command, self._state.q[7:], self._state.v[6:], self.model.motor_torques)
        self._guard.send(command)
        return torques

    def close(self) -> None:
        """Damp the robot, and leave its network once that has gone out."""
        self._guard.stop()
        self._sleep(PARTING)
        self._link.close()
