"""A mode of teleoperation: from what the operator commands to what the robot should track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState


class NoSuchSwitch(RetargetError):
    """A mode is asked to turn over a switch that it does not have."""

    def __init__(self, mode: str, name: str) -> None:
        self.mode = mode
        self.name = name
        super().__init__(f"mode '{mode}' has no switch '{name}'; ask for one of those it lists")


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Something that the operator may turn on and off while a mode is in charge.

    Attributes:
        name: Name for requests.
        title: Name for people.
        on: Whether it is on.
    """

    name: str
    title: str
    on: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StabilitySight:
    """Where the centre of mass may be.

    Attributes:
        vertices: Polygon in world seen from above, counter-clockwise, shape ``(k, 2)`` [m].
        height: Height of the ground it is drawn on [m].
        margin: Distance of the reference's centre of mass from its edge, negative outside [m].
        edge: The edge that is nearest, by the index of its first vertex.
        limit: What limits that edge, by its name (``"left_hand friction"``, ``"arm_left_4_joint torque"``); empty for nothing.
    """

    vertices: np.ndarray
    height: float
    margin: float
    edge: int
    limit: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ComingPose:
    """A pose that something the operator may ask for would lead to.

    Attributes:
        title: What it is, in words.
        q: Configuration, shape ``(nq,)``.
        feasible: Whether it can be reached.
        reason: Why not, in words.
        stability: What it would be to stand in it; None where that is not known.
    """

    title: str
    q: np.ndarray
    feasible: bool
    reason: str
    stability: StabilitySight | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ComingStep:
    """A footstep to come.

    Attributes:
        side: ``"left"`` or ``"right"``.
        pose: Pose of the sole in world, homogeneous, shape ``(4, 4)``.
        delay: Time until the foot comes down [s].
    """

    side: str
    pose: np.ndarray
    delay: float


class Mode(Protocol):
    """One way to drive the robot.

    Attributes:
        name: Name for the switcher, logs and the operator.
        title: Name for people.
        failures: Quadratic programs of the retargeting without a solution so far.
        failures_in_a_row: How many of them since the last that had one, or since the robot was last held at rest.
        active: Names of the constraints that hold the reference back now.
    """

    name: str
    title: str
    failures: int
    failures_in_a_row: int
    active: tuple[str, ...]

    @property
    def hands(self) -> tuple[int | None, int | None]:
        """Effectors that the operator's left and right hand command now."""
        ...

    @property
    def restarted(self) -> frozenset[int]:
        """Effectors whose clutch must begin anew, because something else than the operator has moved them."""
        ...

    @property
    def busy(self) -> bool:
        """Whether a motion that a button began is under way: it goes on without a clutch."""
        ...

    @property
    def hold_reason(self) -> str:
        """Why the robot must hold, in words; empty where nothing is wrong."""
        ...

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        ...

    @property
    def refused(self) -> int:
        """Commands of the operator refused so far."""
        ...

    @property
    def coming(self) -> ComingPose | None:
        """The pose that was asked to be seen in advance, when it is known."""
        ...

    @property
    def stability(self) -> StabilitySight | None:
        """Where the centre of mass may be now; None where that is not known."""
        ...

    @property
    def coming_stability(self) -> StabilitySight | None:
        """Where the centre of mass could be, did a hand that comes near a surface bear; None where none comes."""
        ...

    @property
    def footsteps(self) -> tuple[ComingStep, ...]:
        """Footsteps to come, the next one first; none where the mode plans none."""
        ...

    def carry(self, effector: int, /) -> np.ndarray | None:
        """Return the way that the mode itself has moved a hand since its clutch closed, homogeneous, shape ``(4, 4)``.

        A body that goes takes hands along; contact retargeting moves one along a surface. A hand's target is where it would be
        without. None where nothing moves it but the operator.
        """
        ...

    @property
    def stepping(self) -> bool:
        """Whether feet are on a way that ends on the ground by itself, so that how the robot will stand is not known yet."""
        ...

    @property
    def unrest(self) -> str:
        """Why the mode does not come to rest for another by itself, in words that say what to do; empty where it does."""
        ...

    def leave(self) -> None:
        """Come to rest where another mode may take charge; called once, then every update is told to hold."""
        ...

    @property
    def settled(self) -> bool:
        """Whether the robot stands still and nothing is under way, so that another mode may take charge."""
        ...

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What the operator may turn on and off; empty where there is nothing."""
        ...

    def switch(self, name: str) -> None:
        """Turn a switch over, at once; nothing jumps, and the mode keeps it when it is entered again.

        Raises:
            NoSuchSwitch: The mode has none of this name.
        """
        ...

    def describe_contact(self, effector: int) -> str:
        """Return the state of an effector's contact in a word (see ``HandStatus.contact``)."""
        ...

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the mode from taking charge of a robot that tracks a reference, in words that say what to do.

        Empty where nothing does. The reference is that of the mode in charge; its motion does not count, it is stopped first.
        """
        ...

    def foresee(self, reference: Reference, /) -> ComingPose:
        """Return the pose that taking charge there leads to, and whether it is possible; nothing moves."""
        ...

    def prepare(self, before: Reference, /) -> bool:
        """Do a part of the work of ``enter``, as long as a cycle has time for; says whether that is ready.

        Called once a cycle, while another mode is in charge and the robot stands still.

        Args:
            before: What the robot tracks, as ``enter`` will be told.
        """
        ...

    def enter(self, state: RobotState, before: Reference | None = None, /) -> Reference:
        """Take charge; whatever the mode kept of an earlier time in charge is forgotten, but for its switches.

        Args:
            state: What the robot measures.
            before: What it tracked so far, at rest: the posture to begin in. None to begin in the measured one.

        Raises:
            RetargetError: The mode cannot begin here, with what would mend it.
        """
        ...

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Return the reference of this control period; with ``hold`` the robot comes to rest and stays."""
        ...
