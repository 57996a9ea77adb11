"""What a mode reports of itself to whoever watches: nothing that the robot does depends on it.

But for the names of its toggles: what is not offered cannot be turned on or off.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class ContactState(StrEnum):
    """State of an effector's contact."""

    FREE = "free"
    APPROACHING = "approaching"
    TOUCHING = "touching"
    LOADING = "loading"
    LOADED = "loaded"
    UNLOADING = "unloading"


class Grip(StrEnum):
    """What a gripper does, in a word."""

    NONE = ""
    OPEN = "open"
    CLOSED = "closed"
    HOLDING = "holding"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StabilityRegion:
    """Where the centre of mass may be.

    Attributes:
        vertices: Polygon in world seen from above, counter-clockwise, shape ``(k, 2)`` [m].
        height: Height of the ground it is drawn on [m].
        margin: Distance of the reference's centre of mass from its edge, negative outside [m].
        edge: The edge that is nearest, by the index of its first vertex.
        limit: What limits that edge, in words (``"left hand friction"``, ``"left elbow torque"``); empty for nothing.
    """

    vertices: np.ndarray
    height: float
    margin: float
    edge: int
    limit: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Approach:
    """A known surface in front of an effector that is not in contact.

    Attributes:
        pose: Where the effector would touch, in world: z the surface's outward normal, x along the effector's own, shape
            ``(4, 4)``, homogeneous.
        half_lengths: Half lengths of what would touch, along the pose's x and y [m]; of a ball its radius, twice.
        is_round: Whether that is an ellipse rather than a rectangle.
        distance: Distance of the effector's nearest point from the surface, along the normal, negative beyond it [m].
        axis: Where the effector's back points to, in world, unit, shape ``(3,)``.
        tilt: Angle between that axis and the normal [rad].
        max_tilt: Largest one at which the effector may be sent there [rad].
        obstacle: Why it cannot be loaded there as it is, in words; empty where nothing is in the way.
    """

    pose: np.ndarray
    half_lengths: tuple[float, float]
    is_round: bool
    distance: float
    axis: np.ndarray
    tilt: float
    max_tilt: float
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    r"""How an effector in contact supports the robot.

    Attributes:
        normal_force: Normal force exerted on it, measured or estimated [N].
        desired_force: Normal force of the reference [N].
        max_force: Largest normal force it may be loaded by [N].
        friction_ratio: Used part of what friction can transmit, :math:`\|f_t\| / (\mu f_n)` [-]; not a number where it is
            loaded too little to know.
        margin_gain: What the contact adds to the stability margin [m]; infinite where nothing would hold the robot up without
            it, not a number before it is known.
    """

    normal_force: float
    desired_force: float
    max_force: float
    friction_ratio: float
    margin_gain: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandReport:
    """What is known of the effector that a hand of the operator commands.

    Attributes:
        approach: The known surface in front of it, or None.
        support: How it supports the robot, or None.
    """

    approach: Approach | None = None
    support: Support | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Preview:
    """A posture that something the operator may ask for would lead to.

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
    """A footstep to come.

    Attributes:
        side: ``"left"`` or ``"right"``.
        pose: Pose of the sole in world, shape ``(4, 4)``.
        delay: Time until the foot comes down [s].
    """

    side: str
    pose: np.ndarray
    delay: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Candidate:
    """A place where a hand could brace.

    Attributes:
        pose: Of the place in world, z the outward normal of its surface, x as the hand lies on it, shape ``(4, 4)``.
        boundary: What is drawn about it, a convex polygon in its x and y, counter-clockwise, shape ``(k, 2)`` [m].
        hand: ``"left"`` or ``"right"``.
        gain: What a brace on it adds to the margin [m].
        chosen: Whether the operator has taken it.
        age: Time since its surface was last seen [s].
    """

    pose: np.ndarray
    boundary: np.ndarray
    hand: str
    gain: float
    chosen: bool
    age: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """A part of the robot that is not where the person's is.

    Attributes:
        part: What people call it (``"left hand"``).
        effector: Which of the robot's effectors it is, by index.
        point: Which of the person's joints it should be at, by index.
        distance: From there [m].
        limits: Names of the constraints that have held it back of late, those of its own limb first.
    """

    part: str
    effector: int
    point: int
    distance: float
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PersonReport:
    """The person whom the robot follows, at the robot's size and place.

    Attributes:
        points: Joints in world, shape ``(k, 3)`` [m]: pelvis, waist, neck and head, then shoulder, elbow, wrist and hand of
            each arm.
        hands: The hands among them, left before right, shape ``(arms, 3)`` [m].
        bones: Which of them are joined, by index, shape ``(b, 2)``.
        lags: Parts that the robot cannot follow, the worst first.
        following: Whether the robot has come to the person; before, it is on its way there.
    """

    points: np.ndarray
    hands: np.ndarray
    bones: np.ndarray
    lags: tuple[Lag, ...]
    following: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle:
    """Something that the operator can turn on and off while a mode is in charge.

    Attributes:
        name: Name for requests.
        title: Name for people.
        on: Whether it is on.
    """

    name: str
    title: str
    on: bool


NOTHING_OF_HAND = HandReport()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModeReport:
    """What a mode reports for people; all of it is optional.

    Attributes:
        active_constraints: Names of the constraints of the reference that are active now.
        region: Stability region now, or None.
        preview_region: Stability region that a hand would make that comes near a surface, were it loaded there, or None.
        preview: A posture that was asked about, or None.
        footsteps: Footsteps to come, the next one first.
        toggles: What the operator can turn on and off.
        candidates: Places where hands could brace, the best first.
        left: Of the effector that the left hand commands.
        right: Of the one that the right hand commands.
        person: Whom the robot follows with its whole body, or None.
    """

    active_constraints: tuple[str, ...] = ()
    region: StabilityRegion | None = None
    preview_region: StabilityRegion | None = None
    preview: Preview | None = None
    footsteps: tuple[Footstep, ...] = ()
    toggles: tuple[Toggle, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    left: HandReport = NOTHING_OF_HAND
    right: HandReport = NOTHING_OF_HAND
    person: PersonReport | None = None

    @property
    def follows_person(self) -> bool:
        """Whether the robot has come to a person, and follows."""
        return self.person is not None and self.person.following
