"""A simulated robot that is not told where its base is: it measures by what it carries, and estimates the rest.

An inertial unit at the base with noise and biases that walk, encoders with a resolution, noisy force sensors; joint velocities
are the drives' own. What is seen of it has the base of a ``BaseEstimator``: its position and its heading drift.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.robots.description import RobotDescription
from handhold.robots.errors import BaseNotObserved
from handhold.robots.estimation.base_estimate import BaseEstimate
from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.bolted_base import BoltedBase
from handhold.robots.estimation.contact_aided_filter import ContactAidedParameters
from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.robot import JointCommand, RobotState, SimulatedRobot
from handhold.robots.simulation.inertial_unit import InertialUnit
from handhold.robots.simulation.wrapped_robot import WrappedRobot

ENCODER_STEP = 2.0 * math.pi / 2**14
"""Resolution of the joints' encoders [rad]."""

FORCE_NOISE = 2.0
"""Standard deviation of every component of measured contact forces [N], on top of what an imperfect robot has."""

LEVELLING = 1e-3
"""Standard deviation of the attitude that a robot is believed to have in the beginning, about every axis [rad].

On level ground its soles tell it. What the accelerometer says of it at rest is off by its bias: 5 mrad for 0.05 m/s^2."""

CALIBRATION, CALIBRATION_STEP = 4.0, 2e-3
"""How long a robot stands still before it is used, in which its unit's biases are learnt [s]."""


class SensedRobot(WrappedRobot):
    """A robot in a simulation, seen through its sensors (see ``SimulatedRobot``).

    Attributes:
        estimator: What finds its base.
    """

    def __init__(self, body: SimulatedRobot, random: np.random.Generator, noise: InertialNoise | None = None) -> None:
        """Take over a body.

        Args:
            body: The simulation; its drives and other sensors may be imperfect.
            random: Biases and noise.
            noise: Of the inertial unit.

        Raises:
            BaseNotObserved: It is not bolted down, and none of its feet feels the ground.
        """
        check_observed(body.description)
        super().__init__(body)
        self._random, self._noise = random, noise or InertialNoise()
        parameters = ContactAidedParameters(inertial=self._noise, tilt=LEVELLING)
        is_bolted = body.description.is_fixed
        self.estimator: BaseEstimate = BoltedBase() if is_bolted else BaseEstimator(body.model, parameters)
        # Noise begins anew with every reset: the same commands make the same run.
        self._first_noise = random.bit_generator.state
        self._measured = body.read()

    @property
    def truth(self) -> RobotState:
        """Its state as it is."""
        return self._body.truth

    def reset(self, q: np.ndarray) -> RobotState:
        """Put robot and world back to time 0 with the robot at rest in configuration ``q``, shape ``(nq,)``.

        Where it stands is known then, as to one who has just put it there, but for ``LEVELLING``; it learns its unit's biases
        before.
        """
        self._random.bit_generator.state = self._first_noise
        self._measured = self._body.reset(q)
        self._unit = InertialUnit(_find_base(q), self._noise, self._random)
        self.estimator.reset(self._believe(q))
        wrenches = np.zeros((len(self.model.effectors), 6))
        standing = [effector.standing for effector in self.model.effectors]
        wrenches[standing, 2] = self.model.weight / max(1, sum(standing))
        for k in range(round(CALIBRATION / CALIBRATION_STEP)):
            sample = self._unit.measure(CALIBRATION_STEP * k - CALIBRATION, _find_base(q), CALIBRATION_STEP)
            self.estimator.update(sample, self._encode(q[7:]), wrenches, CALIBRATION_STEP)
        self._measured = self._see(self._measured, self._measured.contact_wrenches, sample)
        return self._measured

    def _believe(self, q: np.ndarray) -> np.ndarray:
        """Return how a robot that was put into a configuration is thought to stand, shape ``(nq,)``."""
        if self.description.is_fixed:
            return q
        believed = q.copy()
        tilt = pin.exp3(self._random.normal(0.0, LEVELLING, 3))
        believed[3:7] = pin.Quaternion(tilt @ _find_base(q)[:3, :3]).coeffs()
        return believed

    def read(self) -> RobotState:
        """Return the state as it is measured and estimated."""
        return self._measured

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command and return the torques really applied, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: It has a NaN or an infinity in it; the torques stay as they were.
        """
        return self._body.send(command)

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s] under the last command.

        Raises:
            TimeStepMismatch: ``dt`` is no multiple of the time step.
        """
        self._body.advance(dt)
        truth = self._body.truth
        measured = truth if self._body.is_truthful else self._body.read()
        wrenches = measured.contact_wrenches.copy()
        wrenches[:, :3] += self._random.normal(0.0, FORCE_NOISE, (len(wrenches), 3))
        sample = self._unit.measure(truth.time, _find_base(truth.q), dt)
        self.estimator.update(sample, self._encode(measured.q[7:]), wrenches, dt)
        self._measured = self._see(measured, wrenches, sample)

    def _encode(self, joints: np.ndarray) -> np.ndarray:
        return np.asarray(ENCODER_STEP * np.round(joints / ENCODER_STEP))

    def _see(self, state: RobotState, wrenches: np.ndarray, sample: InertialSample) -> RobotState:
        """Return a state with the base as it is estimated, and joints and wrenches as they are measured."""
        q = np.concatenate([self.estimator.pose, self._encode(state.q[7:])])
        v = np.concatenate([self.estimator.velocity, state.v[6:]])
        inertial, covariance = sample.to_array(), self.estimator.covariance
        for array in (q, v, wrenches, inertial, covariance):
            array.flags.writeable = False
        return replace(state, q=q, v=v, contact_wrenches=wrenches, inertial=inertial, base_covariance=covariance)


def check_observed(description: RobotDescription) -> None:
    """Look whether a robot can find where its base is.

    Raises:
        BaseNotObserved: It is not bolted down, and none of its feet feels the ground.
    """
    if not (description.is_fixed or any(effector.is_foot and effector.sensed for effector in description.effectors)):
        raise BaseNotObserved(description.source)


def _find_base(q: np.ndarray) -> np.ndarray:
    return np.asarray(pin.XYZQUATToSE3(q[:7]).homogeneous)
