r"""What a robot is to do so that it moves as a person does: the retargeting of joints, limbs and centre of mass [Penco2019]_.

Every segment's turn since calibration is the robot's, :math:`R = R_z(\psi_R)\, D\, R_0` with :math:`D = R_H R_{H0}^T`. Limbs
point where the person's do, and elbows bend about the same axes. Hands are where those of a person with the robot's limbs
would be, the *scaled human*:

.. math::

    p_{pelvis} &= p_{feet} + R_z(\psi_R) \left( p_{pelvis,0} + s_{leg} (p_H - p_{H0})_{pelvis} \right) \\
    p_{shoulder} &= p_{pelvis} + R_z(\psi_R) \left( D_{pelvis}\, r_{waist} + D_{chest}\, r_{shoulder} \right) \\
    p_{hand} &= p_{shoulder} + R_z(\psi_R)\, s_{arm} (p_{H,hand} - p_{H,shoulder})

with the ratios s of limb lengths. The person's point that the robot's hand follows is in the middle of the hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.devices.tracked_human import Segment
from handhold.retarget.whole_body.body_mapping import ArmMapping, BodyMapping
from handhold.retarget.whole_body.calibration import HumanCalibration
from handhold.retarget.whole_body.com_offset import ComOffset, measure_offset
from handhold.retarget.whole_body.human_body import FEET, HumanBody

HAND_LENGTH = 0.55
"""From the wrist to the middle of a hand, in lengths of a foot's half [-]: 7 cm of a person whose foot has 26 cm."""

MAX_DROP, MAX_RISE = 0.55, 0.03
"""How far the pelvis may be asked to go down, in lengths of a leg [-], and how far up [m]."""

FOLLOWED = (Segment.PELVIS, Segment.T8, Segment.HEAD)
"""Segments whose turns base, chest and head follow."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyTargets:
    """What a robot's body is to do, in axes of the robot's feet: the middle between them, x where they point, z up.

    Attributes:
        rotations: Of base, chest and head, shape ``(3, 3, 3)``.
        limbs: Unit vectors along upper arm and forearm of each arm, shape ``(2 arms, 3)``.
        hinges: Unit vectors about which the elbows bend, shape ``(arms, 3)``.
        hands: Contact frames of the hands, shape ``(arms, 4, 4)``, homogeneous.
        feet: Soles of left and right foot, shape ``(2, 4, 4)``, homogeneous; only that of a lifted one counts.
        pelvis: Where the base is, shape ``(3,)`` [m].
        com: Where the centre of mass is over the feet.
    """

    rotations: np.ndarray
    limbs: np.ndarray
    hinges: np.ndarray
    hands: np.ndarray
    feet: np.ndarray
    pelvis: np.ndarray
    com: ComOffset


def find_targets(body: HumanBody, calibration: HumanCalibration, mapping: BodyMapping) -> BodyTargets:
    """Return what a robot is to do so that it moves as a person does.

    Args:
        body: The person.
        calibration: What is known of the person.
        mapping: What of the robot follows.
    """
    turns = body.rotations @ np.swapaxes(calibration.body.rotations, 1, 2)
    pelvis = mapping.pelvis + _scale_pelvis(body, calibration, mapping)
    waist = pelvis + turns[Segment.PELVIS] @ mapping.waist
    hands = []
    for arm, offset in zip(mapping.arms, mapping.shoulders, strict=True):
        shoulder = waist + turns[Segment.T8] @ offset
        hands.append(_place_hand(body, calibration, arm, shoulder))
    return BodyTargets(
        rotations=turns[list(FOLLOWED)] @ mapping.rotations,
        limbs=np.array([direction for arm in mapping.arms for direction in _find_limbs(body, arm)]).reshape(-1, 3),
        hinges=np.array([_find_hinge(body, arm) for arm in mapping.arms]).reshape(-1, 3),
        hands=np.array(hands).reshape(-1, 4, 4),
        feet=np.stack([_place_sole(body, calibration, mapping, k, turns[foot]) for k, foot in enumerate(FEET)]),
        pelvis=pelvis,
        com=_find_com(body, calibration),
    )


def _find_limbs(body: HumanBody, arm: ArmMapping) -> list[np.ndarray]:
    upper_arm, forearm, hand = arm.segments
    return [body.direction(upper_arm, forearm), body.direction(forearm, hand)]


def _find_hinge(body: HumanBody, arm: ArmMapping) -> np.ndarray:
    """Return about which axis a person's elbow bends, in a T-pose forward: down for the left arm, up for the right one."""
    upper_arm = arm.segments[0]
    return np.asarray((-1.0 if upper_arm is Segment.LEFT_UPPER_ARM else 1.0) * body.rotations[upper_arm, :, 2])


def _scale_pelvis(body: HumanBody, calibration: HumanCalibration, mapping: BodyMapping) -> np.ndarray:
    """Return how far the robot's pelvis is from where it was at calibration, shape ``(3,)`` [m]."""
    moved = body.positions[Segment.PELVIS] - calibration.body.positions[Segment.PELVIS]
    scaled = mapping.leg_length / calibration.leg_length * moved
    scaled[2] = np.clip(scaled[2], -MAX_DROP * mapping.leg_length, MAX_RISE)
    return np.asarray(scaled)


def _place_hand(body: HumanBody, calibration: HumanCalibration, arm: ArmMapping, shoulder: np.ndarray) -> np.ndarray:
    upper_arm, _, hand = arm.segments
    side = 0 if upper_arm is Segment.LEFT_UPPER_ARM else 1
    length = calibration.arm_lengths[side]
    beyond = HAND_LENGTH * 0.5 * calibration.foot_length
    palm = body.positions[hand] + beyond * _find_hand_direction(body, calibration, arm)
    pose = np.eye(4)
    pose[:3, :3] = body.rotations[hand] @ calibration.hanging_hands[side].T @ arm.rotation
    pose[:3, 3] = shoulder + arm.length / (length + beyond) * (palm - body.positions[upper_arm])
    return pose


def _find_hand_direction(body: HumanBody, calibration: HumanCalibration, arm: ArmMapping) -> np.ndarray:
    """Return where a person's hand points: as the forearm did at calibration, turned with the hand, shape ``(3,)``."""
    _, forearm, hand = arm.segments
    turn = body.rotations[hand] @ calibration.body.rotations[hand].T
    return np.asarray(turn @ calibration.body.direction(forearm, hand))


def _place_sole(
    body: HumanBody, calibration: HumanCalibration, mapping: BodyMapping, foot: int, turn: np.ndarray
) -> np.ndarray:
    """Return where a sole is to be: moved as the person's foot has, against the length of the legs, and turned with it."""
    segment, pose = FEET[foot], mapping.soles[foot].copy()
    moved = body.positions[segment] - calibration.body.positions[segment]
    pose[:3, 3] += mapping.leg_length / calibration.leg_length * moved
    pose[2, 3] = max(0.0, pose[2, 3])
    pose[:3, :3] = turn @ pose[:3, :3]
    return pose


def _find_com(body: HumanBody, calibration: HumanCalibration) -> ComOffset:
    """Return where the person's centre of mass is over the feet; at calibration it is in the middle, by definition."""
    now, then = (_measure_com(each, calibration) for each in (body, calibration.body))
    return ComOffset(along=0.5 + now.along - then.along, across=now.across - then.across)


def _measure_com(body: HumanBody, calibration: HumanCalibration) -> ComOffset:
    left, right = body.positions[Segment.LEFT_FOOT, :2], body.positions[Segment.RIGHT_FOOT, :2]
    return measure_offset(body.position_com[:2], left, right, 0.5 * calibration.foot_length)
