"""Where a robot's base is, by what it carries: an inertial unit, encoders, and the wrenches on what it stands on."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.contact_aided_filter import ContactAidedFilter, ContactAidedParameters
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

STANDING, LIFTED = 0.15, 0.05
"""Parts of the weight from which on a contact stands, and under which it stands no more [-]."""


class BaseEstimator:
    """Follows the base of a robot, whose unit is at the base's origin and along its axes (see ``BaseEstimate``).

    Attributes:
        filter: What it is followed by (see ``contact_aided_filter``).
        standing: Which effectors stand, shape ``(effectors,)``, bool: feet whose force is measured. Hands do not, however hard
            they press: people pull them, and lead them.
    """

    def __init__(self, model: RobotModel, parameters: ContactAidedParameters | None = None) -> None:
        self._model, self._kinematics = model, EffectorKinematics(model)
        self._feet = [e for e, effector in enumerate(model.effectors) if effector.is_foot and effector.sensed]
        self._q = pin.neutral(model.pinocchio)
        self.filter = ContactAidedFilter(len(self._feet), parameters)
        self.standing = np.zeros(len(model.effectors), dtype=np.bool_)

    def reset(self, q: np.ndarray) -> None:
        """Begin at rest in a configuration that is believed, shape ``(nq,)``."""
        pose = pin.XYZQUATToSE3(q[:7])
        self.filter.reset(pose.rotation, np.zeros(3), pose.translation)
        self.standing[:] = False

    def update(self, sample: InertialSample, joints: np.ndarray, wrenches: np.ndarray, dt: float) -> None:
        """Go on by a period.

        Args:
            sample: What the unit measured over it.
            joints: Measured joint positions at its end, shape ``(n,)`` [rad].
            wrenches: Measured contact wrenches then, shape ``(effectors, 6)``.
            dt: Its length [s].
        """
        self._q[7:] = joints
        self._kinematics.update(self._q)
        feet = self._feet
        min_forces = np.where(self.standing[feet], LIFTED, STANDING) * self._model.weight
        standing = wrenches[feet, 2] > min_forces
        self.standing[feet] = standing
        self.filter.update(sample, standing, self._kinematics.poses[feet, :3, 3], dt)

    @property
    def covariance(self) -> np.ndarray:
        """As in ``RobotState.base_covariance``, shape ``(9, 9)``."""
        return self.filter.covariance[:9, :9].copy()

    @property
    def slips(self) -> int:
        """How often a contact that was said to stand was taken to have moved."""
        return self.filter.slips

    @property
    def pose(self) -> np.ndarray:
        """Position [m] and quaternion xyzw of the base in world, as in a configuration, shape ``(7,)``."""
        return np.concatenate([self.filter.position, pin.Quaternion(self.filter.rotation).coeffs()])

    @property
    def velocity(self) -> np.ndarray:
        """Linear and angular velocity of the base in its own axes, as in ``RobotState.v``, shape ``(6,)`` [m/s, rad/s]."""
        return np.concatenate([self.filter.rotation.T @ self.filter.velocity, self.filter.angular_velocity])
