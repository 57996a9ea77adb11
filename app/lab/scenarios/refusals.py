"""Whether the reason that a refusal gives is true: each is checked against what the robot does, by other means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import Grip
from handhold.robots.model import RobotModel

NEARLY = 0.9
"""Part of a limit from which on a refusal may say that it is passed [-]: the snapshot is a sample old."""

PASSING = 0.5
"""Time for which a state that has just passed still explains a refusal [s]."""

MIN_OFFSET = 0.005
"""How far a foot must be from where a motion begins for a refusal to be right [m]: that much of a straight leg."""

MIN_HEIGHT_ERROR = 0.018
"""How much higher or lower than planned ground must be [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Situation:
    """What an operator knows when a refusal is reported.

    Attributes:
        model: The robot.
        snapshot: What the operator sees.
        stopped: How long ago the robot was last stopped [s].
        silent: How long ago the operator's link was last silent [s].
        moved: How long ago the robot last moved [s].
        switched: How long ago a contact was last being loaded or unloaded [s].
    """

    model: RobotModel
    snapshot: Snapshot
    stopped: float
    silent: float
    moved: float
    switched: float

    def in_contact(self, words: str) -> bool:
        """Whether the effector of a name in words is in contact in the reference."""
        return bool(self.snapshot.reference.contacts[self.model.effector_index(words.replace(" ", "_"))])

    def grip_of(self, side: str) -> Grip:
        """What the gripper does that a hand of the operator commands."""
        return (self.snapshot.left if side == "left" else self.snapshot.right).grip

    @property
    def feet(self) -> np.ndarray:
        """Poses of what the robot stands on, shape ``(k, 4, 4)``."""
        standing = [k for k, effector in enumerate(self.model.effectors) if effector.standing]
        return np.asarray(self.snapshot.reference.effector_poses[standing])


Check = Callable[[Situation, re.Match[str]], bool]


def _feet_uneven(situation: Situation, _match: re.Match[str]) -> bool:
    soles = situation.feet
    return bool(np.ptp(soles[:, 2, 3]) > NEARLY * 0.03 or soles[:, 2, 2].min() < math.cos(NEARLY * math.radians(8.0)))


def _feet_apart(situation: Situation, _match: re.Match[str]) -> bool:
    walking, soles = situation.model.description.walking, situation.feet
    if walking is None or len(soles) != 2:
        return False
    y = situation.model.effector_poses(situation.model.q_nominal)[:2, 1, 3]
    left, right = (soles[0], soles[1]) if y[0] > y[1] else (soles[1], soles[0])
    ahead, beside = (right[:3, :3].T @ (left[:3, 3] - right[:3, 3]))[:2]
    turned = float(np.linalg.norm(pin.log3(right[:3, :3].T @ left[:3, :3])))
    straight = -NEARLY * walking.longest_backward <= ahead <= NEARLY * walking.longest_step
    spaced = walking.least_spacing <= beside <= NEARLY * walking.widest_spacing
    return not (straight and spaced and turned <= NEARLY * 2.0 * walking.largest_turn)


def _com_beside(situation: Situation, _match: re.Match[str]) -> bool:
    soles, walking = situation.feet, situation.model.description.walking
    half_lengths = situation.model.effectors[0].half_lengths
    if walking is None or half_lengths is None:
        return False
    across = soles[1, :2, 3] - soles[0, :2, 3]
    off = situation.snapshot.reference.position_com_in_world[:2] - soles[0, :2, 3]
    along = float(across @ off / (across @ across))
    beside = float(np.linalg.norm(off - along * across))
    return not (0.05 <= along <= 0.95 and beside <= NEARLY * (half_lengths[0] - walking.zmp_inset))


def _crouches(situation: Situation, match: re.Match[str]) -> bool:
    """Whether the centre of mass is as much too low as is reported, against the nominal posture's."""
    pinocchio, q = situation.model.pinocchio, situation.model.q_nominal
    upright = pin.centerOfMass(pinocchio, pinocchio.createData(), q)[2] - situation.model.effector_poses(q)[:2, 2, 3].mean()
    height = situation.snapshot.reference.position_com_in_world[2] - situation.feet[:, 2, 3].mean()
    return bool(upright - height > 1e-2 * float(match[1]) + 0.05)


def _joint_strained(situation: Situation, match: re.Match[str]) -> bool:
    """Whether gravity alone strains a joint of those words, past the reference's limit or nearly so."""
    model = situation.model
    gravity = pin.computeGeneralizedGravity(model.pinocchio, model.pinocchio.createData(), situation.snapshot.reference.q)
    strained = np.abs(gravity[6:]) > NEARLY * model.torque_limits
    return any(words == match[1] and past for words, past in zip(model.joint_words, strained.tolist(), strict=True))


def _foot_off(situation: Situation, match: re.Match[str]) -> bool:
    """Whether a motion's feet begin otherwise apart than the robot's are."""
    return float(match[2]) > 100.0 * MIN_OFFSET and match[1] in [
        e.name.replace("_", " ") for e in situation.model.effectors if e.is_foot
    ]


def _joint_off(situation: Situation, match: re.Match[str]) -> bool:
    return match[1] in situation.model.joint_words and float(match[2]) > 0.3


def _ground_off(_situation: Situation, match: re.Match[str]) -> bool:
    """Whether the ground is reported to be off by more than a foot is put down for; all ground of these worlds is level."""
    return float(match[2]) > 100.0 * MIN_HEIGHT_ERROR


def _body_too_near(situation: Situation, match: re.Match[str]) -> bool:
    return match[1].replace(" ", "_") in situation.model.description.self_collision.bodies and float(match[2]) > 0.0


_REASONS: tuple[tuple[str, Check], ...] = (
    (r"stopped by the operator", lambda s, _: s.stopped < PASSING),
    (r"refused: stopped$", lambda s, _: min(s.stopped, s.silent) < PASSING),
    (r"operator lost", lambda s, _: s.silent < PASSING),
    (r"release the ([a-z ]+) first", lambda s, m: s.in_contact(m[1])),
    (r"put the ([a-z ]+) down first", lambda s, m: not s.in_contact(m[1])),
    (r"(left|right) (hand|foot) is half-way: press A/X", lambda s, _: s.switched < math.inf),
    (r"(left|right) (hand|foot) is being (un)?loaded: wait", lambda s, _: s.switched < PASSING),
    (r"wait: (left|right) (hand|foot) first", lambda s, _: s.switched < PASSING),
    (r"(left|right) foot must stay: nothing else bears", lambda s, _: int(s.snapshot.reference.contacts[:2].sum()) == 1),
    (r"put both feet on level ground first", _feet_uneven),
    (r"put the feet side by side first", _feet_apart),
    (r"bring the centre of mass over the feet first", _com_beside),
    (r"stand up by (\d+) cm first", _crouches),
    (r"(left|right) gripper is open: close it", lambda s, m: s.grip_of(m[1]) is Grip.OPEN),
    (r"(left|right) gripper holds something: put it down", lambda s, m: s.grip_of(m[1]) is Grip.HOLDING),
    (r"paused with a foot in the air: press B or Y", lambda s, _: not s.snapshot.reference.contacts[:2].all()),
    (r"no feasible equilibrium .*?\(([a-z][\w ]*?) [0-9.]+ Nm past", _joint_strained),
    (r"([a-z][a-z ]* foot) stands (\d+) cm from where the motion begins; move", _foot_off),
    (r"([a-z][\w ]*?) is ([0-9.]+) rad from where the motion begins; bring", _joint_off),
    (r"the ([a-z_ ]+) would come (\d+) cm too near (?:a wall|what is below|what is above): move away", _body_too_near),
    (r"the ground where the (left|right) foot lands is (\d+) cm (?:higher|lower)", _ground_off),
)
"""What a refusal may say, and when it is true. A robot that does not come to rest is no reason: nobody could mend that."""


def is_true(reason: str, situation: Situation) -> bool:
    """Whether a refusal's reason is one of those that there are, and true."""
    for pattern, check in _REASONS:
        if match := re.search(pattern, reason):
            return check(situation, match)
    return False
