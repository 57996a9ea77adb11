r"""Where a robot's base is, by what it carries: an inertial unit, encoders, and the wrenches on what it stands on.

A sole stays where it is. A ball of radius r that a robot stands on rolls as its leg turns, by :math:`\phi` in world: what is
known of it is its centre, which moves on by

.. math:: \Delta d = \phi \times r e_z, \qquad \phi = R (\omega \, dt + \log(Q_k Q_{k-1}^T))

with the base's attitude R and angular velocity :math:`\omega` and the ball's attitude Q in its frame, on ground that is level.
Taken for one that stays, ANYmal's base was 13 mm off after it had leant forward by 20 cm.

The unit itself is followed, and the base from there: what a unit off the base's origin would have told at it takes the
differences of its rate, which are noise, and lost where a state is missed.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.contact_aided_filter import ContactAidedFilter, ContactAidedParameters
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

STANDING, LIFTED = 0.15, 0.05
"""Parts of the weight from which on a contact stands, and under which it stands no more [-]."""

LEVER_ARM_TIME_CONSTANT = 0.01
"""Time constant over which the angular velocity is averaged that carries the unit's velocity to the base [s].

The noise of each sample's was 0.4 mm/s of a G1's base, 9 cm away, and torques at rest swung by more for it.
"""

_VELOCITY, _GYROSCOPE_BIAS = slice(3, 6), slice(-6, -3)
"""Rows of the filter's error."""


class BaseEstimator:
    """Follows the base of a robot (see ``BaseEstimate``).

    Attributes:
        filter: What the unit is followed by (see ``contact_aided_filter``).
        standing: Which effectors stand, shape ``(effectors,)``, bool: feet whose force is measured. Hands do not, however hard
            they press: people pull them, and lead them.
    """

    def __init__(
        self, model: RobotModel, parameters: ContactAidedParameters | None = None, mount: UnitMount | None = None
    ) -> None:
        """Begin at the origin, level and at rest.

        Args:
            model: The robot.
            parameters: Of the filter.
            mount: Where the unit is; None for the base's origin, along its axes.
        """
        self._model, self._kinematics = model, EffectorKinematics(model)
        self._mount = mount = mount or UnitMount()
        self._joint = model.joint_names.index(mount.joint) if mount.joint else None
        self._rate = 0.0
        self._unit_in_base = mount.place(0.0)
        self._feet = [e for e, effector in enumerate(model.effectors) if effector.is_foot and effector.sensed]
        self._q = pin.neutral(model.pinocchio)
        self.filter = ContactAidedFilter(len(self._feet), parameters)
        self.standing = np.zeros(len(model.effectors), dtype=np.bool_)
        self._radii = np.array([model.effectors[foot].radius for foot in self._feet])
        self._rotations: np.ndarray | None = None
        self._has_arm, self._mean_angular_velocity = any(mount.position), np.zeros(3)
        # White noise of a density, averaged so.
        density = (parameters or ContactAidedParameters()).inertial.gyroscope
        self._mean_variance = density**2 / (2.0 * LEVER_ARM_TIME_CONSTANT)

    def reset(self, q: np.ndarray) -> None:
        """Begin at rest in a configuration that is believed, shape ``(nq,)``."""
        self._follow_joint(q[7:], None)
        pose = pin.XYZQUATToSE3(q[:7]).homogeneous @ self._unit_in_base
        self.filter.reset(pose[:3, :3], np.zeros(3), pose[:3, 3])
        self.standing[:] = False
        self._rotations, self._mean_angular_velocity = None, np.zeros(3)

    def update(
        self,
        sample: InertialSample,
        joints: np.ndarray,
        wrenches: np.ndarray,
        dt: float,
        velocities: np.ndarray | None = None,
    ) -> None:
        """Go on by a period.

        Args:
            sample: What the unit measured over it.
            joints: Measured joint positions at its end, shape ``(n,)`` [rad].
            wrenches: Measured contact wrenches then, shape ``(effectors, 6)``.
            dt: Its length [s].
            velocities: Measured joint velocities then, shape ``(n,)`` [rad/s]; None for none where a joint turns the unit.
        """
        self._follow_joint(joints, velocities)
        self._q[7:] = joints
        self._kinematics.update(self._q)
        feet = self._feet
        min_forces = np.where(self.standing[feet], LIFTED, STANDING) * self._model.weight
        standing = wrenches[feet, 2] > min_forces
        self.standing[feet] = standing
        rolled = self._roll(sample, dt) if self._radii.any() else None
        positions = (self._kinematics.poses[feet, :3, 3] - self._unit_in_base[:3, 3]) @ self._unit_in_base[:3, :3]
        self.filter.update(sample, standing, positions, dt, rolled)
        if self._has_arm:
            change = self.filter.angular_velocity - self._mean_angular_velocity
            self._mean_angular_velocity = self._mean_angular_velocity + dt / (dt + LEVER_ARM_TIME_CONSTANT) * change

    def _follow_joint(self, joints: np.ndarray, velocities: np.ndarray | None) -> None:
        """Note where the joint is that turns the unit, and how fast it does."""
        if self._joint is None:
            return
        self._rate = 0.0 if velocities is None else float(velocities[self._joint])
        self._unit_in_base = self._place_unit(joints)

    def _place_unit(self, joints: np.ndarray) -> np.ndarray:
        """Return the pose of the unit in the base's frame, shape ``(4, 4)``."""
        return self._mount.place(0.0 if self._joint is None else float(joints[self._joint]))

    def find_attitude(self, attitude: np.ndarray, joints: np.ndarray) -> np.ndarray:
        """Return the attitude of the base in world by that of the unit, shape ``(3, 3)`` each.

        Args:
            attitude: Of the unit in world.
            joints: Joint positions, shape ``(n,)`` [rad].
        """
        return np.asarray(attitude @ self._place_unit(joints)[:3, :3].T)

    @property
    def _rotation(self) -> np.ndarray:
        """Attitude of the base in world, shape ``(3, 3)``."""
        return np.asarray(self.filter.rotation @ self._unit_in_base[:3, :3].T)

    def _roll(self, sample: InertialSample, dt: float) -> np.ndarray:
        """Return by how much the centres of round feet have moved on over a period, were they on the ground, in world [m]."""
        now = self._kinematics.poses[self._feet, :3, :3]
        turns = now @ np.swapaxes(now if self._rotations is None else self._rotations, 1, 2)
        self._rotations = now
        # To the first order of the angle that a leg turns by in a period.
        turned = 0.5 * np.stack(
            [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1
        )
        angular_velocity = self._mount.carry_angular_velocity(
            sample.angular_velocity - self.filter.biases[0], self._unit_in_base[:3, :3], self._rate
        )
        turned = (turned + dt * angular_velocity) @ self._rotation.T
        return np.stack([turned[:, 1], -turned[:, 0], np.zeros(len(turned))], axis=1) * self._radii[:, None]

    @property
    def covariance(self) -> np.ndarray:
        r"""As in ``RobotState.base_covariance``, shape ``(9, 9)``.

        Where the unit is off the base's origin the base's velocity has the errors of its rate besides, of the gyroscope's bias
        and of its noise n, averaged: :math:`\xi_{v_b} = \xi_v + R_u \, r_\times (n - \xi_{b_g})`.
        """
        covariance = self.filter.covariance
        if not self._has_arm:
            return covariance[:9, :9].copy()
        arm = self.filter.rotation @ pin.skew(np.array(self._mount.position))
        jacobian = np.eye(9, len(covariance))
        jacobian[_VELOCITY, _GYROSCOPE_BIAS] = -arm
        told = jacobian @ covariance @ jacobian.T
        told[_VELOCITY, _VELOCITY] += self._mean_variance * arm @ arm.T
        return np.asarray(told)

    @property
    def slips(self) -> int:
        """How often a contact that was said to stand was taken to have moved."""
        return self.filter.slips

    @property
    def pose(self) -> np.ndarray:
        """Position [m] and quaternion xyzw of the base in world, as in a configuration, shape ``(7,)``."""
        rotation = self._rotation
        position = self.filter.position - rotation @ self._unit_in_base[:3, 3]
        return np.concatenate([position, pin.Quaternion(rotation).coeffs()])

    @property
    def velocity(self) -> np.ndarray:
        """Linear and angular velocity of the base in its own axes, as in ``RobotState.v``, shape ``(6,)`` [m/s, rad/s]."""
        velocity, rotation = self.filter.rotation.T @ self.filter.velocity, self._unit_in_base[:3, :3]
        linear = (
            self._mount.carry_velocity(velocity, self._mean_angular_velocity, rotation)
            if self._has_arm
            else rotation @ velocity
        )
        angular = self._mount.carry_angular_velocity(self.filter.angular_velocity, rotation, self._rate)
        return np.concatenate([linear, angular])
