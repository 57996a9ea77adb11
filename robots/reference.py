"""What the whole-body controller tracks: the one language all modes speak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.grasp import NO_LOAD, Grasp, Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Residuals:
    """How exactly a reference keeps what it promises.

    Attributes:
        contact: Largest distance of a contact from where it must be [m].
        equilibrium: Largest force or moment missing to the base's static equilibrium [N, Nm].
        torque: Largest excess of a joint torque over its limit [Nm].
    """

    contact: float = 0.0
    equilibrium: float = 0.0
    torque: float = 0.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Reference:
    """A feasible state of the robot for the controller to track.

    Attributes:
        time: Clock of the robot the reference is meant for [s].
        q: Configuration in Pinocchio's order, shape ``(nq,)``.
        v: Velocity with which ``q`` changes, shape ``(nv,)``.
        joint_torques: Torques of the static equilibrium, shape ``(n,)`` [Nm].
        position_com_in_world: Centre of mass, shape ``(3,)`` [m].
        velocity_com_in_world: Its velocity, shape ``(3,)`` [m/s].
        acceleration_com_in_world: Its acceleration, shape ``(3,)`` [m/s^2].
        support_polygon: Vertices of the region of the ground plane that must hold the divergent component of motion,
            counter-clockwise, in world, shape ``(k, 2)`` [m]: the support polygon, with hands in contact the stability region.
        effector_poses: Pose of every effector's contact frame in world, in the description's order, shape
            ``(effectors, 4, 4)``, homogeneous.
        effector_velocities: Linear and angular velocity of every effector in world axes, shape ``(effectors, 6)``.
        contacts: Which effectors are in contact with the environment, shape ``(effectors,)``, bool.
        contact_normals: Outward normals of the surfaces under the contacts in world, unit, shape ``(effectors, 3)``.
        contact_wrenches: Wrench exerted by the environment on every effector, shape ``(effectors, 6)``: in the contact
            frame for a plane contact, in world axes for a point contact (no moment), force [N] before moment [Nm].
        external_forces: Forces in world that others exert on free effectors and then on the body's touch points, as they
            are balanced on effectors and as measured on the body, shape ``(touched, 3)`` [N]; None where nobody does.
        grasp: Which two effectors hold an object, and move with it; None where none do.
        load: What it weighs, and with what others push it.
        residuals: How exactly contacts, equilibrium and torque limits are kept.
        effector_accelerations: Linear and angular acceleration of every effector in world axes, shape ``(effectors, 6)``; a
            foot in the air whose acceleration is given swings, and is held to its path harder than what is drawn to a pose.
            None where nothing swings.
        zmp_shift: By how much the contacts' ZMP is off the pendulum's, shape ``(2,)`` [m], by a leg that swings and by others'
            pushes: the pendulum's may be in the support polygon less this. None for nothing.
        natural_frequency: Of the pendulum by which the acceleration of the centre of mass was planned [rad/s]; 0 where none
            was: the controller takes that of the measured height.
    """

    time: float
    q: np.ndarray
    v: np.ndarray
    joint_torques: np.ndarray
    position_com_in_world: np.ndarray
    velocity_com_in_world: np.ndarray
    acceleration_com_in_world: np.ndarray
    support_polygon: np.ndarray
    effector_poses: np.ndarray
    effector_velocities: np.ndarray
    contacts: np.ndarray
    contact_normals: np.ndarray
    contact_wrenches: np.ndarray
    external_forces: np.ndarray | None = None
    grasp: Grasp | None = None
    load: Load = NO_LOAD
    residuals: Residuals = Residuals()
    effector_accelerations: np.ndarray | None = None
    zmp_shift: np.ndarray | None = None
    natural_frequency: float = 0.0

    @property
    def is_walk(self) -> bool:
        """Whether the motion of the centre of mass is planned ahead over the feet, with margins of its own."""
        return self.natural_frequency > 0.0
