"""Which joints of a robot are its legs, its arms and its trunk, and where it looks: from its tree of joints alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pinocchio as pin

from handhold.robots.proposal.errors import NotProposed

MIRRORED = 0.03
"""How far from the mirror image of a joint its twin may be, as a part of the robot's size [-]."""

_LIGHT = 0.01
"""Part of the robot's mass below which a pair of subtrees is neither legs nor arms: eyes, ears, fingers [-]."""
_FOUR_LEGGED = 0.6
"""Ratio of the masses of arms and legs on one body from which the arms are legs, too [-]."""
_AWAY = 0.5
"""Part of its length by which a pair of legs goes away from the shoulders [-]."""
_DISTINCT = 0.01
"""Distance from which two joints of a limb are apart [m]."""
_LONGER = 0.02
"""How much further feet reach to one side of the ankle than to the other that this says what is ahead [m]."""
_GRIPS = re.compile(r"(?i)grip|finger|thumb|toe|_hand|hand_|hand$")
"""Names of joints at the end of a chain that are no part of the limb."""
_LEFT = re.compile(r"(?i:left)|(?:^|_)[lL](?:_|$)|(?:^|_)L(?=[A-Z])|^l(?=[A-Z])")
_RIGHT = re.compile(r"(?i:right)|(?:^|_)[rR](?:_|$)|(?:^|_)R(?=[A-Z])|^r(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limb:
    """A chain of joints from the trunk to its last one before it branches, or ends.

    Attributes:
        joints: Pinocchio's ids of the chain, the one at the trunk first.
        beyond: Ids of the joints behind the chain: fingers.
    """

    joints: tuple[int, ...]
    beyond: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Anatomy:
    """The parts of a humanoid.

    Attributes:
        legs: Left and right leg.
        arms: Left and right arm; none where it has no arms.
        trunk: Ids of the joints that are in neither, the base first.
        rotation_base_to_root: Axes of the base (x forward, y left, z up) in the root link's frame, shape ``(3, 3)``.
        named_otherwise: Whether the names of the limbs say left where the feet's shape says right.
    """

    legs: tuple[Limb, Limb]
    arms: tuple[Limb, Limb] | None
    trunk: tuple[int, ...]
    rotation_base_to_root: np.ndarray
    named_otherwise: bool = False

    @property
    def base_rpy(self) -> tuple[float, float, float]:
        """Roll, pitch, yaw of the base's axes in the root link [rad]."""
        roll, pitch, yaw = pin.rpy.matrixToRpy(self.rotation_base_to_root)
        return float(roll), float(pitch), float(yaw)


def find_anatomy(model: pin.Model, positions: np.ndarray, points: list[np.ndarray], source: str) -> Anatomy:
    """Find the parts of a humanoid: two pairs of mirrored subtrees of its trunk, of which one is the legs.

    Args:
        model: Full model, free flyer first.
        positions: Positions of all joints in the root link's frame in the neutral posture, shape ``(njoints, 3)`` [m].
        points: Points of what each joint carries, in the root link's frame in that posture, each of shape ``(k, 3)`` [m].
        source: File, for messages.

    Raises:
        NotProposed: It has no two legs, or more than two.
    """
    pairs, trunk, lateral = _find_pairs(model, positions)
    if not pairs:
        raise NotProposed(source, "no two legs are found: no two chains of joints mirror each other")
    legs, arms = _classify_limbs(model, positions, pairs, source)
    chains = [(_follow(model, left), _follow(model, right)) for left, right in (legs, arms or legs)]
    up = _find_up(positions, chains[0], chains[1] if arms else None, lateral, source)
    anatomy = Anatomy(
        legs=chains[0], arms=chains[1] if arms else None, trunk=tuple(trunk), rotation_base_to_root=_complete(lateral, up)
    )
    return _face_forward(_put_left_first(anatomy, positions), model, positions, points)


def _classify_limbs(
    model: pin.Model, positions: np.ndarray, pairs: list[tuple[int, int]], source: str
) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Tell which of the two heaviest pairs are the legs: hips are between feet and shoulders, whatever arms weigh.

    Where neither pair goes away from the other's roots, as a quadruped's, the heavier one is, or there are four legs.

    Raises:
        NotProposed: There are four.
    """
    heavy, *light = sorted(pairs, key=lambda pair: -_weigh(model, pair[0]))
    if not light:
        return heavy, None
    away = [_measure_away(model, positions, *order) for order in ((heavy, light[0]), (light[0], heavy))]
    if max(away) > _AWAY:
        return (heavy, light[0]) if away[0] >= away[1] else (light[0], heavy)
    same_body = model.parents[light[0][0]] == model.parents[heavy[0]]
    if same_body and _weigh(model, light[0][0]) > _FOUR_LEGGED * _weigh(model, heavy[0]):
        raise NotProposed(source, "it has four legs")
    return heavy, light[0]


def _measure_away(model: pin.Model, positions: np.ndarray, pair: tuple[int, int], other: tuple[int, int]) -> float:
    """Return how far a pair goes away from where another is rooted, as a part of its own length [-]."""
    root, others = (np.mean([positions[joint] for joint in roots], axis=0) for roots in (pair, other))
    joints = np.array([positions[list(_follow(model, joint).joints)] for joint in pair]).mean(axis=0)
    length = float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())
    apart = float(np.linalg.norm(root - others))
    if min(length, apart) < _DISTINCT:
        return 0.0
    return float((joints[-1] - root) @ (root - others)) / (apart * length)


def list_subtree(model: pin.Model, joint: int) -> list[int]:
    """Return a joint and all that it carries."""
    return [int(j) for j in model.subtrees[joint]]


def _find_pairs(model: pin.Model, positions: np.ndarray) -> tuple[list[tuple[int, int]], list[int], int]:
    """Find mirrored pairs of subtrees, the joints of the trunk, and the axis of the root link across which they mirror."""
    found = [(*_walk_trunk(model, positions, axis), axis) for axis in range(3)]
    return max(found, key=lambda result: sum(_weigh(model, joint) for pair in result[0] for joint in pair))


def _walk_trunk(model: pin.Model, positions: np.ndarray, axis: int) -> tuple[list[tuple[int, int]], list[int]]:
    pairs: list[tuple[int, int]] = []
    trunk, ahead = [], [1]
    total = pin.computeTotalMass(model)
    tolerance = MIRRORED * float(np.ptp(positions[1:], axis=0).max())
    while ahead:
        joint = ahead.pop(0)
        trunk.append(joint)
        children = [int(child) for child in model.children[joint]]
        paired: set[int] = set()
        for first, second in combinations(children, 2):
            if not paired & {first, second} and _are_mirrored(model, positions, (first, second), axis, tolerance):
                paired |= {first, second}
                if _weigh(model, first) > _LIGHT * total:
                    pairs.append((first, second))
        ahead += [child for child in children if child not in paired]
    return pairs, trunk


def _are_mirrored(model: pin.Model, positions: np.ndarray, roots: tuple[int, int], axis: int, tolerance: float) -> bool:
    first, second = (positions[list_subtree(model, root)] for root in roots)
    if len(first) != len(second) or abs(first[:, axis].mean() - second[:, axis].mean()) < 2.0 * tolerance:
        return False
    mirrored = second.copy()
    mirrored[:, axis] = 2.0 * positions[1, axis] - mirrored[:, axis]
    distances = np.linalg.norm(first[:, None] - mirrored[None], axis=2)
    return bool(distances.min(axis=1).max() < tolerance)


def _weigh(model: pin.Model, root: int) -> float:
    return float(sum(model.inertias[joint].mass for joint in list_subtree(model, root)))


def _follow(model: pin.Model, root: int) -> Limb:
    """Follow a limb to where it branches; what is behind are fingers."""
    joints = [root]
    while len(model.children[joints[-1]]) == 1:
        joints.append(int(model.children[joints[-1]][0]))
    while len(joints) > 1 and _GRIPS.search(model.names[joints[-1]]):
        joints.pop()
    return Limb(joints=tuple(joints), beyond=tuple(j for j in list_subtree(model, root) if j not in joints))


def _find_up(
    positions: np.ndarray, legs: tuple[Limb, Limb], arms: tuple[Limb, Limb] | None, lateral: int, source: str
) -> np.ndarray:
    """Return the axis of the root link along which the shoulders, or the hips, are above the feet, shape ``(3,)``."""
    feet = np.mean([positions[leg.joints[-1]] for leg in legs], axis=0)
    hips = np.mean([positions[leg.joints[0]] for leg in legs], axis=0)
    top = hips if arms is None else np.mean([positions[arm.joints[0]] for arm in arms], axis=0)
    rise = (hips - feet) + (top - feet)
    rise[lateral] = 0.0
    axis = int(np.argmax(np.abs(rise)))
    if abs(rise[axis]) < _DISTINCT:
        raise NotProposed(source, "its legs have no length in its zero posture")
    up = np.zeros(3)
    up[axis] = np.sign(rise[axis])
    return up


def _complete(lateral: int, up: np.ndarray) -> np.ndarray:
    left = np.eye(3)[lateral]
    return np.column_stack([np.cross(left, up), left, up])


def _put_left_first(anatomy: Anatomy, positions: np.ndarray) -> Anatomy:
    left = anatomy.rotation_base_to_root[:, 1]

    def order(pair: tuple[Limb, Limb]) -> tuple[Limb, Limb]:
        first, second = sorted(pair, key=lambda limb: -float(positions[limb.joints[-1]] @ left))
        return first, second

    return replace(anatomy, legs=order(anatomy.legs), arms=None if anatomy.arms is None else order(anatomy.arms))


def _face_forward(anatomy: Anatomy, model: pin.Model, positions: np.ndarray, points: list[np.ndarray]) -> Anatomy:
    """Turn x to where the names say that left is left, or else to where the feet are longer before the ankles."""
    shape, names = _measure_feet_ahead(anatomy, positions, points), _count_names(anatomy, model)
    backward = names < 0 if names else shape < 0.0
    contradiction = names != 0 and shape * names < 0.0 and abs(shape) > 2.0 * _LONGER
    if backward:
        turned = anatomy.rotation_base_to_root * np.array([-1.0, -1.0, 1.0])
        anatomy = _put_left_first(replace(anatomy, rotation_base_to_root=turned), positions)
    return replace(anatomy, named_otherwise=contradiction)


def _measure_feet_ahead(anatomy: Anatomy, positions: np.ndarray, points: list[np.ndarray]) -> float:
    """Return how much further the feet reach ahead of the ankles than behind [m]."""
    ahead = 0.0
    for leg in anatomy.legs:
        ankle = leg.joints[-1]
        if len(points[ankle]):
            along = (points[ankle] - positions[ankle]) @ anatomy.rotation_base_to_root[:, 0]
            ahead += float(along.max() + along.min())
    return ahead


def _count_names(anatomy: Anatomy, model: pin.Model) -> int:
    """Return how many more joints on the left are named left than right, less the same on the right."""
    count = 0
    for sign, leg in zip((1, -1), anatomy.legs, strict=True):
        for joint in leg.joints:
            name = model.names[joint]
            count += sign * (bool(_LEFT.search(name)) - bool(_RIGHT.search(name)))
    return count
