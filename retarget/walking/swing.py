r"""The swing foot: lifted, carried to a footstep that may still move, and put down softly.

Every coordinate goes on from where it is along the quintic that ends at its target in the time that is left, so that a target
that moves bends the path and breaks nothing:

.. math:: \dddot p = \frac{60 (p_1 - p)}{T^3} - \frac{36 \dot p + 24 \dot p_1}{T^2} - \frac{9 \ddot p}{T}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

RISING = 0.45
"""Part of the swing in which the foot rises [-]."""

LIFT_FIRST = 1.6
"""Time for which a foot that climbs goes only up at first, for every metre that it climbs [s/m]: past the face of the step."""

DROP_LAST = 1.6
"""Time that a foot which goes down a step is over it before its touch, for every metre of the step [s/m]."""

LANDING_SPEED = 0.05
"""Speed with which it comes down on the ground that is expected [m/s]."""

FEELING_SPEED = 0.5
"""Speed with which a foot that found no ground goes on down [m/s]."""

SETTLED = 0.06
"""Time before the end of a swing from which the foot only goes down [s]: the quintic's gains rise without bound at its end."""

BRAKE = 20.0
"""Rate at which what is left of other motions dies out from then on [1/s]."""

LATE = 0.002
"""How far below where the ground was expected a foot has found none [m]."""

HURRY = 60.0
"""Rate at which a foot that found no ground gets as fast as that [1/s]: the centre of mass is on its way to it."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SwingFoot:
    """State of a foot in the air; coordinates are x, y, yaw, roll, pitch, z.

    Attributes:
        position: Shape ``(6,)`` [m, rad].
        velocity: Shape ``(6,)``.
        acceleration: Shape ``(6,)``.
        start: Height from which it was lifted [m].
        clearance: How far over that, and over where it is to stand, it is lifted [m].
        rise: How much higher than where it was lifted the ground on its way is [m].
    """

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    start: float
    clearance: float
    rise: float = 0.0

    @staticmethod
    def lift(pose: np.ndarray, height: float) -> SwingFoot:
        """Return a foot that stands, to be lifted by a height [m] from its pose, homogeneous, shape ``(4, 4)``."""
        roll, pitch, yaw = pin.rpy.matrixToRpy(pose[:3, :3])
        position = np.array([pose[0, 3], pose[1, 3], yaw, roll, pitch, pose[2, 3]])
        return SwingFoot(
            position=position, velocity=np.zeros(6), acceleration=np.zeros(6), start=float(pose[2, 3]), clearance=height
        )

    @property
    def pose(self) -> np.ndarray:
        """Pose in world, homogeneous, shape ``(4, 4)``."""
        x, y, yaw, roll, pitch, z = self.position
        pose = np.eye(4)
        pose[:3, :3] = pin.rpy.rpyToMatrix(roll, pitch, yaw)
        pose[:3, 3] = x, y, z
        return pose

    @property
    def motion(self) -> np.ndarray:
        """Linear and angular velocity in world axes, shape ``(6,)``; the rates of roll and pitch are small, and left out."""
        return np.array([self.velocity[0], self.velocity[1], self.velocity[5], 0.0, 0.0, self.velocity[2]])

    @property
    def motion_rate(self) -> np.ndarray:
        """Linear and angular acceleration in world axes, shape ``(6,)``, likewise."""
        return np.array([self.acceleration[0], self.acceleration[1], self.acceleration[5], 0.0, 0.0, self.acceleration[2]])

    def advance(self, target: np.ndarray, elapsed: float, duration: float, dt: float) -> SwingFoot:
        """Return the state after ``dt``.

        Args:
            target: Where the foot is to stand, in the order of ``position``, shape ``(6,)`` [m, rad].
            elapsed: Time since the foot was lifted [s].
            duration: Time from lifting to the planned touch [s].
            dt: Time [s].
        """
        left = duration - elapsed
        if left <= SETTLED:
            return self._feel(float(target[5]), dt)
        goal = target.copy()
        # A foot turns the shorter way round.
        goal[2] = self.position[2] + math.remainder(goal[2] - self.position[2], 2.0 * math.pi)
        arrival, times = np.zeros(6), np.full(6, left - 0.5 * SETTLED)
        climb, drop = max(0.0, float(target[5]) - self.start), max(0.0, self.start - float(target[5]))
        times[:5] = np.maximum(times[:5] - DROP_LAST * drop, 0.5 * SETTLED)
        if elapsed < LIFT_FIRST * climb:
            goal[:5] = self.position[:5]
        rising = RISING * duration + DROP_LAST * drop - elapsed
        rise = max(climb, self.rise)
        if rising > SETTLED:
            goal[5], times[5] = self.start + rise + self.clearance, rising
        else:
            arrival[5], times[5] = -LANDING_SPEED, left
        jerk = (
            60.0 * (goal - self.position) / times**3
            - (36.0 * self.velocity + 24.0 * arrival) / times**2
            - 9.0 * self.acceleration / times
        )
        return replace(
            self,
            position=self.position + dt * self.velocity + dt**2 / 2.0 * self.acceleration + dt**3 / 6.0 * jerk,
            velocity=self.velocity + dt * self.acceleration + dt**2 / 2.0 * jerk,
            acceleration=self.acceleration + dt * jerk,
        )

    def stay(self) -> SwingFoot:
        """Return the state of one that goes no further."""
        return replace(self, velocity=np.zeros(6), acceleration=np.zeros(6))

    def _feel(self, ground: float, dt: float) -> SwingFoot:
        """Go straight down at the speed of landing; below the ground that was expected [m], at that of feeling for it."""
        wanted = np.zeros(6)
        late = self.position[5] < ground - LATE
        wanted[5] = -(FEELING_SPEED if late else LANDING_SPEED)
        acceleration = (HURRY if late else BRAKE) * (wanted - self.velocity)
        velocity = self.velocity + dt * acceleration
        return replace(self, position=self.position + dt * velocity, velocity=velocity, acceleration=acceleration)
