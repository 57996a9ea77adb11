r"""What a robot weighs, and where its centre of mass is, by what its feet feel while it stands.

At rest the contacts balance the weight, :math:`\sum_i f_i = m g \hat z`, and their centre of pressure :math:`p` is under the
centre of mass. Of a robot whose mass and centre of mass are thought to be others, on the average of a while,

.. math::

    \dot{\hat m} = \frac{1}{T} \Bigl( \frac{\hat z^T \sum_i f_i}{g} - \hat m \Bigr), \qquad
    \dot{\hat o} = \frac{1}{T} \bigl( p - c(q) - \hat o \bigr)

with the time constant :math:`T` of a mean at first, and a fixed one in the end.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.robot import RobotState

AVERAGING, FORGETTING = 5.0, 20.0
"""Time of standing still before anything is told, and time constant in the end [s]: what a robot carries changes."""

AT_REST = 0.05
"""Speed of the base, and rate of its turning, under which it stands still [m/s], [rad/s]."""

MAX_GAP = 0.1
"""Time from one state to the next after which it is not known to have stood still in between [s]."""

MIN_LOAD = 0.5
"""Part of the weight that is thought of under which its feet do not carry it alone [-]."""


class Centroid:
    """Learns mass and centre of mass of a robot whose feet alone are in contact.

    Attributes:
        mass: What it weighs [kg].
        offset: Where its centre of mass is from where it is thought to be, in the heading's axes, shape ``(2,)`` [m].
        learnt_for: How long it has stood still for that [s].
    """

    def __init__(self, model: RobotModel) -> None:
        """Begin with what is thought of."""
        self._feet = [e for e, effector in enumerate(model.effectors) if effector.standing and effector.sensed]
        self._weight = model.weight
        self.mass, self.offset, self.learnt_for = model.mass, np.zeros(2), 0.0
        self._time = -math.inf

    @property
    def is_known(self) -> bool:
        """Whether it has stood still long enough."""
        return self.learnt_for >= AVERAGING

    def update(self, state: RobotState, poses: np.ndarray, position_com: np.ndarray, *, learns: bool) -> None:
        """Learn from a state.

        Args:
            state: What is measured.
            poses: Of the effectors' contact frames in world, shape ``(effectors, 4, 4)``.
            position_com: Centre of mass in world as it is thought to be, shape ``(3,)`` [m].
            learns: Whether nothing but the feet is in contact, and nobody pushes.
        """
        dt, self._time = state.time - self._time, state.time
        if not learns or not 0.0 < dt <= MAX_GAP or np.abs(state.v[:6]).max() > AT_REST:
            return
        rotations, wrenches = poses[self._feet, :3, :3], state.contact_wrenches[self._feet]
        forces = np.einsum("eij,ej->ei", rotations, wrenches[:, :3])
        moments = np.einsum("eij,ej->ei", rotations, wrenches[:, 3:]) + np.cross(poses[self._feet, :3, 3], forces)
        force, moment = forces.sum(axis=0), moments.sum(axis=0)
        if force[2] < MIN_LOAD * self._weight:
            return
        self.learnt_for += dt
        gain = dt / min(self.learnt_for, FORGETTING)
        self.mass += gain * (float(force[2]) / GRAVITY - self.mass)
        pressure = np.array([-moment[1], moment[0]]) / force[2]
        self.offset += gain * (_turn(pressure - position_com[:2], -_find_heading(state.q)) - self.offset)


def _find_heading(q: np.ndarray) -> float:
    """Find the heading of a base [rad]."""
    x, y, z, w = q[3:7]
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _turn(vector: np.ndarray, angle: float) -> np.ndarray:
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.array([cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1]])
