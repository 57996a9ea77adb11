r"""What the drives pursue beside the feed-forward torques: the motion that the controller asked for.

The controller's torques give its accelerations only where its model is true. Friction, rotors and wrong masses leave a
difference, whose leaking integral is the distance of the desired from the measured velocity,

.. math::

    v_d - v = o, \qquad \dot o = \ddot q^* - \dot v - o / T, \qquad \tau = \tau_{ff} + k_d (v_d - v),

so that a drive pushes the harder the longer its joint lags. Were the reference's own motion pursued, the drives would stand
against the controller wherever it leaves the reference to keep the balance. Arms and legs in the air do not keep it: theirs
pursue the reference as well,

.. math:: \tau = \tau_{ff} + k_p (q^{ref} - q) + k_d (v^{ref} + o - v) .
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handhold.robots.limb_joints import find_arm_joints, find_leg_joints
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference
from handhold.robots.robot import MAX_PERIOD, RobotState
from handhold.robots.simulation.actuation import DAMPING, STABLE_PART, compute_mobility, limit_damping

MAX_LEAD = 0.1
"""How far from where an arm's joint is measured its desired position may be [rad]: one that sagged comes back by degrees."""

GAINS_PERIOD = 0.02
"""Time after which the gains are chosen anew [s]: the inverse of a mass matrix is not to be had in every cycle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveParameters:
    """Gains of what the drives add; what each does is on the tuning page.

    Attributes:
        limb_stiffness: Gain on the position of a joint of an arm, or of a leg in the air, as a part of its largest torque
            [1/rad].
        leak: Time in which a difference is forgotten [s].
        lag: How late the torques of an arm's drives may be for its gains to be stable [s]: delays, and the time constant of
            the torques.
        step: The same for all other joints, which carry the robot and are not shaken so easily [s].
    """

    limb_stiffness: float = 8.0
    leak: float = 0.2
    lag: float = 0.01
    step: float = 4e-3

    @classmethod
    def of(cls, model: RobotModel) -> DriveParameters:
        """Return the gains of a robot: where its drives are described, those of its arms are as high as their lag allows."""
        usual, drives = cls(), model.description.drives
        if drives is None or drives.bandwidth is None:
            return usual
        return replace(usual, lag=max(drives.lag, usual.step))


class DriveTargets:
    """Desired joint motion and gains beside the torques of a controller.

    Attributes:
        stiffness: Gains on position, shape ``(n,)`` [Nm/rad].
        damping: Gains on velocity, shape ``(n,)`` [Nms/rad].
    """

    def __init__(self, model: RobotModel, parameters: DriveParameters | None = None) -> None:
        """Begin without a difference."""
        self._parameters = parameters or DriveParameters.of(model)
        p = self._parameters
        self._arms = find_arm_joints(model)
        self._legs = find_leg_joints(model)
        # Joints that pursue the reference: arms, and legs of feet in the air.
        self._limbs = self._arms
        self._lags = np.where(self._arms, p.lag, p.step)
        self._limits = model.motor_torques
        self._contacts = np.ones(len(model.effectors), dtype=bool)
        # Of every joint, were it one of those [Nm/rad].
        self._stiffness = np.zeros(model.n)
        self.stiffness, self.damping = np.zeros(model.n), np.zeros(model.n)
        self._known_at = -math.inf
        self._offset = np.zeros(model.n)
        self._acceleration = np.zeros(model.n)
        self._state: RobotState | None = None

    def choose_gains(self, mass_matrix: np.ndarray, time: float) -> None:
        """Choose the gains that are stable in the present posture, now and then.

        Args:
            mass_matrix: Mass matrix, upper triangle, shape ``(nv, nv)``.
            time: Clock of the robot [s].
        """
        if abs(time - self._known_at) < GAINS_PERIOD:
            return
        self._known_at, p = time, self._parameters
        mobility = compute_mobility(mass_matrix)
        self.damping = limit_damping(DAMPING * self._limits, mobility, self._lags)
        # The position loop is to be slower than the velocity loop that is stable.
        stiffest = 0.5 * STABLE_PART**2 / (self._lags**2 * mobility)
        self._stiffness = np.minimum(p.limb_stiffness * self._limits, stiffest)
        self.stiffness = np.where(self._limbs, self._stiffness, 0.0)

    def update_contacts(self, contacts: np.ndarray, *, swung: bool) -> None:
        """Note which effectors are in contact: legs of the feet in the air pursue the reference.

        A foot that was lowered until it touched has pressed meanwhile: what its leg lacked then was the ground's doing, and
        pursued any further would push a foot sideways that hardly bears. One that swung comes down at once.

        Args:
            contacts: Of the reference, shape ``(effectors,)``, bool.
            swung: Whether feet that are in contact now, and were not, swung as in walking.
        """
        if not swung:
            landed = contacts & ~self._contacts
            self._offset[self._legs[landed].any(axis=0)] = 0.0
        self._contacts = contacts
        self._limbs = self._arms | self._legs[~contacts].any(axis=0)
        self.stiffness = np.where(self._limbs, self._stiffness, 0.0)

    def forget(self) -> None:
        """Begin without a difference again: what was asked for was not done."""
        self._offset, self._acceleration, self._state = np.zeros_like(self._offset), np.zeros_like(self._acceleration), None

    def update(self, acceleration: np.ndarray, reference: Reference, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return desired positions and velocities, shape ``(n,)`` each [rad, rad/s].

        Where no newer state has come all joints pursue the reference alone: what was measured before says nothing any more.

        Args:
            acceleration: What the controller asks for, shape ``(n,)`` [rad/s^2].
            reference: What the arms pursue.
            state: What is measured.
        """
        dt = 0.0 if self._state is None else state.time - self._state.time
        repeated = self._state is not None and dt <= 0.0
        if self._state is None or not 0.0 < dt <= MAX_PERIOD:
            self._offset = np.zeros_like(self._offset)
        else:
            gained = state.v[6:] - self._state.v[6:]
            kept = max(0.0, 1.0 - dt / self._parameters.leak)
            self._offset = kept * self._offset + dt * self._acceleration - gained
        self._acceleration, self._state = acceleration, state
        lead = reference.q[7:] + (state.time - reference.time) * reference.v[6:] - state.q[7:]
        positions = state.q[7:] + np.minimum(MAX_LEAD, np.maximum(-MAX_LEAD, lead))
        if repeated:
            return positions, reference.v[6:].copy()
        return positions, np.where(self._limbs, reference.v[6:], state.v[6:]) + self._offset
