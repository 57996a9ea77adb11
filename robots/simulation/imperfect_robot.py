r"""A simulated robot whose drives and sensors are not ideal.

Commands arrive late; torques follow to first order; joint velocities are filtered, the base's velocity and the contact forces
are noisy, and the base's attitude is off:

.. math::

    \dot\tau = 2 \pi f_\tau (\tau_d(t - T) - \tau), \qquad
    \dot{\hat v}_\theta = 2 \pi f_v (v_\theta - \hat v_\theta), \qquad
    \hat v_B = v_B + w_v, \quad \hat R_B = R_B R_y(\epsilon), \quad \hat f = f + w_f .

The gains of a command act in the drives, on the joints as they are.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.robots.robot import JointCommand, RobotState, SimulatedRobot
from handhold.robots.simulation.actuation import compute_motor_torques
from handhold.robots.simulation.imperfection import Imperfection
from handhold.robots.simulation.wrapped_robot import WrappedRobot


class ImperfectRobot(WrappedRobot):
    """A robot in a simulation, seen and driven through imperfect sensors and drives (see ``SimulatedRobot``).

    Attributes:
        truth: Its state as it is.
    """

    def __init__(self, body: SimulatedRobot, imperfection: Imperfection, random: np.random.Generator) -> None:
        """Take over a body.

        Args:
            body: The simulation, which has the imperfect mechanics already (see ``draw_mechanics``).
            imperfection: What is not ideal.
            random: Noise, and the sign of what may have either.
        """
        super().__init__(body)
        self._imperfection = imperfection
        self._random = random
        half = 0.5 * float(random.choice((-1.0, 1.0))) * imperfection.pitch_error
        self._tilt = pin.Quaternion(math.cos(half), 0.0, math.sin(half), 0.0)
        self._nothing = np.zeros(self.model.n)
        # Noise begins anew with every reset: the same commands make the same run.
        self._noise = random.bit_generator.state
        self._take_over(body.read())

    def _take_over(self, state: RobotState) -> None:
        self.truth = state
        self._velocities = state.v[6:].copy()
        self._commands: deque[JointCommand] = deque()
        self._torques: np.ndarray | None = None
        self._sent = state.time
        self._measured = self._measure(state)

    def reset(self, q: np.ndarray) -> RobotState:
        """Put robot and world back to time 0 with the robot at rest in configuration ``q``, shape ``(nq,)``."""
        self._random.bit_generator.state = self._noise
        self._take_over(self._body.reset(q))
        return self._measured

    def read(self) -> RobotState:
        """Return the state as the sensors have it."""
        return self._measured

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command on its way and return the torques really applied, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: The command that arrives has a NaN or an infinity in it; the torques stay as they were.
        """
        self._commands.append(command)
        due = self.truth.time - self._imperfection.delay + 1e-9
        while len(self._commands) > 1 and self._commands[1].time <= due:
            self._commands.popleft()
        torques = self._follow(self._commands[0])
        late = replace(command, torques=torques, stiffness=self._nothing, damping=self._nothing)
        return self._body.send(late)

    def _follow(self, command: JointCommand) -> np.ndarray:
        """Return the torques of the drives, which follow those of a command."""
        goal = compute_motor_torques(command, self.truth.q[7:], self.truth.v[6:], self.model.motor_torques)
        if self._torques is None:
            self._torques = goal
        gain = _compute_gain(self._imperfection.torque_bandwidth, self.truth.time - self._sent)
        self._torques = self._torques + gain * (goal - self._torques)
        self._sent = self.truth.time
        return self._torques

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s] under the torques of the drives.

        Raises:
            TimeStepMismatch: ``dt`` is no multiple of the time step.
        """
        self._body.advance(dt)
        self.truth = self._body.read()
        self._velocities += _compute_gain(self._imperfection.velocity_bandwidth, dt) * (self.truth.v[6:] - self._velocities)
        self._measured = self._measure(self.truth)

    def _measure(self, state: RobotState) -> RobotState:
        q, v, wrenches = state.q.copy(), state.v.copy(), state.contact_wrenches.copy()
        q[3:7] = (pin.Quaternion(q[3:7]) * self._tilt).coeffs()
        v[:3] += self._random.normal(0.0, self._imperfection.base_velocity_noise, 3)
        v[6:] = self._velocities
        wrenches[:, :3] += self._random.normal(0.0, self._imperfection.force_noise, (len(wrenches), 3))
        for array in (q, v, wrenches):
            array.flags.writeable = False
        return replace(state, q=q, v=v, contact_wrenches=wrenches)


def _compute_gain(bandwidth: float, dt: float) -> float:
    """Return what a first-order filter takes over of its input in a period [s]."""
    return -math.expm1(-2.0 * math.pi * bandwidth * dt)
