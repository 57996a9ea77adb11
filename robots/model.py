"""A robot's kinematics and dynamics: pinocchio with the description's joints locked and contact frames added."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
import pinocchio as pin

from handhold.robots.attachment import Attachment
from handhold.robots.bodies import BodyCapsule, build_bodies, check_bodies
from handhold.robots.description import MIN_LEG_JOINTS, Effector, RobotDescription, load_description
from handhold.robots.drives import Drives
from handhold.robots.errors import DescriptionError, FrameNotFound, closest
from handhold.robots.joint_words import name_joints
from handhold.robots.reduction import reduce_geometry, reduce_model
from handhold.robots.touch_point import TouchPoint
from handhold.robots.urdf import build_full_model, give_mass, load_geometry

GRAVITY = 9.81
MIN_PENDULUM_HEIGHT = 0.1
"""Height of a pendulum [m] below which its frequency rises no further: of one that lies on the ground there is none."""
# Pinocchio's stand-in for a limit that a URDF leaves out.
_UNLIMITED = 1e30

T = TypeVar("T")


class RobotModel:
    """Kinematics and dynamics of one robot; holds no state of it.

    Attributes:
        description: What the model was built from.
        pinocchio: The model, free flyer first, locked joints removed, one frame an effector added.
        nq: Length of a configuration.
        nv: Length of a velocity.
        n: Number of actuated joints (``nv - 6``).
        joint_names: Names of the actuated joints, in order.
        joint_words: What people call them.
        lower: Lower joint limits, shape ``(n,)`` [rad].
        upper: Upper joint limits, shape ``(n,)`` [rad].
        velocity_limits: Joint velocity limits after scaling, shape ``(n,)`` [rad/s].
        torque_limits: Joint torque limits after scaling, shape ``(n,)`` [Nm].
        motor_torques: Joint torque limits of the motors themselves, shape ``(n,)`` [Nm].
        friction: Coulomb friction of the joints, as the description has it, shape ``(n,)`` [Nm].
        viscous_friction: What of it grows with the velocity, shape ``(n,)`` [Nms/rad].
        effectors: Effectors of the description, in order.
        effector_frames: Pinocchio's ids of their contact frames.
        effector_joints: Pinocchio's ids of the joints that carry them.
        effector_placements: Contact frames in the frames of those joints, shape ``(effectors, 4, 4)``.
        touch_points: Places of the body at which others push it. Where forces of others are meant, their indices follow those
            of the effectors.
        touched_names: Names of effectors and then of touch points.
        touched_joints: Pinocchio's ids of the joints that carry effectors and then touch points.
        touched_placements: Effectors and then touch points in the frames of those joints, shape ``(touched, 4, 4)``.
        gripper_hands: Effector at each gripper of the description, in order.
        trunk_frames: Pinocchio's ids of the frames whose orientation the controller holds.
        mass: Total mass [kg].
        q_nominal: Nominal configuration: the posture, soles (or spheres) of the standing effectors on the ground around the
            origin.
    """

    def __init__(self, description: RobotDescription) -> None:
        self.description = description
        self.effectors: tuple[Effector, ...] = description.effectors
        self.pinocchio = _build_pinocchio_model(description)
        model = self.pinocchio
        self.nq: int = model.nq
        self.nv: int = model.nv
        self.n: int = model.nv - 6
        self.joint_names: tuple[str, ...] = tuple(model.names[2:])
        self.lower = model.lowerPositionLimit[7:].copy()
        self.upper = model.upperPositionLimit[7:].copy()
        self.motor_torques = self._limits(model.effortLimit[6:], description.torque_limits, "torque_limits")
        self.torque_limits = description.scales.torque * self.motor_torques
        velocities = self._limits(model.velocityLimit[6:], description.velocity_limits, "velocity_limits")
        self.velocity_limits = description.scales.velocity * velocities
        drives = description.drives or Drives()
        self.friction = self._of_joints(drives.friction, "drives.friction")
        self.viscous_friction = self._of_joints(drives.viscous_friction, "drives.viscous_friction")
        # In all that is computed of the model, a rotor is moved with its joint.
        model.armature[6:] = self._of_joints(drives.rotor_inertia, "drives.rotor_inertia")
        self.effector_frames: tuple[int, ...] = tuple(model.getFrameId(_frame_name(e)) for e in self.effectors)
        self.effector_joints: tuple[int, ...] = tuple(model.frames[f].parentJoint for f in self.effector_frames)
        self.effector_placements = np.stack([model.frames[f].placement.homogeneous for f in self.effector_frames])
        self.touch_points: tuple[TouchPoint, ...] = description.touch_points
        self.touched_names = tuple([each.name for each in self.effectors] + [each.name for each in self.touch_points])
        points = [model.frames[model.getFrameId(_frame_name(point))] for point in self.touch_points]
        self.touched_joints = (*self.effector_joints, *(point.parentJoint for point in points))
        self.touched_placements = np.stack([*self.effector_placements, *(point.placement.homogeneous for point in points)])
        self._check_joints()
        self._check_legs()
        hands = [effector.name for effector in self.effectors]
        self.gripper_hands = tuple(hands.index(gripper.hand) for gripper in description.grippers)
        self.joint_words = self._choose_words()
        self.trunk_frames: tuple[int, ...] = tuple(
            _find_frame(model, name, f"{description.source}: trunk") for name in description.trunk
        )
        self.mass: float = pin.computeTotalMass(model)
        self.q_nominal = self._stand_on_the_ground()
        self._computed: dict[Callable[[RobotModel], object], object] = {}

    def _check_joints(self) -> None:
        """Check that all that is touched has a joint of its own: one wrench loads a joint (see ``Seiko.refresh``)."""
        by_joint: dict[int, str] = {}
        for touched, (name, joint) in enumerate(zip(self.touched_names, self.touched_joints, strict=True)):
            if joint in by_joint:
                raise DescriptionError(
                    self.description.source,
                    "effectors" if touched < len(self.effectors) else "touch_points",
                    f"{by_joint[joint]} and {name} are both carried by {self.pinocchio.names[joint]}",
                    "keep one of them",
                )
            by_joint[joint] = name

    def _check_legs(self) -> None:
        """Check that a robot that is to walk, on more than one leg, can put its feet level anywhere."""
        carriers = zip(self.effectors, self.effector_joints, strict=True)
        # Without the world, and the base.
        legs = {effector.name: len(self.pinocchio.supports[joint]) - 2 for effector, joint in carriers if effector.standing}
        if self.description.walking is None or len(legs) < 2:
            return
        shortest = min(legs, key=lambda name: legs[name])
        if legs[shortest] < MIN_LEG_JOINTS:
            problem = f"{shortest} is on a leg of {legs[shortest]} joints, and walking takes {MIN_LEG_JOINTS}"
            raise DescriptionError(self.description.source, "walking", problem, "leave [walking] out: it does not walk")

    def _choose_words(self) -> tuple[str, ...]:
        """Return what people call the joints: as the description says, or as the tree of joints tells."""
        words = list(name_joints(self.pinocchio, self.effectors, self.effector_joints, self.effector_placements))
        for name, said in self.description.joint_words.items():
            words[self._joint(name, "joint_words")] = said
        return tuple(words)

    @property
    def weight(self) -> float:
        """Weight of the robot, m g [N]."""
        return self.mass * GRAVITY

    def effector_index(self, name: str) -> int:
        """Return the index of an effector in all per-effector arrays."""
        return [effector.name for effector in self.effectors].index(name)

    def effector_of_hand(self, hand: str) -> int | None:
        """Return the effector that an operator's hand (``"left"`` or ``"right"``) moves, or None."""
        return next((i for i, effector in enumerate(self.effectors) if effector.hand == hand), None)

    def effector_poses(self, q: np.ndarray) -> np.ndarray:
        """Return the poses of all contact frames in world at configuration ``q``, shape ``(effectors, 4, 4)``.

        Not for the control cycle: it makes its own pinocchio data.
        """
        data = self.pinocchio.createData()
        pin.framesForwardKinematics(self.pinocchio, data, q)
        return np.stack([data.oMf[frame].homogeneous for frame in self.effector_frames])

    def compute_once(self, compute: Callable[[RobotModel], T]) -> T:
        """Return what a function computes of this model alone: computed at the first call, kept as long as the model lives.

        For what takes long and nobody changes, such as the checks of all motions.
        """
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return cast(T, self._computed[compute])

    @cached_property
    def visuals(self) -> pin.GeometryModel:
        """Visual geometry, joints locked as in the model (loads the meshes at first use)."""
        return self._geometry(pin.GeometryType.VISUAL)

    @cached_property
    def collisions(self) -> pin.GeometryModel:
        """Collision geometry, joints locked as in the model (loads the meshes at first use)."""
        return self._geometry(pin.GeometryType.COLLISION)

    @cached_property
    def bodies(self) -> tuple[BodyCapsule, ...]:
        """Capsules around the bodies that must keep clear of each other (fitted to the meshes at first use).

        Raises:
            DescriptionError: A link of a body has no geometry.
        """
        if not self.description.self_collision.pairs:
            return ()
        return build_bodies(self.pinocchio, self.description, self.collisions, lambda: self.visuals)

    def _geometry(self, kind: pin.GeometryType) -> pin.GeometryModel:
        full = _build_full_model(self.description)
        geometry = load_geometry(full, self.description.model_file(), kind, self.description.mounted)
        locked, reference = _locked(full, self.description)
        return reduce_geometry(full, geometry, locked, reference)

    def _limits(self, of_urdf: np.ndarray, values: dict[str, float], table: str) -> np.ndarray:
        limits = of_urdf.copy()
        for name, value in values.items():
            limits[self._joint(name, table)] = value
        for name, limit in zip(self.joint_names, limits.tolist(), strict=True):
            if not 0.0 < limit < _UNLIMITED:
                key = f"{table}.{name}"
                raise DescriptionError(self.description.source, key, "the URDF gives no usable limit", "give one here")
        return limits

    def _of_joints(self, values: dict[str, float], table: str) -> np.ndarray:
        """Return what a table has of all joints, 0 for those that it does not name, shape ``(n,)``."""
        found = np.zeros(self.n)
        for name, value in values.items():
            found[self._joint(name, table)] = value
        return found

    def _joint(self, name: str, table: str) -> int:
        if name not in self.joint_names:
            raise _unknown_joint(self.description, table, name, self.joint_names)
        return self.joint_names.index(name)

    def _stand_on_the_ground(self) -> np.ndarray:
        q = pin.neutral(self.pinocchio)
        q[7:] = np.clip(0.0, self.lower, self.upper)
        for name, value in self.description.posture.items():
            q[7 + self._joint(name, "posture")] = value
        outside = np.flatnonzero((q[7:] < self.lower) | (q[7:] > self.upper))
        if outside.size:
            j = int(outside[0])
            raise DescriptionError(
                self.description.source,
                f"posture.{self.joint_names[j]}",
                f"{q[7 + j]} rad is outside the joint's limits",
                f"choose between {self.lower[j]:.3f} and {self.upper[j]:.3f}",
            )
        standing = [i for i, effector in enumerate(self.effectors) if effector.standing]
        if standing:
            soles = self.effector_poses(q)[standing][:, :3, 3]
            q[0:2] -= soles[:, :2].mean(axis=0)
            q[2] -= (soles[:, 2] - [self.effectors[i].radius for i in standing]).mean()
        return q


def load_model(name_or_file: str) -> RobotModel:
    """Load a robot's description (see ``load_description``) and build its model."""
    return RobotModel(load_description(name_or_file))


def weigh(model: RobotModel, mass: float) -> RobotModel:
    """Return the model of a robot that weighs more on a scale than its description says: the rest is in its trunk.

    Args:
        model: As it is described.
        mass: What a scale shows [kg].

    Returns:
        The model with an attachment at the centre of mass of its trunk; the same one where the scale shows no more.
    """
    missing = mass - model.mass
    if missing <= 0.0:
        return model
    description, robot = model.description, model.pinocchio
    trunk = robot.frames[model.trunk_frames[0]] if model.trunk_frames else robot.frames[robot.getFrameId(robot.names[1])]
    lever = trunk.placement.actInv(robot.inertias[trunk.parentJoint].lever)
    attachment = Attachment(frame=trunk.name, mass=missing, position=tuple(lever.tolist()))
    return RobotModel(description.model_copy(update={"attachments": (*description.attachments, attachment)}))


def _frame_name(touched: Effector | TouchPoint) -> str:
    return f"handhold/{touched.name}"


def _build_full_model(description: RobotDescription) -> pin.Model:
    return build_full_model(description.model_file(), description.base_rpy, description.mounted)


def _build_pinocchio_model(description: RobotDescription) -> pin.Model:
    full = _build_full_model(description)
    locked, reference = _locked(full, description)
    model = reduce_model(full, locked, reference)
    give_mass(model)
    _check_joints(model, description)
    for index, effector in enumerate(description.effectors):
        _add_frame(model, effector, effector.offset.to_se3(), f"{description.source}: effectors.{index}.frame")
    for index, point in enumerate(description.touch_points):
        placement = pin.SE3(np.eye(3), np.array(point.position))
        _add_frame(model, point, placement, f"{description.source}: touch_points.{index}.frame")
    for index, camera in enumerate(description.cameras):
        _find_frame(model, camera.frame, f"{description.source}: cameras.{index}.frame")
    for index, gripper in enumerate(description.grippers):
        for name in (gripper.frame, *(link for finger in gripper.fingers for link in finger.links)):
            _find_frame(model, name, f"{description.source}: grippers.{index}")
    check_bodies(model, description)
    for index, attachment in enumerate(description.attachments):
        carrier = model.frames[_find_frame(model, attachment.frame, f"{description.source}: attachments.{index}.frame")]
        model.appendBodyToJoint(carrier.parentJoint, attachment.to_inertia(), carrier.placement)
    return model


def _check_joints(model: pin.Model, description: RobotDescription) -> None:
    for name, joint in zip(model.names[2:], list(model.joints)[2:], strict=True):
        if joint.nq != 1 or joint.nv != 1:
            raise DescriptionError(
                description.source,
                f"locked_joints.{name}",
                f"the joint turns without end or about several axes ({joint.shortname()}), which Handhold cannot control",
                "lock it here, or give it limits in the URDF",
            )


def _locked(full: pin.Model, description: RobotDescription) -> tuple[list[int], np.ndarray]:
    reference = pin.neutral(full)
    locked = []
    for name, value in description.locked_joints.items():
        if name not in list(full.names)[2:]:
            raise _unknown_joint(description, "locked_joints", name, tuple(full.names[2:]))
        joint = full.getJointId(name)
        reference[full.joints[joint].idx_q] = value
        locked.append(joint)
    return locked, reference


def _add_frame(model: pin.Model, touched: Effector | TouchPoint, placement: pin.SE3, source: str) -> None:
    parent_id = _find_frame(model, touched.frame, source)
    parent = model.frames[parent_id]
    name, kind = _frame_name(touched), pin.FrameType.OP_FRAME
    model.addFrame(pin.Frame(name, parent.parentJoint, parent_id, parent.placement * placement, kind), False)


def _find_frame(model: pin.Model, name: str, source: str) -> int:
    # A URDF may call a link and a joint the same: the link is meant.
    for kind in (pin.FrameType.BODY, pin.FrameType.OP_FRAME, pin.FrameType.FIXED_JOINT, pin.FrameType.JOINT):
        if model.existFrame(name, kind):
            return int(model.getFrameId(name, kind))
    known = tuple(frame.name for frame in model.frames if not frame.name.startswith("handhold/"))
    raise FrameNotFound(name, known, source)


def _unknown_joint(description: RobotDescription, table: str, name: str, known: tuple[str, ...]) -> DescriptionError:
    near = ", ".join(closest(name, known))
    problem = "no such joint" if table == "locked_joints" else "no such joint, or one that is locked"
    return DescriptionError(description.source, f"{table}.{name}", problem, f"did you mean one of: {near}?")
