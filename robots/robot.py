"""What goes into a robot and comes out of it, and the protocol every body follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from handhold.robots.description import RobotDescription
from handhold.robots.health import HealthLimits, RobotHealth
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

COMMAND_TIMEOUT = 0.1
"""Time without a command after which a robot damps its joints by itself, by its own clock [s]."""


MAX_PERIOD = 0.02
"""Time between two states after which the one before says nothing of the present one [s]."""


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RobotState:
    """What a robot measures in one control period.

    Attributes:
        time: Clock of the robot [s].
        q: Configuration in Pinocchio's order, shape ``(nq,)``: base position in world [m], base quaternion xyzw, joints [rad].
        v: Velocity, shape ``(nv,)``: base linear [m/s] and angular [rad/s] velocity in the base frame, joints [rad/s].
        joint_torques: Torques at the joints, shape ``(n,)`` [Nm].
        contact_wrenches: One row an effector, in the description's order, shape ``(effectors, 6)``: wrench exerted by the
            environment on the robot, at the origin and along the axes of the effector's contact frame, force [N] before
            moment [Nm].
        gripper_closings: How far each gripper is closed, 0 to 1, in the description's order, shape ``(grippers,)``.
        gripper_forces: Force with which each presses, on the finger that presses most, shape ``(grippers,)`` [N].
        unfiltered_velocity_base: Linear velocity of the base in its frame as it was measured, shape ``(3,)`` [m/s], where that
            in ``v`` is filtered; None where it is not.
        inertial: What the inertial unit measured over the last period in its own axes, shape ``(6,)``: angular velocity
            [rad/s] before specific force [m/s^2]; empty where there is no such unit.
        base_covariance: Covariance of the errors of the base's attitude [rad], velocity [m/s] and position [m] in world where
            these are estimated, shape ``(9, 9)``: right-invariant errors (see ``ContactAidedFilter``); empty where they are
            known.
    """

    time: float
    q: np.ndarray
    v: np.ndarray
    joint_torques: np.ndarray
    contact_wrenches: np.ndarray
    gripper_closings: np.ndarray = field(default_factory=_none)
    gripper_forces: np.ndarray = field(default_factory=_none)
    unfiltered_velocity_base: np.ndarray | None = None
    inertial: np.ndarray = field(default_factory=_none)
    base_covariance: np.ndarray = field(default_factory=_none)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class JointCommand:
    r"""What the joints are asked to do for one control period.

    The torque applied is :math:`\tau = \tau_{ff} + k_p (q_d - q) + k_d (v_d - v)`, limited to what the motors can give.

    Attributes:
        time: Clock of the robot when the command was computed [s].
        positions: Desired joint positions, shape ``(n,)`` [rad].
        velocities: Desired joint velocities, shape ``(n,)`` [rad/s].
        torques: Feed-forward torques, shape ``(n,)`` [Nm].
        stiffness: Gains on position, shape ``(n,)`` [Nm/rad].
        damping: Gains on velocity, shape ``(n,)`` [Nms/rad].
        gripper_closings: How far each gripper is to be closed, 0 to 1, shape ``(grippers,)``; empty: they stay as they are.
    """

    time: float
    positions: np.ndarray
    velocities: np.ndarray
    torques: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    gripper_closings: np.ndarray = field(default_factory=_none)

    @property
    def is_damping(self) -> bool:
        """Whether it only brakes: who sends it has given the robot up."""
        return not (self.stiffness.any() or self.torques.any())


class Robot(Protocol):
    """A robot, simulated or real.

    It outlives whoever commands it: one that has received no command for ``COMMAND_TIMEOUT`` by its own clock damps its joints
    by itself, as the firmware of makers does, until the next command. No process of ours takes part in that.
    """

    description: RobotDescription
    model: RobotModel

    def reset(self, q: np.ndarray) -> RobotState:
        """Put the robot into configuration ``q`` at rest (a real robot: check that it is there) and return its state."""
        ...

    def read(self) -> RobotState:
        """Return the present state."""
        ...

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command for the next control period and return the torques really applied, shape ``(n,)`` [Nm]."""
        ...

    def close(self) -> None:
        """Release the body; the robot is not commanded any more."""
        ...


class LiveRobot(Robot, Protocol):
    """A robot that keeps its own time: what it is told to do, it does until it is told otherwise, or nothing any more.

    Attributes:
        period: How often it tells its state, and is to be commanded [s].
        health_limits: What it stands.
    """

    period: float
    health_limits: HealthLimits

    @property
    def health(self) -> RobotHealth:
        """How it is, by what it told last."""
        ...

    @property
    def damped(self) -> bool:
        """Whether it is damped, because no command came in time."""
        ...

    @property
    def is_given_up(self) -> bool:
        """Whether the last command was to brake only."""
        ...

    @property
    def returned(self) -> bool:
        """Whether it has been handed back: its posture is held, whatever is commanded but to brake."""
        ...

    def wait(self) -> None:
        """Wait until it tells its state anew, or has not done so in time."""
        ...

    def hand_back(self) -> None:
        """Begin to hold its posture in place of what is commanded, so that somebody else can take it over."""
        ...


CONTROL_PERIOD = 1e-3
"""Control period of a simulated robot [s]."""


class SimulatedRobot(Robot, Protocol):
    """A robot whose time is ours: it moves only when it is advanced, in a world of its own.

    Attributes:
        world: What is around it.
        period: Control period at which it is driven [s].
        is_truthful: Whether what it measures is its state as it is, which takes time to be read twice.
    """

    world: World
    period: float
    is_truthful: bool

    @property
    def truth(self) -> RobotState:
        """Its state as it is, whatever its sensors have of it."""
        ...

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s] under the last command sent."""
        ...

    def push(self, force: np.ndarray, frame: str) -> None:
        """Apply an external force in world axes, shape ``(3,)`` [N], at the origin of a frame during the next ``advance``."""
        ...

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Apply an external force in world axes, shape ``(3,)`` [N], at a movable solid's middle during the next ``advance``.

        No hand measures it but by what holds the solid.
        """
        ...

    def effector_poses(self) -> np.ndarray:
        """Return the poses of the contact frames in world by the engine's own kinematics, shape ``(effectors, 4, 4)``."""
        ...

    def solid_poses(self) -> np.ndarray:
        """Return the present poses of the world's solids, in the world's order, shape ``(solids, 4, 4)``."""
        ...

    def shift_solid(self, index: int, displacement: np.ndarray) -> None:
        """Shift a fixed solid of the world at once, by a displacement in world, shape ``(3,)`` [m]; ``world`` says so."""
        ...
