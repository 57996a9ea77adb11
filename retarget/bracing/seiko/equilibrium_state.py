"""A configuration with contacts in static equilibrium, and what can be said of it."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.retarget.bracing.seiko.contact_following import measure_contact_error
from handhold.retarget.bracing.seiko.contact_terms import ContactTerms
from handhold.retarget.bracing.seiko.external_forces import NO_FORCES, ExternalForces, compute_pressure_shift
from handhold.retarget.bracing.seiko.seiko_step import Shortcomings
from handhold.retarget.bracing.seiko.static_equilibrium import StaticEquilibrium
from handhold.robots.contact import Stance
from handhold.robots.grasp import NO_LOAD
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import GRAVITY, MIN_PENDULUM_HEIGHT, RobotModel
from handhold.robots.tasks.object_rows import compute_twist_transform


class EquilibriumState:
    r"""Configuration, contacts and their wrenches.

    Attributes:
        stance: Contacts in force.
        q: Desired configuration, shape ``(nq,)``.
        v: Velocity of the last step, shape ``(nv,)``.
        wrenches: Desired contact wrenches, stacked as the stance says, shape ``(l,)``.
        external: Forces of others on free effectors and on the body.
        load: What the object weighs that is held and with what others push it, as far as the reference balances it; nothing
            where none is.
        measured_load: What that is measured to be.
        residual: :math:`G - J^T \lambda` at the desired configuration, external forces among the wrenches, shape ``(nv,)``:
            the disequilibrium of the base, then the joint torques [N, Nm].
        terms: What is asked of each effector's contact.
        velocity_com: Velocity of the centre of mass over the last step, shape ``(3,)`` [m/s].
        acceleration_com: Change of that velocity over the last step, shape ``(3,)`` [m/s^2].
        kinematics: Poses and Jacobians at the desired configuration.
    """

    def __init__(self, model: RobotModel, stance: Stance, q: np.ndarray, terms: ContactTerms | None) -> None:
        """Begin at rest, without forces; ``terms`` None for contacts on level ground where they are."""
        self._model = model
        self.stance = stance
        self._contacts = np.array(stance.effectors)
        self.kinematics = EffectorKinematics(model, with_points=True)
        self.q = q.copy()
        self.v = np.zeros(model.nv)
        self.wrenches = np.zeros(stance.size)
        self.external = NO_FORCES
        self.load = self.measured_load = NO_LOAD
        self.velocity_com = np.zeros(3)
        self.acceleration_com = np.zeros(3)
        self.kinematics.update(self.q)
        self._base_position = self.kinematics.data.oMi[1].translation
        self.terms = terms or ContactTerms.begin(model, self.kinematics.poses)
        self._equilibrium = StaticEquilibrium(model, self.kinematics, stance)
        self.residual = self._equilibrium.residual

    def set_at_rest(self) -> None:
        """Set all velocities to zero at the desired configuration."""
        self.v = np.zeros(self._model.nv)
        self.velocity_com, self.acceleration_com = np.zeros(3), np.zeros(3)

    def refresh(self) -> None:
        r"""Compute :math:`G - J^T \lambda` and its derivative (eq. 13, 17), external forces among the wrenches."""
        forces = self.external
        wrenches = np.concatenate([self.wrenches, forces.balanced.ravel()]) if forces.pushed else self.wrenches
        self._equilibrium.update(self.q, wrenches)

    @property
    def joint_torques(self) -> np.ndarray:
        """Joint torques of the static equilibrium, shape ``(n,)`` [Nm]."""
        return self.residual[6:].copy()

    @property
    def equilibrium_error(self) -> float:
        """Largest force or moment missing to the equilibrium of the base, or of an object that is held [N, Nm]."""
        return max(float(np.abs(self.residual[:6]).max()), self._object_error)

    @property
    def _object_error(self) -> float:
        grasp = self.stance.grasp
        if grasp is None:
            return 0.0
        first, second = self.stance.unstack(self.wrenches, len(self._model.effectors))[list(grasp.effectors)]
        weight = self.load.compute_wrench(self.kinematics.poses[grasp.effectors[0], :3, :3])
        return float(np.abs(weight - first - compute_twist_transform(grasp.placement).T @ second).max())

    def _place_held(self) -> None:
        """Let the contacts of hands that hold an object be where the first one takes it."""
        if self.stance.grasp is not None:
            first, second = self.stance.grasp.effectors
            fill_held_poses(self.kinematics.poses, self.stance.grasp.placement, first, second, self.terms.poses)

    @property
    def torque_overshoot(self) -> float:
        """Largest excess of a joint torque over its limit [Nm]."""
        return float(max(0.0, (np.abs(self.residual[6:]) - self._model.torque_limits).max()))

    @property
    def contact_excess(self) -> float:
        """Largest excess of the contact wrenches over friction, tilting, torsion and normal force bounds [N]."""
        stance = self.stance
        normal = stance.normals @ self.wrenches
        lower_bounds = self.terms.min_forces[self._contacts]
        excess = (stance.cone @ self.wrenches, lower_bounds - normal, normal - stance.max_normal)
        return float(max(0.0, *(part.max(initial=0.0) for part in excess)))

    @property
    def contact_error(self) -> float:
        """Largest distance of a contact from where it must be [m]."""
        return float(measure_contact_error(self._contacts, self.terms.poses, self.kinematics.poses))

    @property
    def shortcomings(self) -> Shortcomings:
        """What is missing to a feasible equilibrium."""
        torques = np.abs(self.residual[6:]) - self._model.torque_limits
        joints = np.maximum(self._model.lower - self.q[7:], self.q[7:] - self._model.upper)
        return Shortcomings(
            contact=self.contact_error,
            equilibrium=self.equilibrium_error,
            force=self.contact_excess,
            torques=torques,
            joints=joints,
            joint_words=self._model.joint_words,
        )

    def compute_force(self, effector: int) -> float:
        """Compute the norm of the force at a contact [N]; 0 where the effector is not in contact."""
        if effector not in self.stance.effectors:
            return 0.0
        first = self.stance.offsets[self.stance.effectors.index(effector)]
        return float(np.linalg.norm(self.wrenches[first : first + 3]))

    def compute_normal_force(self, effector: int) -> float:
        """Compute the normal force at a contact [N]; 0 where the effector is not in contact."""
        if effector not in self.stance.effectors:
            return 0.0
        return float(self.stance.normals[self.stance.effectors.index(effector)] @ self.wrenches)

    def compute_nominal_load(self, effector: int) -> float:
        """Compute the normal force of a foot if all feet were loaded alike [N]; 0 for a hand, which need not be loaded."""
        if not self._model.effectors[effector].is_foot:
            return 0.0
        return self._model.weight / len(self.stance.feet)

    def compute_min_force(self, effector: int) -> float:
        """Compute the minimum normal force of a contact [N]."""
        return self._model.effectors[effector].min_normal_force

    @property
    def acting_forces(self) -> ExternalForces:
        """Forces of others that the controller is to reckon with: on hands what is balanced, on the body all there is.

        An arm at its limit passes on no more than that; what pushes the body is there whether it is leant against yet or not.
        """
        return self.external.take_measured(len(self._model.effectors)) if self.external.pushed else self.external

    @property
    def pressure_shift(self) -> np.ndarray:
        """How far from under the centre of mass external forces have the centre of pressure at rest, shape ``(2,)`` [m]."""
        points = self.kinematics.touched_poses[list(self.external.pushed), :3, 3]
        points[:, :2] -= self.kinematics.position_com_in_world[:2]
        return compute_pressure_shift(self.acting_forces, points, self.ground_height, self._model.weight)

    @property
    def pendulum_frequency(self) -> float:
        """Natural frequency of the linear inverted pendulum over the contacts [rad/s]."""
        return self._compute_frequency(self.ground_height)

    def _compute_frequency(self, ground_height: float) -> float:
        height = self.kinematics.position_com_in_world.item(2) - ground_height
        return math.sqrt(GRAVITY / max(height, MIN_PENDULUM_HEIGHT))

    @property
    def ground_height(self) -> float:
        """Mean height in world of what the feet stand on [m]."""
        poses, feet = self.terms.poses, self.stance.feet
        return sum(poses.item(foot, 2, 3) for foot in feet) / len(feet)


@njit(cache=True)
def fill_held_poses(poses: np.ndarray, placement: np.ndarray, first: int, second: int, held: np.ndarray) -> None:
    """Fill where two hands are that hold an object, by the first one's pose.

    Args:
        poses: Of all effectors in world, shape ``(effectors, 4, 4)``.
        placement: Contact frame of the second hand in that of the first, shape ``(4, 4)``.
        first: Index of the first hand.
        second: Index of the second one.
        held: Filled in their rows, shape ``(effectors, 4, 4)``.
    """
    for i in range(4):
        for j in range(4):
            held[first, i, j] = poses[first, i, j]
            turned = 0.0
            for k in range(4):
                turned += poses[first, i, k] * placement[k, j]
            held[second, i, j] = turned
