"""What SEIKO is asked for, what a step of it did, and what it cannot do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.seiko.preferred_posture import Preferences
from handhold.retarget.errors import RetargetError

MAX_CONTACT_ERROR = 1e-6
"""Distance of a contact from where it must be up to which it is kept [m]."""

MAX_FORCE_ERROR = 1e-3
"""Force or moment missing to the balance, or beyond a limit, up to which those are kept [N, Nm]."""

MAX_JOINT_ERROR = 1e-4
"""Angle past its limit up to which a joint is within it [rad]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Shortcomings:
    """What is missing to a feasible equilibrium.

    Attributes:
        contact: Largest distance of a contact from where it must be [m].
        equilibrium: Largest force or moment missing to the base's equilibrium [N, Nm].
        force: Largest excess of the contact wrenches over their limits [N].
        torques: Excess of each joint's torque over its limit, negative within it, shape ``(n,)`` [Nm].
        joints: How far each joint is past its limit, negative within, shape ``(n,)`` [rad].
        joint_words: What people call the joints.
    """

    contact: float
    equilibrium: float
    force: float
    torques: np.ndarray
    joints: np.ndarray
    joint_words: tuple[str, ...]

    @property
    def none(self) -> bool:
        """Whether nothing is missing, as exactly as a step keeps it."""
        return (
            self.contact < MAX_CONTACT_ERROR
            and max(self.equilibrium, self.force, float(self.torques.max())) < MAX_FORCE_ERROR
            and float(self.joints.max()) < MAX_JOINT_ERROR
        )

    def list_problems(self) -> tuple[str, ...]:
        """List all that is missing, in words: contacts, balance, forces, every joint's torque and angle."""
        found = []
        if self.contact >= MAX_CONTACT_ERROR:
            found.append(f"contacts off by {self.contact:.1e} m")
        if self.equilibrium >= MAX_FORCE_ERROR:
            found.append(f"balance off by {self.equilibrium:.1e} N")
        if self.force >= MAX_FORCE_ERROR:
            found.append(f"contact forces {self.force:.1e} N outside their limits")
        strained = self._list_joints(self.torques, MAX_FORCE_ERROR)
        found += [f"{name} {excess:.2f} Nm past its torque limit" for name, excess in strained]
        past = self._list_joints(self.joints, MAX_JOINT_ERROR)
        return (*found, *(f"{name} {np.rad2deg(excess):.2f} deg past its range" for name, excess in past))

    def list_remedies(self) -> tuple[str, ...]:
        """List what the operator can do about it; torques that a lack of balance brings about go with it."""
        if self.contact >= MAX_CONTACT_ERROR or max(self.equilibrium, self.force) >= MAX_FORCE_ERROR:
            return ("bring the robot's centre of mass over its feet",)
        strained = (*self._list_joints(self.torques, MAX_FORCE_ERROR), *self._list_joints(self.joints, MAX_JOINT_ERROR))
        names = dict.fromkeys(name for name, _ in strained)
        return (f"move {' and '.join(names)} nearer to where the robot has them at the start",)

    def _list_joints(self, excess: np.ndarray, tolerance: float) -> list[tuple[str, float]]:
        """List the joints that are past a limit by more than allowed, the worst first, as people say them."""
        order = [k for k in np.argsort(-excess).tolist() if excess[k] >= tolerance]
        return [(self.joint_words[k], float(excess[k])) for k in order]


class NoEquilibrium(RetargetError):
    """SEIKO found no feasible equilibrium near a configuration.

    Attributes:
        shortcomings: What is missing in the nearest posture that was found.
    """

    def __init__(self, shortcomings: Shortcomings) -> None:
        self.shortcomings = shortcomings
        problems, remedies = shortcomings.list_problems(), shortcomings.list_remedies()
        super().__init__(f"no feasible equilibrium near the present posture ({', '.join(problems)}); {' and '.join(remedies)}")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeikoTargets:
    """What one step of SEIKO is asked to follow.

    Attributes:
        effector_poses: Target poses of all effectors in world, shape ``(effectors, 4, 4)``; only free effectors' count.
        velocity_com_in_world: Commanded velocity of the centre of mass, shape ``(3,)`` [m/s]; NaN where not commanded.
        yaw_rate: Commanded turning rate of the base about the vertical [rad/s]; NaN where not commanded.
        preferences: What the posture is to come nearer to where nothing else is asked of it; None for nothing.
        rest: How hard the whole robot is to come to rest, 0 not at all to 1 as soon as balance allows; poses pull the less.
        rest_damping: By how many orders of magnitude joint velocities cost more than that: torques and posture still pull at a
            robot that comes to rest, and in a deep crouch it would creep for ever.
    """

    effector_poses: np.ndarray
    velocity_com_in_world: np.ndarray
    yaw_rate: float = float("nan")
    preferences: Preferences | None = None
    rest: float = 0.0
    rest_damping: float = 0.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SeikoStep:
    """What one step did.

    Attributes:
        solved: Whether the QP had a solution; where not, the configuration stays as it was.
        active: Names of the constraints that held the step back.
        iterations: Iterations of the solver.
        relaxed: Whether a solution was found only without taking back what violates its limits.
    """

    solved: bool
    active: tuple[str, ...]
    iterations: int
    relaxed: bool = False
