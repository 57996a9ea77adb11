"""A robot in one TOML file: what the rest of Handhold needs to know beyond the URDF."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pinocchio as pin
from pydantic import Field, model_validator

from handhold.robots.attachment import Attachment
from handhold.robots.contact_kind import ContactKind
from handhold.robots.drives import Drives
from handhold.robots.errors import DescriptionError, closest
from handhold.robots.gripper import Gripper
from handhold.robots.model_file import ModelFile
from handhold.robots.tables import MAX_NUMBER, Fraction, Length, Name, Positive, Table, UnitInterval, Vector3, load_table
from handhold.robots.touch_point import TouchPoint
from handhold.robots.urdf_source import UrdfSource

Duration = Annotated[Positive, Field(le=10.0)]
Speed = Annotated[Positive, Field(le=100.0)]
Stride = Annotated[Positive, Field(le=10.0)]
Pixels = Annotated[int, Field(gt=0, le=1 << 13)]

MIN_LEG_JOINTS = 6
"""Joints of a leg that walks: with fewer, a foot cannot be put level wherever the next step is."""

GAIT_CELL = 0.1
"""Time in whose multiples the phases of a gait last [s]: the cells of the predictive control's horizon."""


class Offset(Table):
    """A fixed placement: translation [m], then roll, pitch, yaw [rad]."""

    translation: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)

    def to_se3(self) -> pin.SE3:
        """Return the placement as a rigid transform."""
        return pin.SE3(pin.rpy.rpyToMatrix(*self.rpy), np.array(self.translation))


class Mount(Table):
    """One of several copies of the URDF that are mounted on a common stand.

    Attributes:
        prefix: What comes before the names of its links and joints.
        offset: Where its root link is in the stand, the robot's base.
    """

    prefix: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=20)]
    offset: Offset = Offset()


class Effector(Table):
    """A part of the robot that may be in contact with the environment or be moved by the operator.

    Attributes:
        name: Name used in references, logs and messages.
        frame: Frame of the URDF the effector is fixed to.
        offset: Contact frame in that frame: z is the outward normal of the surface it stands on, x forward.
        contact: What it touches with.
        half_lengths: Half lengths of the rectangle along x and y of the contact frame [m]; plane contacts only.
        radius: Radius of the collision sphere centred in the contact frame [m]; point contacts only, 0 for none.
        friction: Friction coefficient [-].
        min_normal_force: Minimum normal force while the contact is enabled [N].
        max_normal_force: Largest normal force [N]; what is fixed has none.
        hand: The operator's hand that moves this effector, if any; what no hand moves is a foot.
        standing: Whether the robot starts standing on it; feet only.
        sensed: Whether a sensor measures its contact wrench; that of the others is estimated from the joints' torques.
        compliant: Whether people may lead it before the operator has said so; hands only.
    """

    name: str
    frame: str
    offset: Offset = Offset()
    contact: ContactKind
    half_lengths: tuple[Length, Length] | None = None
    radius: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0
    friction: Positive = 0.6
    min_normal_force: Annotated[float, Field(ge=0.0)] = 0.0
    max_normal_force: Positive
    hand: Literal["left", "right"] | None = None
    standing: bool = False
    sensed: bool = True
    compliant: bool = False

    @model_validator(mode="before")
    @classmethod
    def _fixed_contacts_have_no_limits(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("contact") == ContactKind.FIXED:
            for key in ("min_normal_force", "max_normal_force", "friction", "sensed"):
                if key in values:
                    raise ValueError(f"leave out {key}: what is fixed bears any wrench, and nothing measures it")
            return values | {"max_normal_force": MAX_NUMBER, "sensed": False}
        return values

    @model_validator(mode="after")
    def _plane_contacts_have_a_rectangle(self) -> Effector:
        if (self.contact is ContactKind.PLANE) != (self.half_lengths is not None):
            raise ValueError("give half_lengths for a plane contact, and only for one")
        if self.min_normal_force >= self.max_normal_force:
            raise ValueError("min_normal_force must be below max_normal_force")
        if self.standing and self.hand is not None:
            raise ValueError("the robot starts standing on feet: leave out hand, or standing")
        if self.compliant and self.hand is None:
            raise ValueError("people lead hands: leave out compliant, or give hand")
        if self.contact is ContactKind.FIXED and not self.standing:
            raise ValueError("the robot stands on what is fixed: give standing = true, and no hand")
        return self

    @property
    def is_foot(self) -> bool:
        """Whether it supports the robot's weight in contact: no hand of the operator moves it."""
        return self.hand is None

    @property
    def is_fixed(self) -> bool:
        """Whether it is bolted down, and never moves."""
        return self.contact is ContactKind.FIXED


class Margins(Table):
    """Insets of the soles, or of the hull of a robot's point feet [m].

    The reference keeps further from the real edges than the controller that tracks it.

    Attributes:
        controller: Of the controller.
        reference: Of the reference.
        walking: Of the controller while the robot walks, whose ZMP is planned with an inset of its own
            (``Walking.zmp_inset``); None for that of the controller.
    """

    controller: Annotated[float, Field(ge=0.0)] = 0.0
    reference: Annotated[float, Field(ge=0.0)] = 0.0
    walking: Annotated[float, Field(ge=0.0)] | None = None

    @property
    def walking_controller(self) -> float:
        """Inset of the controller while the robot walks [m]."""
        return self.controller if self.walking is None else self.walking


class Scales(Table):
    """Fractions of limits that may be used.

    Attributes:
        torque: Of the URDF's joint torques, by the reference.
        velocity: Of the URDF's joint velocities, by the reference.
        friction: Of the effectors' friction coefficients, by the reference: what the controller has more of is what it needs
            to track a reference at its limit.
    """

    torque: Fraction = 1.0
    velocity: Fraction = 1.0
    friction: Fraction = 0.8


class Camera(Table):
    """A camera carried by the robot: optical axes (z forward, x right, y down) in a frame of the URDF."""

    name: str
    frame: str
    offset: Offset = Offset()
    width: Pixels = 848
    height: Pixels = 480
    horizontal_fov: Annotated[float, Field(gt=0.0, lt=3.1)] = 1.5


class SelfCollisions(Table):
    """Which parts of the robot must keep clear of each other.

    Attributes:
        bodies: Parts by name: lists of links of the URDF, or of effectors (a sole, or the sphere of a point with a radius).
            Leave out links next to the other body of a pair: neighbours always touch.
        pairs: Pairs of bodies that could meet.
        least_distance: Distance that two bodies of a pair keep [m].
        influence_distance: Distance below which their approach is slowed down [m].
    """

    bodies: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    least_distance: Positive = 0.02
    influence_distance: Positive = 0.15

    @model_validator(mode="after")
    def _pairs_name_different_bodies(self) -> SelfCollisions:
        for first, second in self.pairs:
            for name in (first, second):
                if name not in self.bodies:
                    near = closest(name, tuple(self.bodies), 2)
                    hint = f"did you mean {' or '.join(near)}" if near else "list its links under bodies"
                    raise ValueError(f"the pair [{first}, {second}] names no body '{name}': {hint}?")
            if first == second:
                raise ValueError(f"the pair [{first}, {second}] needs two different bodies")
        if len({frozenset(pair) for pair in self.pairs}) != len(self.pairs):
            raise ValueError("a pair is listed twice")
        if self.influence_distance <= self.least_distance:
            raise ValueError("influence_distance must be above least_distance")
        return self


class Walking(Table):
    """How a robot walks on two feet.

    Attributes:
        single_support: Time on one foot in a step [s]; a multiple of ``GAIT_CELL``, as the next two.
        double_support: Time on both feet in a step [s].
        first_double_support: The same before the first step, while the centre of mass gets moving [s].
        step_height: Height of the swing foot [m].
        spacing: Distance of the feet from middle to middle [m].
        least_spacing: Minimum distance between them, so that they never touch or cross [m].
        widest_spacing: Largest one [m].
        longest_step: Largest distance that a foot is put ahead of the other [m].
        longest_backward: Largest distance that it is put behind [m].
        largest_turn: Largest turn from one foot to the next [rad].
        zmp_inset: How far inside the edges of the soles the ZMP is planned [m].
        speed: Largest speed forward [m/s].
        backward_speed: Largest speed backward [m/s].
        sideways_speed: Largest speed to a side [m/s].
        turning_speed: Largest turning rate [rad/s].
        acceleration: Largest change of the commanded speed [m/s^2].
        turning_acceleration: Largest change of the commanded turning rate [rad/s^2].
        com_drop: How much lower the centre of mass is than in the standing posture, so that the knees never stretch [m].
    """

    single_support: Duration = 0.7
    double_support: Duration = 0.3
    first_double_support: Duration = 0.8
    step_height: Stride = 0.06
    spacing: Stride
    least_spacing: Stride
    widest_spacing: Stride
    longest_step: Stride
    longest_backward: Stride
    largest_turn: Speed = 0.3
    zmp_inset: Annotated[float, Field(ge=0.0)] = 0.03
    speed: Speed = 0.3
    backward_speed: Speed = 0.2
    sideways_speed: Speed = 0.1
    turning_speed: Speed = 0.3
    acceleration: Speed = 0.5
    turning_acceleration: Speed = 0.5
    com_drop: Annotated[float, Field(ge=0.0)] = 0.0

    @property
    def step_duration(self) -> float:
        """Time from one step to the next [s]."""
        return self.single_support + self.double_support

    @model_validator(mode="after")
    def _spacings_rise(self) -> Walking:
        if not self.least_spacing <= self.spacing <= self.widest_spacing:
            raise ValueError("least_spacing, spacing and widest_spacing must not fall")
        return self

    @model_validator(mode="after")
    def _phases_fit_the_cells(self) -> Walking:
        for name in ("single_support", "double_support", "first_double_support"):
            cells = getattr(self, name) / GAIT_CELL
            if abs(cells - round(cells)) > 1e-6 or round(cells) < 1:
                raise ValueError(f"{name} must be a multiple of {GAIT_CELL} s")
        if self.first_double_support < self.double_support:
            raise ValueError("first_double_support must not be below double_support")
        return self


class RobotDescription(Table):
    """All that Handhold knows of a robot beyond its URDF.

    Attributes:
        name: Short name, as on the command line.
        title: Name for people.
        license: SPDX name of the licence of the URDF and the meshes.
        urdf: Where the URDF is.
        base_rpy: Orientation of the base frame of the model (x forward, z up) in the URDF's root link: roll, pitch, yaw [rad].
        mounts: Copies of the URDF that make the robot, on a link ``stand`` of their own; none where it is the robot.
        locked_joints: Joints that are held fixed and are no part of the configuration, with their positions [rad].
        effectors: Feet and hands, in the order of all per-effector arrays.
        trunk: Frames whose orientation the controller holds besides the base's.
        posture: Nominal joint positions [rad]; joints not named stand at 0 or at their nearest limit.
        margins: Insets of what the robot stands on.
        scales: Fractions of the URDF's limits in use.
        velocity_limits: Joint velocity limits [rad/s] that replace those of the URDF.
        torque_limits: Joint torque limits [Nm] that replace those of the URDF.
        cameras: Cameras the robot carries.
        grippers: Its grippers, in the order of all per-gripper arrays.
        touch_points: Where people push its body; none where it does not give way there.
        attachments: What it carries that its URDF does not have.
        drives: What its drives are like; None where nobody has found out.
        joint_words: What people call joints, by their names, where the words found for them are not the right ones.
        color: Red, green, blue, 0 to 1, in which the robot is drawn in place of the URDF's colours.
        self_collision: Which parts of the robot must keep clear of each other.
        walking: How it walks; None where it does not.
        source: File the description was read from.
    """

    name: Name
    title: str
    license: str
    urdf: UrdfSource
    base_rpy: Vector3 = (0.0, 0.0, 0.0)
    mounts: Annotated[tuple[Mount, ...], Field(max_length=8)] = ()
    locked_joints: dict[str, float] = Field(default_factory=dict)
    effectors: Annotated[tuple[Effector, ...], Field(min_length=1)]
    trunk: tuple[str, ...] = ()
    posture: dict[str, float] = Field(default_factory=dict)
    margins: Margins = Margins()
    scales: Scales = Scales()
    velocity_limits: dict[str, Positive] = Field(default_factory=dict)
    torque_limits: dict[str, Positive] = Field(default_factory=dict)
    drives: Drives | None = None
    joint_words: dict[str, Annotated[str, Field(min_length=1, max_length=40)]] = Field(default_factory=dict)
    cameras: tuple[Camera, ...] = ()
    grippers: tuple[Gripper, ...] = ()
    touch_points: Annotated[tuple[TouchPoint, ...], Field(max_length=4)] = ()
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=32)] = ()
    color: tuple[UnitInterval, UnitInterval, UnitInterval] | None = None
    self_collision: SelfCollisions = SelfCollisions()
    walking: Walking | None = None
    source: str

    @model_validator(mode="after")
    def _effectors_differ(self) -> RobotDescription:
        names = [effector.name for effector in self.effectors]
        if len(set(names)) != len(names):
            raise ValueError(f"effectors need different names, not {names}")
        hands = [effector.hand for effector in self.effectors if effector.hand]
        if len(set(hands)) != len(hands):
            raise ValueError(f"a hand of the operator moves one effector, not several: {hands}")
        return self

    @model_validator(mode="after")
    def _mounts_differ(self) -> RobotDescription:
        prefixes = [mount.prefix for mount in self.mounts]
        if len(set(prefixes)) != len(prefixes):
            raise ValueError(f"mounts need different prefixes, not {prefixes}")
        if self.mounts and any(self.base_rpy):
            raise ValueError("each of the mounts has an offset of its own: leave out base_rpy")
        return self

    @model_validator(mode="after")
    def _what_is_fixed_stands_alone(self) -> RobotDescription:
        fixed = [effector.name for effector in self.effectors if effector.is_fixed]
        others = [effector.name for effector in self.effectors if effector.is_foot and not effector.is_fixed]
        if len(fixed) > 1 or (fixed and others):
            needless = ", ".join((*fixed[1:], *others))
            raise ValueError(f"a robot that is bolted down at {fixed[0]} needs no {needless}: leave it out")
        if fixed and self.walking is not None:
            raise ValueError("a robot that is bolted down does not walk: leave out walking")
        return self

    @model_validator(mode="after")
    def _grippers_are_at_hands(self) -> RobotDescription:
        hands = [effector.name for effector in self.effectors if effector.hand]
        at = [gripper.hand for gripper in self.grippers]
        for hand in at:
            if hand not in hands:
                raise ValueError(f"a gripper is at '{hand}': take one of the hands {', '.join(hands) or '(there are none)'}")
        if len(set(at)) != len(at):
            raise ValueError(f"a hand has one gripper, not several: {at}")
        return self

    @model_validator(mode="after")
    def _bodies_are_touched_that_move(self) -> RobotDescription:
        names = [*(effector.name for effector in self.effectors), *(point.name for point in self.touch_points)]
        if len(set(names)) != len(names):
            raise ValueError(f"effectors and touch_points need different names, not {names}")
        if self.is_fixed and self.touch_points:
            raise ValueError("a robot that is bolted down does not give way with its body: leave out touch_points")
        return self

    @model_validator(mode="after")
    def _margins_leave_soles(self) -> RobotDescription:
        widest = max(self.margins.controller, self.margins.reference, self.margins.walking_controller)
        for effector in self.effectors:
            if effector.half_lengths is not None and widest >= min(effector.half_lengths):
                raise ValueError(
                    f"margins of {widest} m leave nothing of the sole of {effector.name}; "
                    f"keep them below its half lengths, {min(effector.half_lengths)} m"
                )
        return self

    @property
    def is_fixed(self) -> bool:
        """Whether the robot is bolted down: its base never moves."""
        return any(effector.is_fixed for effector in self.effectors)

    @property
    def mounted(self) -> tuple[tuple[str, pin.SE3], ...]:
        """The mounts: of each what comes before its names, and where its root link is in the stand."""
        return tuple((mount.prefix, mount.offset.to_se3()) for mount in self.mounts)

    def model_file(self) -> ModelFile:
        """Return the URDF and where its meshes are looked for.

        Raises:
            DescriptionError: The package that ships it is not installed, or there is no such file (see ``UrdfSource.find``).
        """
        return self.urdf.find_model_file(self.source)

    def urdf_file(self) -> Path:
        """Return the URDF's file (see ``model_file``)."""
        return self.urdf.find(self.source)


def known_robots() -> tuple[str, ...]:
    """Return the names of the robots that Handhold ships."""
    folder = resources.files("handhold.robots") / "descriptions"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def installed_robots() -> tuple[str, ...]:
    """Return the names of those of them whose URDF is here: one may come with a package that is installed for it alone."""
    return tuple(name for name in known_robots() if load_description(name).urdf.is_installed)


def load_description(name_or_file: str) -> RobotDescription:
    """Load a robot by the name of a shipped description or by the path of a TOML file.

    Raises:
        DescriptionError: The name is unknown, or the file cannot be read, or a key is wrong; says which, and the remedy.
    """
    if name_or_file.endswith(".toml"):
        file = Path(name_or_file)
    elif name_or_file in known_robots():
        file = Path(str(resources.files("handhold.robots") / "descriptions" / f"{name_or_file}.toml"))
    else:
        known = known_robots()
        raise DescriptionError(
            name_or_file, "", "no such robot", f"take one of {', '.join(known)}, or give the path of a .toml file"
        )
    return load_table(file, RobotDescription)
