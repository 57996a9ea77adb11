"""A humanoid of Unitree: joints, drives and inertial unit by its maker's protocol, the rest estimated.

Its feet feel nothing: the wrenches on them are what the observer of generalised momentum finds in the torques of the drives,
and where the base is follows from these, the joints and the inertial unit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
import pinocchio as pin

from handhold.robots.control.hand_over import HandOver
from handhold.robots.control.holding import compute_holding_stiffness
from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.external_force import ExternalForceObserver
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.health import RobotHealth
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.simulation.actuation import compute_motor_torques
from handhold.robots.unitree.errors import NotStanding, NotThere, RobotSilent
from handhold.robots.unitree.makers_robots import find_makers_robot
from handhold.robots.unitree.motor_health import SilentMotors, assess_motors, name_motors
from handhold.robots.unitree.motor_link import MotorLink
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.reach import ARRIVAL, READING, reach_robot

MAX_OFF = 0.2
"""How far a joint may be from where the robot is to be taken over [rad]."""

MAX_UNFELT = 0.7
"""Part of the weight that something else than its feet may bear when it is taken over, such as a hoist [-]."""

PERIOD = 2e-3
"""How often a robot of this maker tells its state [s]."""

CALIBRATION = 1000
"""For how many states it stands still before it is taken over, while its unit's biases are learnt: 2 s."""

MAX_GAP = 0.1
"""Time between two states after which its forces are estimated anew [s].

After 20 ms already, what soles and hands bear was taken for nothing and then for impacts, when a busy machine was late.
"""

BRIDGED_FROM, BRIDGED_FORCE_DEVIATION = 0.01, 5.0
"""Time between two states up to which the unit's last sample counts for all of it [s], and standard deviation of the mean
specific force over a longer one [m/s^2]: a robot that is damped meanwhile sags.

Where 20 of 80 ms in which a host stood still counted, attitude and velocity were off by up to 60 mrad and 0.1 m/s then, the
attitude for seconds.
"""

MAX_LATENESS = 2.0
"""How long a new state is waited for, as a part of the robot's period, before a cycle goes on with the old one [-]."""


class UnitreeRobot:
    """A robot that keeps its own time (see ``Robot``).

    Attributes:
        description: What the robot is.
        model: Its kinematics and dynamics.
        estimator: What finds its base.
        period: How often it tells its state, and is to be commanded [s].
        is_given_up: Whether the last command was to brake only.
        health_limits: What its motors and its supply stand.
    """

    period = PERIOD

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
            model: The robot.
            link: To the robot.
            clock: Monotonic clock [s].
            sleep: Waits for a time [s].

        Raises:
            UnknownMotors: Its joints are not those of a robot of this maker.
            WrongMotors: The protocol has another number of motors.
            RobotSilent: It tells nothing of itself.
            AlreadyCommanded: Somebody else commands it.
            SilentMotors: A motor tells nothing, as one that it does not have.
        """
        self.description, self.model = model.description, model
        self._link, self._clock, self._sleep = link, clock, sleep
        self._began = clock()
        self._reading = reach_robot(model, link, clock, sleep)
        makers_robot = find_makers_robot(model)
        self.health_limits = makers_robot.health
        self._told, self._motor_names = self._reading, name_motors(model.joint_names)
        if self.health.silent:
            raise SilentMotors(self.health.silent)
        self.estimator = BaseEstimator(model, mount=makers_robot.unit)
        self._take_base(np.concatenate([model.q_nominal[:7], self._reading.positions]))
        self._stiffness = compute_holding_stiffness(model)
        self._hand_over, self.is_given_up = HandOver(self._state, self._stiffness), False

    @property
    def reading(self) -> MotorReading:
        """What it told last that could be believed."""
        return self._reading

    @property
    def health(self) -> RobotHealth:
        """How it is, by what it told last."""
        return assess_motors(self._motor_names, self._told)

    @property
    def damped(self) -> bool:
        """Whether it is damped, because no command came in time."""
        return self._link.damped

    @property
    def returned(self) -> bool:
        """Whether it has been handed back: its posture is held, whatever is commanded but to brake."""
        return self._hand_over.returned

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
        self._link.release()
        self._hand_over = HandOver(self._state, self._stiffness)
        return self._state

    def hand_back(self) -> None:
        """Begin to hold its posture in place of what is commanded, so that somebody else can take it over."""
        self._hand_over.begin_return(self._state)

    def wait(self) -> None:
        """Wait until it tells its state anew, or has not done so in time; what that says of its base is left to ``read``."""
        since = self._clock()
        while not self._is_news(self._link.read()) and self._clock() - since < MAX_LATENESS * PERIOD:
            self._sleep(READING)

    def _measure_unfelt(self) -> float:
        r"""Measure which part of the estimated loads the joints do not feel: :math:`\|r - J^T f\| / \|J^T f\|` [-].

        What lifts the base elsewhere looks like a load on the soles, which carry the weight in the model: the legs tell.
        """
        expected = self._expect_torques()
        missing = self._observer.residual[6:] - expected
        return float(np.linalg.norm(missing) / max(float(np.linalg.norm(expected)), np.finfo(float).tiny))

    def measure_felt(self) -> float:
        r"""Measure which part of the weight the joints feel: :math:`\lambda` of the least :math:`\|r - \lambda J^T f\|` [-].

        The estimated loads f alone say nothing of the weight: at rest they are what the model weighs, whatever the robot does.
        """
        expected = self._expect_torques()
        return float(self._observer.residual[6:] @ expected / max(float(expected @ expected), np.finfo(float).tiny))

    def _expect_torques(self) -> np.ndarray:
        """Return what the estimated loads exert on the joints, :math:`J^T f`, shape ``(n,)`` [Nm]."""
        count = len(self.model.effectors)
        wrenches = np.hstack([self._observer.forces[:count], self._observer.moments[:count]])
        return np.asarray(np.einsum("eij,ei->j", self._observer.jacobians, wrenches)[6:])

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
        roll, pitch, _ = pin.rpy.matrixToRpy(self.estimator.find_attitude(self._reading.attitude, q[7:]))
        q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(roll, pitch, heading)).coeffs()
        kinematics = EffectorKinematics(self.model)
        kinematics.update(q)
        standing = [e for e, effector in enumerate(self.model.effectors) if effector.standing]
        q[2] -= float(kinematics.poses[standing, 2, 3].mean())
        self.estimator.reset(q)
        self._observer = ExternalForceObserver(self.model, sensed=())
        nothing = np.zeros(self.model.nv), np.zeros((len(self.model.effectors), 6))
        self._state = self._describe(self._make_sample(self._clock() - self._began), q, *nothing)

    def read(self) -> RobotState:
        """Return the present state; that of before, with its time, where the robot has told nothing new, or no numbers."""
        reading = self._link.read()
        self._told = reading or self._told
        if not self._is_news(reading):
            return self._state
        # When it arrived, not when this process came to look at it.
        now = reading.time - self._began
        dt = now - self._state.time
        if dt > MAX_GAP:
            # What was before says nothing of forces now, nor of what stands.
            self._observer = ExternalForceObserver(self.model, sensed=())
        before, self._reading = self._reading, reading
        wrenches = self._estimate_wrenches(reading, dt)
        sample = self._make_sample(now) if dt <= BRIDGED_FROM else self._bridge(before, now, dt)
        self.estimator.update(sample, reading.positions, wrenches, dt, reading.velocities)
        q = np.concatenate([self.estimator.pose, reading.positions])
        self._state = self._describe(sample, q, np.concatenate([self.estimator.velocity, reading.velocities]), wrenches)
        return self._state

    def _is_news(self, reading: MotorReading | None) -> TypeGuard[MotorReading]:
        return reading is not None and not reading.repeats(self._reading) and reading.is_finite

    def _make_sample(self, time: float) -> InertialSample:
        return InertialSample(time, self._reading.angular_velocity, self._reading.specific_force)

    def _bridge(self, before: MotorReading, time: float, dt: float) -> InertialSample:
        """Return what the unit would have measured over states that were missed, by its own attitude before and now."""
        now = self._reading
        angular_velocity = pin.log3(before.attitude.T @ now.attitude) / dt
        force = 0.5 * (before.specific_force + now.specific_force)
        return InertialSample(time, angular_velocity, force, force_deviation=BRIDGED_FORCE_DEVIATION)

    def _describe(self, sample: InertialSample, q: np.ndarray, v: np.ndarray, wrenches: np.ndarray) -> RobotState:
        torques, inertial, covariance = self._reading.torques.copy(), sample.to_array(), self.estimator.covariance
        # As a simulation's: what is compiled for arrays that nobody may write to is not compiled again.
        for array in (q, v, torques, wrenches, inertial, covariance):
            array.flags.writeable = False
        return RobotState(
            time=sample.time,
            q=q,
            v=v,
            joint_torques=torques,
            contact_wrenches=wrenches,
            inertial=inertial,
            base_covariance=covariance,
        )

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
        rotations = self._observer.poses[:, :3, :3]
        parts: Sequence[np.ndarray] = (self._observer.forces, self._observer.moments)
        return np.hstack([np.einsum("eji,ej->ei", rotations, part) for part in parts])

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command and return the torques that follow from it, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: It has a NaN or an infinity in it; the robot goes on with the one before, and then damps.
        """
        self.is_given_up, was_given_up = command.is_damping, self.is_given_up
        if was_given_up and not self.is_given_up:
            self._hand_over = HandOver(self._state, self._stiffness)
        # Whoever gives it up means now, however far it has been handed over or back.
        sent = command if self.is_given_up else self._hand_over.blend(command, PERIOD)
        torques = compute_motor_torques(sent, self._state.q[7:], self._state.v[6:], self.model.motor_torques)
        self._link.write(sent)
        return torques

    def close(self) -> None:
        """Command the robot no more: it is damped."""
        self._link.close()
