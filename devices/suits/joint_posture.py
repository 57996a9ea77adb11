"""Orientations of a person's segments from where his joints are, where nothing else is known.

The trunk's axes lie along hips and shoulders. A limb's first segment is turned as its parent, and then by the shortest turn
that brings its T-pose direction to where the next joint is; what is left, its twist, follows the hinge of elbow or knee:

    h = d_1 x d_2 / |d_1 x d_2|,    alpha = angle about d_1 from R_0 h_T to h,    R = R(d_1, alpha_f) R_0

with d_1, d_2 the directions of the limb's two segments, R_0 the shortest turn, h_T the hinge in a T-pose, and alpha_f what
follows alpha as fast as the limb is bent: a straight one has no hinge, and keeps its twist.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handhold.devices.suits.skeleton import T_POSE_DIRECTIONS, conjugate, join_in_time, multiply, rotate, turn_shortest
from handhold.devices.tracked_human import Segment

LEAST_BEND, FULL_BEND = math.radians(10.0), math.radians(30.0)
"""Bend below which a hinge tells nothing, and above which it tells all [rad]."""

FOLLOWING_TIME = 0.05
"""Time in which the twist of a limb follows a hinge that tells all [s]."""

FASTEST_TWIST = 8.0
"""How fast a twist follows at most [rad/s]: where a limb points against its T-pose direction, the angle means little."""


@dataclass(frozen=True, slots=True)
class _Limb:
    """A limb of two segments and an end, and the axis of its hinge in a T-pose (positive as it is bent)."""

    base: Segment
    first: Segment
    second: Segment
    end: Segment
    hinge: tuple[float, float, float]


_LIMBS = (
    _Limb(Segment.T8, Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, Segment.LEFT_HAND, (0.0, 0.0, -1.0)),
    _Limb(Segment.T8, Segment.RIGHT_UPPER_ARM, Segment.RIGHT_FOREARM, Segment.RIGHT_HAND, (0.0, 0.0, 1.0)),
    _Limb(Segment.PELVIS, Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT, (0.0, 1.0, 0.0)),
    _Limb(Segment.PELVIS, Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG, Segment.RIGHT_FOOT, (0.0, 1.0, 0.0)),
)


@dataclass(frozen=True, slots=True)
class Knuckles:
    """Joints at the roots of a hand's fingers, by their numbers.

    Attributes:
        index: Of the index finger.
        middle: Of the middle finger.
        little: Of the little finger.
    """

    index: int
    middle: int
    little: int


def build_orientations(
    points: np.ndarray, joints: Mapping[Segment, int], knuckles: Mapping[Segment, Knuckles], rate: float
) -> np.ndarray:
    """Return how segments are turned, unit quaternions (x, y, z, w), shape ``(frames, 23, 4)``; the identity for others.

    Args:
        points: Where joints are, z up, shape ``(frames, joints, 3)`` [m].
        joints: Joint at which each segment begins, at least ``NEEDED`` of ``joint_names``.
        knuckles: Knuckles of the hands whose are known.
        rate: Frames a second [Hz].
    """
    at = {segment: points[:, joint] for segment, joint in joints.items()}
    turned = np.zeros((len(points), len(Segment), 4))
    turned[..., 3] = 1.0
    _turn_trunk(turned, at)
    for limb in _LIMBS:
        first, second = _turn_limb(turned[:, limb.base], at, limb, rate)
        turned[:, limb.first], turned[:, limb.second], turned[:, limb.end] = first, second, second
    for hand, roots in knuckles.items():
        turned[:, hand] = _turn_hand(at[hand], points, hand, roots, turned[:, hand])
    for foot, toe in ((Segment.LEFT_FOOT, Segment.LEFT_TOE), (Segment.RIGHT_FOOT, Segment.RIGHT_TOE)):
        if toe in at:
            turned[:, foot] = _carry(turned[:, foot], foot, _unit(at[toe] - at[foot]))
            turned[:, toe] = turned[:, foot]
    unknown = [segment for segment in Segment if segment not in joints]
    turned[:, unknown] = (0.0, 0.0, 0.0, 1.0)
    return join_in_time(turned)


def _turn_trunk(turned: np.ndarray, at: Mapping[Segment, np.ndarray]) -> None:
    """Turn everything from the pelvis to the head, and the shoulders."""
    hips = at[Segment.LEFT_UPPER_LEG] - at[Segment.RIGHT_UPPER_LEG]
    above = at.get(Segment.L5, at[Segment.T8])
    turned[:, Segment.PELVIS] = _turn_axes(hips, above - at[Segment.PELVIS])
    has_collars = Segment.LEFT_SHOULDER in at and Segment.RIGHT_SHOULDER in at
    left, right = (
        (Segment.LEFT_SHOULDER, Segment.RIGHT_SHOULDER) if has_collars else (Segment.LEFT_UPPER_ARM, Segment.RIGHT_UPPER_ARM)
    )
    chest = at[Segment.T8]
    upwards = at[Segment.NECK] - chest if Segment.NECK in at else chest - at[Segment.PELVIS]
    turned[:, Segment.T8] = _turn_axes(at[left] - at[right], upwards)
    for number, between in enumerate((Segment.L5, Segment.L3, Segment.T12), 1):
        turned[:, between] = _mix(turned[:, Segment.PELVIS], turned[:, Segment.T8], number / 4.0)
    carried = turned[:, Segment.T8]
    if Segment.NECK in at and Segment.HEAD in at:
        carried = _carry(carried, Segment.NECK, _unit(at[Segment.HEAD] - at[Segment.NECK]))
    turned[:, Segment.NECK] = turned[:, Segment.HEAD] = carried
    for shoulder in (Segment.LEFT_SHOULDER, Segment.RIGHT_SHOULDER):
        if shoulder in at:
            turned[:, shoulder] = _carry(turned[:, Segment.T8], shoulder, _unit(at[Segment(shoulder + 1)] - at[shoulder]))


def _turn_limb(base: np.ndarray, at: Mapping[Segment, np.ndarray], limb: _Limb, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how the two segments of a limb are turned."""
    upper, lower = _unit(at[limb.second] - at[limb.first]), _unit(at[limb.end] - at[limb.second])
    carried = _carry(base, limb.first, upper)
    hinge = np.cross(upper, lower)
    bend = np.arctan2(np.linalg.norm(hinge, axis=-1), np.sum(upper * lower, axis=-1))
    straight = rotate(carried, np.array(limb.hinge))
    aside = np.sum(upper * np.cross(straight, hinge), axis=-1)
    told = np.arctan2(aside, np.sum(straight * hinge, axis=-1))
    spin = _find_spin(rotate(conjugate(base), upper), multiply(conjugate(base), carried))
    twist = _follow(told, spin, bend, rate)[:, None] / 2.0
    first = multiply(np.concatenate([np.sin(twist) * upper, np.cos(twist)], axis=-1), carried)
    return first, _carry(first, limb.second, lower)


def _find_spin(direction: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return how far references turn about their direction from frame to frame, beyond what takes the direction along [rad].

    It is large where a limb points against its T-pose direction, about which there is no shortest turn.
    """
    along = multiply(turn_shortest(direction[:-1], direction[1:]), reference[:-1])
    beyond = multiply(reference[1:], conjugate(along))
    half = np.arctan2(np.sum(beyond[..., :3] * direction[1:], axis=-1), beyond[..., 3])
    spin: np.ndarray = np.concatenate([[0.0], np.arctan2(np.sin(2.0 * half), np.cos(2.0 * half))])
    return spin


def _follow(told: np.ndarray, spin: np.ndarray, bend: np.ndarray, rate: float) -> np.ndarray:
    """Return a twist that follows the one that the hinge tells, as fast as the limb is bent [rad].

    So far as the hinge is believed, what the reference turns by itself is taken off first.
    """
    share = np.clip((bend - LEAST_BEND) / (FULL_BEND - LEAST_BEND), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    gains = share * (1.0 - math.exp(-1.0 / (rate * FOLLOWING_TIME)))
    followed, fastest = np.empty(len(told)), FASTEST_TWIST / rate
    twist = float(share[0] * told[0])
    own = share * spin
    for frame, (angle, gain, turned) in enumerate(zip(told.tolist(), gains.tolist(), own.tolist(), strict=True)):
        twist -= turned
        twist += min(max(gain * math.remainder(angle - twist, 2.0 * math.pi), -fastest), fastest)
        followed[frame] = twist
    return followed


def _turn_hand(wrist: np.ndarray, points: np.ndarray, hand: Segment, roots: Knuckles, otherwise: np.ndarray) -> np.ndarray:
    """Return how a hand is turned: its fingers point aside in a T-pose, the index finger is in front."""
    along = points[:, roots.middle] - wrist
    side = T_POSE_DIRECTIONS[hand][1] * along
    ahead = points[:, roots.index] - points[:, roots.little]
    normal = np.cross(ahead, side)
    flat = np.linalg.norm(normal, axis=-1) < 1e-9
    turned = _turn_axes(side, np.where(flat[:, None], (0.0, 0.0, 1.0), normal))
    return np.where(flat[:, None], otherwise, turned)


def _carry(base: np.ndarray, segment: Segment, direction: np.ndarray) -> np.ndarray:
    """Return a base's rotation, and then the shortest turn of a segment's T-pose direction to where it points."""
    carried = rotate(base, _unit(np.array(T_POSE_DIRECTIONS[segment])))
    return multiply(turn_shortest(carried, direction), base)


def _turn_axes(left: np.ndarray, upwards: np.ndarray) -> np.ndarray:
    """Return the rotations whose y is a direction to the left, and whose z is as near as can be to another one."""
    from scipy.spatial.transform import Rotation

    y = _unit(left)
    z = _unit(upwards - np.sum(upwards * y, axis=-1, keepdims=True) * y)
    quaternions: np.ndarray = Rotation.from_matrix(np.stack([np.cross(y, z), y, z], axis=-1)).as_quat()
    return quaternions


def _mix(one: np.ndarray, other: np.ndarray, share: float) -> np.ndarray:
    sign = np.where(np.sum(one * other, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return _unit((1.0 - share) * one + share * sign * other)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of unit length; what has no length becomes x, so that two joints in one place give a turn, too."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    first = np.zeros(vectors.shape[-1])
    first[0] = 1.0
    return np.where(lengths > 1e-9, vectors / np.maximum(lengths, 1e-9), first)
