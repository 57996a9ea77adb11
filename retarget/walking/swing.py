r"""The swing foot: from lift-off to a footstep that may still move, and a soft touchdown.

Every coordinate goes on from where it is along the quintic that ends at its target in the time that is left, so that a target
that moves bends the path and breaks nothing:

.. math:: \dddot p = \frac{60 (p_1 - p)}{T^3} - \frac{36 \dot p + 24 \dot p_1}{T^2} - \frac{9 \ddot p}{T}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

RISE_PHASE = 0.45
"""Part of the swing in which the foot rises [-]."""

VERTICAL_LIFT_TIME = 1.6
"""Time for which a foot that climbs goes only up at first, for every metre that it climbs [s/m]: past the face of the step."""

VERTICAL_DROP_TIME = 1.6
"""Time that a foot which goes down a step is over it before its touch, for every metre of the step [s/m]."""

LANDING_SPEED = 0.05
"""Speed with which it comes down on the ground that is expected [m/s]."""

SEARCH_SPEED = 0.5
"""Speed with which a foot that found no ground goes on down [m/s]."""

DESCENT_TIME = 0.06
"""Time before the end of a swing from which the foot only goes down [s]: the quintic's gains rise without bound at its end."""

DECAY_RATE = 20.0
"""Rate at which what is left of other motions dies out from then on [1/s]."""

LATE_TOUCHDOWN = 0.002
"""How far below where the ground was expected a foot has found none [m]."""

SEARCH_RATE = 60.0
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
    def lift_off(pose: np.ndarray, height: float) -> SwingFoot:
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
            elapsed: Time since lift-off [s].
            duration: Time from lift-off to the planned touchdown [s].
            dt: Time [s].
        """
        left = duration - elapsed
        if left <= DESCENT_TIME:
            return self._descend(float(target[5]), dt)
        goal = target.copy()
        # A foot turns the shorter way round.
        goal[2] = self.position[2] + math.remainder(goal[2] - self.position[2], 2.0 * math.pi)
        arrival, times = np.zeros(6), np.full(6, left - 0.5 * DESCENT_TIME)
        climb, drop = max(0.0, float(target[5]) - self.start), max(0.0, self.start - float(target[5]))
        times[:5] = np.maximum(times[:5] - VERTICAL_DROP_TIME * drop, 0.5 * DESCENT_TIME)
        if elapsed < VERTICAL_LIFT_TIME * climb:
            goal[:5] = self.position[:5]
        rising = RISE_PHASE * duration + VERTICAL_DROP_TIME * drop - elapsed
        rise = max(climb, self.rise)
        if rising > DESCENT_TIME:
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

    def freeze(self) -> SwingFoot:
        """Return the state of one that goes no further."""
        return replace(self, velocity=np.zeros(6), acceleration=np.zeros(6))

    def _descend(self, ground: float, dt: float) -> SwingFoot:
        """Go straight down at the speed of landing; below the ground that was expected [m], at that of searching for it."""
        desired = np.zeros(6)
        late = self.position[5] < ground - LATE_TOUCHDOWN
        desired[5] = -(SEARCH_SPEED if late else LANDING_SPEED)
        acceleration = (SEARCH_RATE if late else DECAY_RATE) * (desired - self.velocity)
        velocity = self.velocity + dt * acceleration
        return replace(self, position=self.position + dt * velocity, velocity=velocity, acceleration=acceleration)
