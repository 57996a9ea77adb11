"""What the whole body does in a motion: centre of mass, angular momentum, zero moment point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.chart import BodyState, compute_body_state
from handhold.retarget.motions.motion import Motion
from handhold.robots.model import GRAVITY, RobotModel


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyMeasures:
    """What the whole body does at moments of a motion.

    Attributes:
        com: Centres of mass, shape ``(k, 3)`` [m].
        velocity: Their velocities, shape ``(k, 3)`` [m/s].
        acceleration: Their accelerations, shape ``(k, 3)`` [m/s^2].
        turning: Time derivatives of the angular momentum about the centre of mass, shape ``(k, 3)`` [Nm].
        mass: Mass [kg].
    """

    com: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    turning: np.ndarray
    mass: float

    def compute_levers(self, ground: np.ndarray) -> np.ndarray:
        """Compute h / (g + a), shape ``(k,)`` [s^2], over heights of the ground, shape ``(k,)`` [m]."""
        return np.asarray((self.com[:, 2] - ground) / (GRAVITY + self.acceleration[:, 2]))

    def compute_point_zmp(self, ground: np.ndarray) -> np.ndarray:
        """Compute the zero moment points of a point mass in the body's place, shape ``(k, 2)`` [m]."""
        return np.asarray(self.com[:, :2] - self.compute_levers(ground)[:, None] * self.acceleration[:, :2])

    def compute_zmp(self, ground: np.ndarray) -> np.ndarray:
        r"""Compute the zero moment points at heights of the ground [m], shape ``(k, 2)`` [m].

        .. math:: p_x = c_x - \frac{m h \ddot c_x + \dot L_y}{m (g + \ddot c_z)}, \qquad
            p_y = c_y - \frac{m h \ddot c_y - \dot L_x}{m (g + \ddot c_z)}
        """
        load = self.mass * (GRAVITY + self.acceleration[:, 2])
        moments = np.stack([self.turning[:, 1], -self.turning[:, 0]], axis=1)
        return np.asarray(self.compute_point_zmp(ground) - moments / load[:, None])


def list_states(motion: Motion, times: np.ndarray) -> list[BodyState]:
    """Return what the body does at moments of a motion, shape ``(k,)`` [s], in the motion frame."""
    frame = pin.SE3.Identity()
    return [compute_body_state(motion.sample(float(time)), frame) for time in times]


def measure_body(model: RobotModel, states: Sequence[BodyState]) -> BodyMeasures:
    """Measure centre of mass and angular momentum of what the body does at moments of a motion."""
    data = model.pinocchio.createData()
    com, velocity, acceleration, turning = [], [], [], []
    for state in states:
        pin.centerOfMass(model.pinocchio, data, state.q, state.v, state.a)
        com.append(data.com[0].copy())
        velocity.append(data.vcom[0].copy())
        acceleration.append(data.acom[0].copy())
        pin.computeCentroidalMomentumTimeVariation(model.pinocchio, data, state.q, state.v, state.a)
        turning.append(data.dhg.angular.copy())
    return BodyMeasures(
        com=np.stack(com),
        velocity=np.stack(velocity),
        acceleration=np.stack(acceleration),
        turning=np.stack(turning),
        mass=model.mass,
    )
