"""Motors that are not ideal: late, slow, weaker than they say, with encoders that have steps."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from handhold.robots.robot import JointCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorFlaws:
    """What is not ideal about the motors of a robot that stands in.

    Attributes:
        bandwidth: Of the torques, which follow to first order [Hz].
        delay: Until a command is there [s].
        friction: Coulomb friction of every joint, as a part of its largest torque [-].
        rotor_inertia: Of every joint, as a part of its largest torque [s^2/rad].
        velocity_noise: Standard deviation of measured velocities [rad/s].
        encoder_step: Resolution of measured positions [rad].
        torque_error: Part by which all torques are less than they are said to be [-].
    """

    bandwidth: float = 60.0
    delay: float = 2e-3
    friction: float = 0.01
    rotor_inertia: float = 5e-4
    velocity_noise: float = 0.005
    encoder_step: float = 2.0 * math.pi / 2**16
    torque_error: float = 0.0


class Motors:
    r"""The torques of a robot's motors, :math:`\dot \tau = 2 \pi b (\tau_{ff} + k_p (q_d - q) + k_d (v_d - v) - \tau)`.

    Attributes:
        limits: Largest torques, shape ``(n,)`` [Nm].
        flaws: What is not ideal about them.
        told: Torques that the drives say they give, shape ``(n,)`` [Nm].
    """

    def __init__(self, limits: np.ndarray, flaws: MotorFlaws, random: np.random.Generator) -> None:
        """Begin without a torque and without a command."""
        self.limits, self.flaws = limits, flaws
        self.told = np.zeros(len(limits))
        self._random = random
        # Commands with the times at which they are there.
        self._commands: deque[tuple[float, JointCommand]] = deque()

    def command(self, command: JointCommand, time: float) -> None:
        """Take a command at a time [s]; it is there after the delay."""
        self._commands.append((time + self.flaws.delay, command))

    def obey(self, command: JointCommand, time: float) -> None:
        """Do at once, at a time [s], what the robot itself asks of its motors, whatever has been commanded."""
        self._commands.clear()
        self._commands.append((time, command))

    def follow(self, q: np.ndarray, v: np.ndarray, time: float, dt: float) -> np.ndarray:
        """Go on for a step and return the torques that are really there.

        Args:
            q: Positions of the joints, shape ``(n,)`` [rad].
            v: Their velocities, likewise [rad/s].
            time: Of the step's beginning [s].
            dt: Length of the step [s].

        Returns:
            Torques, shape ``(n,)`` [Nm].
        """
        commands = self._commands
        # To the nearest step: times are sums, and by their rounding a delay of two steps would be one of three for a while.
        reached = time + 0.5 * dt
        while len(commands) > 1 and commands[1][0] <= reached:
            commands.popleft()
        asked = np.zeros(len(self.limits))
        if commands and commands[0][0] <= reached:
            command = commands[0][1]
            asked = command.torques + command.stiffness * (command.positions - q) + command.damping * (command.velocities - v)
        gain = -math.expm1(-2.0 * math.pi * self.flaws.bandwidth * dt)
        self.told = self.told + gain * (np.clip(asked, -self.limits, self.limits) - self.told)
        return np.asarray((1.0 - self.flaws.torque_error) * self.told)

    def encode(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities, shape ``(n,)`` each, as they are measured [rad], [rad/s]."""
        step = self.flaws.encoder_step
        return step * np.round(q / step), v + self._random.normal(0.0, self.flaws.velocity_noise, len(v))
