r"""Where a robot's base is, by what it carries: an inertial unit, encoders, and the wrenches on what it stands on.

A sole stays where it is. A ball of radius r that a robot stands on rolls as its leg turns, by :math:`\phi` in world: what is
known of it is its centre, which moves on by

.. math:: \Delta d = \phi \times r e_z, \qquad \phi = R (\omega \, dt + \log(Q_k Q_{k-1}^T))

with the unit's attitude R and angular velocity :math:`\omega` and the ball's attitude Q in its frame, on ground that is level.
Taken for one that stays, ANYmal's base was 13 mm off after it had leant forward by 20 cm.
"""

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
        self._radii = np.array([model.effectors[foot].radius for foot in self._feet])
        self._rotations: np.ndarray | None = None

    def reset(self, q: np.ndarray) -> None:
        """Begin at rest in a configuration that is believed, shape ``(nq,)``."""
        pose = pin.XYZQUATToSE3(q[:7])
        self.filter.reset(pose.rotation, np.zeros(3), pose.translation)
        self.standing[:] = False
        self._rotations = None

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
        rolled = self._roll(sample, dt) if self._radii.any() else None
        self.filter.update(sample, standing, self._kinematics.poses[feet, :3, 3], dt, rolled)

    def _roll(self, sample: InertialSample, dt: float) -> np.ndarray:
        """Return by how much the centres of round feet have moved on over a period, were they on the ground, in world [m]."""
        now = self._kinematics.poses[self._feet, :3, :3]
        turns = now @ np.swapaxes(now if self._rotations is None else self._rotations, 1, 2)
        self._rotations = now
        # To the first order of the angle that a leg turns by in a period.
        turned = 0.5 * np.stack(
            [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1
        )
        turned = (turned + dt * (sample.angular_velocity - self.filter.biases[0])) @ self.filter.rotation.T
        return np.stack([turned[:, 1], -turned[:, 0], np.zeros(len(turned))], axis=1) * self._radii[:, None]

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
