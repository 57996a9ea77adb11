"""What a viewer or a recording is told of one control cycle (no OpenGL is imported with it)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from handhold.robots.reference import Reference


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandStatus:
    """What became of one hand of the operator.

    Attributes:
        engaged: The clutch of the hand is closed: its motion moves the robot.
        waiting: Why an open clutch does not close or was opened (``"squeeze to move"``, ``"not tracked"``,
            ``"squeeze again"``), in words for the operator.
        target: Pose commanded for the effector in world after the filters, shape ``(4, 4)``, homogeneous.
        effector: Name of the effector under the hand's command; empty where it commands none.
        contact: State of that effector's contact: ``"free"``, ``"approaching"``, ``"touching"``, ``"loading"``,
            ``"loaded"`` or ``"unloading"``.
    """

    engaged: bool
    waiting: str
    target: np.ndarray
    effector: str = ""
    contact: str = "free"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Events counted since the session began.

    Attributes:
        refused_samples: Operator samples refused (NaN, infinity, jumps).
        lost_tracking: Times a hand that was engaged lost its tracking.
        lost_link: Times the operator's link fell silent while engaged.
        qp_failures_reference: QPs of the retargeting without a solution.
        qp_failures_controller: QPs of the controller without a solution.
        qp_relaxed_controller: QPs of the controller that had one only without the limits of joints' positions.
        overruns: Cycles over their budget.
        refused_commands: Requests of the operator that the robot does not know.
        refused_states: States of the robot that could not be believed.
        refused_messages: Messages of the link that were forged, sent before, unreadable, too late or not the driver's.
    """

    refused_samples: int = 0
    lost_tracking: int = 0
    lost_link: int = 0
    qp_failures_reference: int = 0
    qp_failures_controller: int = 0
    qp_relaxed_controller: int = 0
    overruns: int = 0
    refused_commands: int = 0
    refused_states: int = 0
    refused_messages: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StabilityRegion:
    """Where the centre of mass may be.

    Attributes:
        vertices: Polygon in world seen from above, counter-clockwise, shape ``(k, 2)`` [m].
        height: Height of the ground it is drawn on [m].
        margin: Distance of the reference's centre of mass to its edge, negative outside [m].
        edge: The edge that is nearest, by the index of its first vertex.
        limit: What limits that edge, in words (``"left hand friction"``, ``"arm left 4 joint torque"``); empty for nothing.
    """

    vertices: np.ndarray
    height: float
    margin: float
    edge: int
    limit: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Candidate:
    """A surface a hand could brace on.

    Attributes:
        pose: Pose in world, z its outward normal, shape ``(4, 4)``.
        boundary: Polygon in its own x and y, counter-clockwise, shape ``(k, 2)`` [m].
        hand: ``"left"`` or ``"right"``.
        gain: What a brace on it adds to the margin [m].
        chosen: Whether the operator has taken it.
        age: Time since it was last seen [s].
    """

    pose: np.ndarray
    boundary: np.ndarray
    hand: str
    gain: float
    chosen: bool
    age: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Preview:
    """A pose that is coming: of a brace, or of a mode the operator points at.

    Attributes:
        title: What it is, in words.
        q: Configuration, shape ``(nq,)``.
        feasible: Whether it can be reached.
        reason: Why not, in words.
        region: Stability region it would have, or None.
    """

    title: str
    q: np.ndarray
    feasible: bool
    reason: str = ""
    region: StabilityRegion | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Footstep:
    """A step ahead.

    Attributes:
        side: ``"left"`` or ``"right"``.
        pose: Pose of the sole in world, shape ``(4, 4)``.
        delay: Time until the foot comes down [s].
    """

    side: str
    pose: np.ndarray
    delay: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModeStatus:
    """A mode the operator can switch to.

    Attributes:
        name: Name, as in ``Snapshot.mode``.
        title: Name for people.
        feasible: Whether it could be entered now.
        reason: Why not, in words.
    """

    name: str
    title: str
    feasible: bool
    reason: str = ""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SwitchStatus:
    """Something of the mode in charge that the operator can turn on and off.

    Attributes:
        name: Name for requests.
        title: Name for people.
        on: Whether it is on.
    """

    name: str
    title: str
    on: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Snapshot:
    """All that a viewer or a recording needs of one control cycle.

    Attributes:
        time: Clock of the robot [s].
        cycle: Number of the cycle.
        robot: Name of the robot's description.
        mode: Name of the mode in charge (``"bracing"``, ``"hold"``, ``"damp"``).
        stop: ``""``, ``"hold"`` or ``"damp"``: the latched stop.
        q: Measured configuration, shape ``(nq,)``.
        position_com_in_world: Measured centre of mass, shape ``(3,)`` [m].
        contact_wrenches: Measured, as in RobotState, shape ``(effectors, 6)``.
        reference: What the controller tracks.
        left: What became of the left hand.
        right: What became of the right hand.
        active_constraints: Names of the reference's constraints that are saturated now.
        messages: Warnings and reasons in words, the most urgent first.
        counters: Events counted so far.
        input_age: Age of the operator's last sample when this was measured [s], counted from its arrival at the host.
        joint_torques: Measured joint torques, shape ``(n,)`` [Nm]; empty where not told.
        region: Stability region now, or None.
        coming_region: Stability region that a hand would make that comes near a surface, were it to bear there, or None.
        candidates: Surfaces a hand could brace on.
        preview: A pose that is coming, or None.
        footsteps: Steps ahead, the next one first.
        modes: Modes the operator can switch to.
        switches: What the operator can turn on and off in the mode in charge.
        measured_at: When the robot was measured, by the monotonic clock of the process that has the snapshot [s]: the host's
            where it is made, the station's once it has come over the link. Not a number where nobody has told.
    """

    time: float
    cycle: int
    robot: str
    mode: str
    stop: str
    q: np.ndarray
    position_com_in_world: np.ndarray
    contact_wrenches: np.ndarray
    reference: Reference
    left: HandStatus
    right: HandStatus
    active_constraints: tuple[str, ...]
    messages: tuple[str, ...]
    counters: Counters
    input_age: float
    joint_torques: np.ndarray = field(default_factory=lambda: np.zeros(0))
    region: StabilityRegion | None = None
    coming_region: StabilityRegion | None = None
    candidates: tuple[Candidate, ...] = ()
    preview: Preview | None = None
    footsteps: tuple[Footstep, ...] = ()
    modes: tuple[ModeStatus, ...] = ()
    switches: tuple[SwitchStatus, ...] = ()
    measured_at: float = math.nan
