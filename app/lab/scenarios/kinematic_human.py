r"""A person of our own making: from a few angles to the segments that a suit would tell.

Feet stay where they are put; legs reach them by two links, knees forward. Everything above follows the pelvis. Rotations are
by axes of the person: x forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import pinocchio as pin

from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.retarget.least_jerk import compute_least_jerk

_SIDES = (("LEFT", 1.0), ("RIGHT", -1.0))

STATURE = 1.75
"""Height of the person [m]."""

_THIGH, _SHANK, _ANKLE, _HIP = 0.245 * STATURE, 0.246 * STATURE, 0.039 * STATURE, 0.052 * STATURE
_TRUNK = ((Segment.L5, 0.06), (Segment.L3, 0.12), (Segment.T12, 0.18), (Segment.T8, 0.26), (Segment.NECK, 0.46))
_HEAD, _SHOULDER_HEIGHT, _SHOULDER = 0.57, 0.41, 0.10 * STATURE
_UPPER_ARM, _FOREARM, _TOE = 0.172 * STATURE, 0.157 * STATURE, 0.14
_KNEES = 0.005
"""How much lower than with stretched legs the pelvis is when the person stands [m]."""

LEG_LENGTH = _THIGH + _SHANK
"""From the person's hip to the ankle [m]."""

STANDING_HEIGHT = _ANKLE + _SHANK + _THIGH - _KNEES
"""Height of the pelvis of a person who stands [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanPose:
    """A posture; all zero is upright with hanging arms.

    Attributes:
        forward: Displacement of the pelvis forward [m].
        left: The same to the left [m].
        drop: How much lower it is [m].
        turn: Of the pelvis about the vertical [rad].
        pitch: Of the pelvis, forward [rad].
        bend: Of the trunk forward, besides [rad].
        lean: Of the trunk to the left [rad].
        twist: Of the trunk to the left [rad].
        nod: Of the head forward, besides [rad].
        left_flexion: Of the left arm, forward and up [rad].
        left_abduction: Of the left arm, outward [rad].
        left_elbow: Bend of the left elbow [rad].
        right_flexion: Likewise.
        right_abduction: Likewise.
        right_elbow: Likewise.
        left_rotation: Of the left upper arm about itself, which brings a bent forearm inward [rad].
        right_rotation: Likewise.
        left_wrist: Bend of the left wrist, which brings the fingers of a forearm that points ahead up [rad].
        right_wrist: Likewise.
        left_lift: How high the left foot is [m].
        right_lift: How high the right foot is [m].
        spread: How much farther the feet are apart [m].
    """

    forward: float = 0.0
    left: float = 0.0
    drop: float = 0.0
    turn: float = 0.0
    pitch: float = 0.0
    bend: float = 0.0
    lean: float = 0.0
    twist: float = 0.0
    nod: float = 0.0
    left_flexion: float = 0.0
    left_abduction: float = 0.12
    left_elbow: float = 0.1
    right_flexion: float = 0.0
    right_abduction: float = 0.12
    right_elbow: float = 0.1
    left_rotation: float = 0.0
    right_rotation: float = 0.0
    left_wrist: float = 0.0
    right_wrist: float = 0.0
    left_lift: float = 0.0
    right_lift: float = 0.0
    spread: float = 0.0

    @property
    def numbers(self) -> np.ndarray:
        """All of them in order."""
        return np.array([getattr(self, field.name) for field in fields(self)])

    @staticmethod
    def of(numbers: Sequence[float]) -> HumanPose:
        """Return the posture of numbers in order."""
        return HumanPose(**{field.name: float(x) for field, x in zip(fields(HumanPose), numbers, strict=True)})


def blend_poses(start: HumanPose, end: HumanPose, s: float) -> HumanPose:
    """Return the posture on a path of least jerk, with s from 0 to 1."""
    return HumanPose.of(start.numbers + compute_least_jerk(s) * (end.numbers - start.numbers))


def make_human(pose: HumanPose, time: float, sequence: int, suit: str = "kinematic") -> TrackedHuman:
    """Return what a suit would tell of a posture (see ``TrackedHuman``)."""
    positions, rotations = _allocate()
    pelvis, chest = _place_trunk(pose, positions, rotations)
    for side, sign in _SIDES:
        _place_arm(pose, side, sign, chest, positions, rotations)
        _place_leg(pose, side, sign, pelvis, positions, rotations)
    quaternions = np.array([pin.Quaternion(np.ascontiguousarray(rotation)).coeffs() for rotation in rotations])
    return TrackedHuman(
        time=time,
        sequence=sequence,
        suit=suit,
        positions=positions,
        orientations=quaternions,
        tracked=np.ones(len(Segment), dtype=bool),
    )


def place_forearms(pose: HumanPose) -> np.ndarray:
    """Return where elbows and wrists of a person in a posture are, shape ``(sides, 2, 3)`` [m]."""
    positions, rotations = _allocate()
    _, chest = _place_trunk(pose, positions, rotations)
    for side, sign in _SIDES:
        _place_arm(pose, side, sign, chest, positions, rotations)
    return positions[[[Segment.LEFT_FOREARM, Segment.LEFT_HAND], [Segment.RIGHT_FOREARM, Segment.RIGHT_HAND]]]


def _allocate() -> tuple[np.ndarray, np.ndarray]:
    """Return room for all segments' positions and axes."""
    return np.zeros((len(Segment), 3)), np.tile(np.eye(3), (len(Segment), 1, 1))


def _place_trunk(pose: HumanPose, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place pelvis, spine, which bends evenly from there to the chest, and head; return axes of pelvis and chest."""
    pelvis = _z(pose.turn) @ _y(pose.pitch)
    positions[Segment.PELVIS] = [pose.forward, pose.left, STANDING_HEIGHT - pose.drop]
    rotations[Segment.PELVIS] = pelvis
    bend = pin.log3(_z(pose.twist) @ _x(-pose.lean) @ _y(pose.bend))
    at, height = positions[Segment.PELVIS], 0.0
    for k, (segment, level) in enumerate(_TRUNK, start=1):
        ratio = min(1.0, k / (len(_TRUNK) - 1))
        rotations[segment] = pelvis @ pin.exp3(ratio * bend)
        at = at + rotations[segment] @ np.array([0.0, 0.0, level - height])
        positions[segment], height = at, level
    chest = rotations[Segment.T8]
    positions[Segment.HEAD] = at + chest @ np.array([0.0, 0.0, _HEAD - height])
    rotations[Segment.HEAD] = chest @ _y(pose.nod)
    return pelvis, chest


def _place_arm(
    pose: HumanPose, side: str, sign: float, chest: np.ndarray, positions: np.ndarray, rotations: np.ndarray
) -> None:
    angles = ("flexion", "abduction", "elbow", "rotation", "wrist")
    flexion, abduction, elbow, rotation, wrist = (getattr(pose, f"{side.lower()}_{name}") for name in angles)
    collar, upper_arm, forearm, hand = (Segment[f"{side}_{part}"] for part in ("SHOULDER", "UPPER_ARM", "FOREARM", "HAND"))
    neck = positions[Segment.PELVIS] + chest @ np.array([0.0, 0.0, _SHOULDER_HEIGHT])
    neck += (positions[Segment.T8] - positions[Segment.PELVIS]) - chest @ np.array([0.0, 0.0, dict(_TRUNK)[Segment.T8]])
    hanging = _x(-sign * 0.5 * np.pi)
    shoulder = chest @ _x(sign * abduction) @ _y(-flexion) @ _z(-sign * rotation)
    rotations[collar] = chest
    rotations[upper_arm] = shoulder @ hanging
    rotations[forearm] = shoulder @ _y(-elbow) @ hanging
    rotations[hand] = shoulder @ _y(-elbow - wrist) @ hanging
    positions[collar] = neck + chest @ np.array([0.0, sign * 0.02, 0.0])
    positions[upper_arm] = neck + chest @ np.array([0.0, sign * _SHOULDER, 0.0])
    along = np.array([0.0, sign, 0.0])
    positions[forearm] = positions[upper_arm] + _UPPER_ARM * rotations[upper_arm] @ along
    positions[hand] = positions[forearm] + _FOREARM * rotations[forearm] @ along


def _place_leg(
    pose: HumanPose, side: str, sign: float, pelvis: np.ndarray, positions: np.ndarray, rotations: np.ndarray
) -> None:
    thigh, shank, foot, toe = (Segment[f"{side}_{part}"] for part in ("UPPER_LEG", "LOWER_LEG", "FOOT", "TOE"))
    hip = positions[Segment.PELVIS] + pelvis @ np.array([0.0, sign * _HIP, 0.0])
    lift = pose.left_lift if sign > 0.0 else pose.right_lift
    ankle = np.array([0.0, sign * (_HIP + 0.5 * pose.spread), _ANKLE + lift])
    along = ankle - hip
    distance = min(float(np.linalg.norm(along)), 0.9999 * (_THIGH + _SHANK))
    along /= np.linalg.norm(along)
    forward = pelvis[:, 0] - (pelvis[:, 0] @ along) * along
    forward /= np.linalg.norm(forward)
    before = (_THIGH**2 + distance**2 - _SHANK**2) / (2.0 * distance)
    knee = hip + before * along + np.sqrt(max(0.0, _THIGH**2 - before**2)) * forward
    positions[thigh], positions[shank], positions[foot] = hip, knee, hip + distance * along
    positions[toe] = positions[foot] + np.array([_TOE, 0.0, 0.02 - _ANKLE])
    rotations[thigh], rotations[shank] = _point_down(knee - hip, forward), _point_down(positions[foot] - knee, forward)


def _point_down(along: np.ndarray, forward: np.ndarray) -> np.ndarray:
    """Return the axes of a link that points along a vector, x as nearly forward as it goes."""
    z = -along / np.linalg.norm(along)
    y = np.cross(z, forward)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def _x(angle: float) -> np.ndarray:
    return np.asarray(pin.exp3(np.array([angle, 0.0, 0.0])))


def _y(angle: float) -> np.ndarray:
    return np.asarray(pin.exp3(np.array([0.0, angle, 0.0])))


def _z(angle: float) -> np.ndarray:
    return np.asarray(pin.exp3(np.array([0.0, 0.0, angle])))
