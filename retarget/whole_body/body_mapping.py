"""Which part of a robot follows which segment of a person, found from its joints' words and kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.devices.tracked_human import Segment
from handhold.retarget.whole_body.hanging_arms import hang_arms
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

SIDES = ("left", "right")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ArmMapping:
    """One arm of a robot, and the person's it follows.

    Attributes:
        hand: Index of its effector.
        shoulder: Pinocchio's id of the joint in the middle of the shoulder.
        elbow: That of the elbow.
        wrist: That of the last joint of the wrist.
        segments: The person's upper arm, forearm and hand.
        lengths: From shoulder to elbow, to wrist, and to the effector's contact frame [m].
        hinge: Axis of the elbow in its own frame, such that a positive turn bends the arm, unit, shape ``(3,)``.
        rotation: Orientation of the effector's frame with the arm hanging and the base as in the nominal posture, ``(3, 3)``.
    """

    hand: int
    shoulder: int
    elbow: int
    wrist: int
    segments: tuple[Segment, Segment, Segment]
    lengths: tuple[float, float, float]
    hinge: np.ndarray
    rotation: np.ndarray

    @property
    def length(self) -> float:
        """Length of the stretched arm [m]."""
        return sum(self.lengths)

    @property
    def limbs(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Upper arm and forearm, each from one joint to the next."""
        return (self.shoulder, self.elbow), (self.elbow, self.wrist)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyMapping:
    """What of a robot follows a person.

    Attributes:
        arms: Arms that end in a hand of the operator's.
        feet: Effectors of the left and the right foot.
        turned: Pinocchio's ids of the joints that carry base, chest and head; the chest's again where nothing turns the head.
        soles: Contact frames of both feet in the nominal posture, in axes between them, shape ``(2, 4, 4)``.
        pelvis: Where the base is above the middle of the feet in the nominal posture, shape ``(3,)`` [m].
        waist: From there to the joint that turns the chest, shape ``(3,)`` [m].
        shoulders: From the waist to each arm's shoulder, likewise.
        rotations: Of the base, the chest and the head in the nominal posture, shape ``(3, 3, 3)``.
        leg_length: From the hip to the ankle, stretched [m].
        sole_half_length: How far a sole goes before and behind the middle of its frame [m].
    """

    arms: tuple[ArmMapping, ...]
    feet: tuple[int, int]
    turned: tuple[int, int, int]
    soles: np.ndarray
    pelvis: np.ndarray
    waist: np.ndarray
    shoulders: tuple[np.ndarray, ...]
    rotations: np.ndarray
    leg_length: float
    sole_half_length: float


def find_mapping(model: RobotModel) -> BodyMapping | None:
    """Find what of a robot follows a person; None where it has not two feet with flat soles and an arm with an elbow."""
    feet = [model.effector_index(f"{side}_foot") for side in SIDES if f"{side}_foot" in _names(model)]
    arms = [(side, hand) for side in SIDES if (hand := model.effector_of_hand(side)) is not None]
    arms = [
        (side, hand) for side, hand in arms if all(_find_joints(model, f"{side} {part}") for part in ("shoulder", "elbow"))
    ]
    legs = all(_find_joints(model, f"left {part}") for part in ("hip", "knee", "ankle"))
    if len(feet) < len(SIDES) or not arms or not legs or not all(_stands_flat(model, foot) for foot in feet):
        return None
    kinematics = EffectorKinematics(model)
    kinematics.update(hang_arms(model, [(_arm_joints(model, side)) for side, _ in arms]))
    base = kinematics.joint_poses[1, 3].copy()
    chest = model.pinocchio.frames[model.trunk_frames[0]].parentJoint if model.trunk_frames else 1
    waist = kinematics.joint_poses[chest, 3] - base
    heads = _find_joints(model, "neck")
    turned = (1, chest, heads[-1] if heads else chest)
    soles, middle = kinematics.poses[feet].copy(), kinematics.poses[feet, :3, 3].mean(axis=0)
    soles[:, :3, 3] -= middle
    half_lengths = model.effectors[feet[0]].half_lengths
    assert half_lengths is not None, "checked above"
    return BodyMapping(
        arms=tuple(_map_arm(model, kinematics, side, hand) for side, hand in arms),
        feet=(feet[0], feet[1]),
        turned=turned,
        soles=soles,
        pelvis=base - middle,
        waist=waist,
        shoulders=tuple(kinematics.joint_poses[_arm_joints(model, side)[0], 3] - base - waist for side, _ in arms),
        rotations=np.stack([kinematics.joint_poses[j, :3].T for j in turned]),
        leg_length=_measure_leg(model, kinematics),
        sole_half_length=half_lengths[0],
    )


def _stands_flat(model: RobotModel, foot: int) -> bool:
    return model.effectors[foot].standing and model.effectors[foot].half_lengths is not None


def _names(model: RobotModel) -> list[str]:
    return [effector.name for effector in model.effectors]


def _find_joints(model: RobotModel, word: str) -> list[int]:
    """Return Pinocchio's ids of the joints that people call by a word, in order."""
    return [2 + k for k, said in enumerate(model.joint_words) if said == word]


def _arm_joints(model: RobotModel, side: str) -> tuple[int, int, int]:
    """Return the joints at which an arm's shoulder, elbow and wrist are; several share the first and the last."""
    shoulders, elbows, wrists = (_find_joints(model, f"{side} {part}") for part in ("shoulder", "elbow", "wrist"))
    return shoulders[len(shoulders) // 2], elbows[0], (wrists or elbows)[-1]


def _map_arm(model: RobotModel, kinematics: EffectorKinematics, side: str, hand: int) -> ArmMapping:
    shoulder, elbow, wrist = _arm_joints(model, side)
    joints = kinematics.joint_poses[[shoulder, elbow, wrist], 3]
    way = np.diff(np.vstack([joints, kinematics.poses[hand, :3, 3]]), axis=0)
    upper_arm, forearm, hand_length = np.linalg.norm(way, axis=1).tolist()
    return ArmMapping(
        hand=hand,
        shoulder=shoulder,
        elbow=elbow,
        wrist=wrist,
        segments=tuple(Segment[f"{side.upper()}_{part}"] for part in ("UPPER_ARM", "FOREARM", "HAND")),  # type: ignore[arg-type]
        lengths=(upper_arm, forearm, hand_length),
        hinge=_find_hinge(model, shoulder, elbow, wrist),
        rotation=kinematics.poses[hand, :3, :3].copy(),
    )


def _find_hinge(model: RobotModel, shoulder: int, elbow: int, wrist: int) -> np.ndarray:
    """Return the axis of an elbow in its own frame, with the sign that brings wrist and shoulder nearer to each other."""
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    joints, column = kinematics.joint_poses, model.pinocchio.joints[elbow].idx_v
    axis = kinematics.data.J[3:, column]
    moved = np.cross(axis, joints[wrist, 3] - joints[elbow, 3])
    nearer = float(moved @ (joints[wrist, 3] - joints[shoulder, 3])) <= 0.0
    return np.asarray((1.0 if nearer else -1.0) * joints[elbow, :3] @ axis)


def _measure_leg(model: RobotModel, kinematics: EffectorKinematics) -> float:
    """Return the length of a leg from hip by knee to ankle [m]."""
    joints = [_find_joints(model, f"left {part}")[-1] for part in ("hip", "knee", "ankle")]
    return float(np.linalg.norm(np.diff(kinematics.joint_poses[joints, 3], axis=0), axis=1).sum())
