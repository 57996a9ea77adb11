"""Two hands at once: the best two candidates that they can be at together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.brace_candidate import BraceCandidate
from handhold.retarget.bracing.candidates.brace_region import BraceMargin, BraceRegion
from handhold.retarget.bracing.candidates.hand_reach import HandReach
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.bracing.candidates.site_search import MAX_TORQUE_RATIO
from handhold.retarget.mode_report import StabilityRegion
from handhold.retarget.stability.contact_points import frame_about
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.model import RobotModel

PAIRED = 2
"""How many candidates of each hand are tried with those of the other, the best first."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BracePair:
    """Places for two hands at once.

    Attributes:
        hands: Indices of the hands among the effectors.
        surfaces: Their surfaces.
        poses: Poses of their contact frames in world, shape ``(2, 4, 4)``.
        points: Where they touch, in world, shape ``(2, 3)`` [m].
        q: Posture with both hands there, shape ``(nq,)``.
        region: Stability region of that posture with both hands in contact.
        gain: What that adds to the margin of the present contacts and posture [m].
        area_gain: What it adds to the region's area [m^2].
        torque_ratio: Largest part of its limit that a joint needs with both hands loaded [-].
    """

    hands: tuple[int, int]
    surfaces: tuple[Surface, Surface]
    poses: np.ndarray
    points: np.ndarray
    q: np.ndarray
    region: StabilityRegion
    gain: float
    area_gain: float
    torque_ratio: float


def find_best_pair(
    model: RobotModel,
    reach: HandReach,
    arms: Mapping[int, ArmChain],
    posture: HeldPosture,
    before: BraceMargin,
    candidates: Iterable[BraceCandidate],
) -> BracePair | None:
    """Find the pair that is worth most; None where no two hands can be at two candidates together.

    Args:
        model: Robot.
        reach: Finds postures; begun with the posture.
        arms: Those of the hands.
        posture: From which they reach.
        before: Margin and area of the present contacts there.
        candidates: The best one of each hand first.
    """
    by_hand: dict[int, list[BraceCandidate]] = {}
    for candidate in candidates:
        by_hand.setdefault(candidate.hand, []).append(candidate)
    best, worth = None, -np.inf
    for hands in combinations(sorted(by_hand), 2):
        region = BraceRegion(model, reach.kinematics, posture, hands)
        for one in by_hand[hands[0]][:PAIRED]:
            for other in by_hand[hands[1]][:PAIRED]:
                q = _find_posture(model, reach, arms, (one, other), posture)
                measured = None if q is None else _measure(region, (one, other))
                if q is not None and measured is not None and measured.worth > worth:
                    best, worth = _describe(reach, region, (one, other), q, measured, before), measured.worth
    return best


def _find_posture(
    model: RobotModel,
    reach: HandReach,
    arms: Mapping[int, ArmChain],
    pair: tuple[BraceCandidate, BraceCandidate],
    posture: HeldPosture,
) -> np.ndarray | None:
    one, other = pair
    start, arm = one.q.copy(), arms[other.hand].own + 1
    start[arm] = other.q[arm]
    places = {}
    for candidate in pair:
        normal = np.ascontiguousarray(candidate.surface.pose[:3, 2])
        position = candidate.point + model.effectors[candidate.hand].radius * normal
        places[candidate.hand] = Place(position=position, normal=normal)
    q = reach.find(places, start)
    return reach.find(places, posture.q) if q is None else q


def _measure(region: BraceRegion, pair: tuple[BraceCandidate, BraceCandidate]) -> BraceMargin | None:
    for candidate in pair:
        region.touch(candidate.hand, frame_about(candidate.surface.pose[:3, 2]))
    try:
        found = region.measure()
    except NoRegion:
        return None
    return found if found.margin > 0.0 and region.find_torque_ratio() <= MAX_TORQUE_RATIO else None


def _describe(
    reach: HandReach,
    region: BraceRegion,
    pair: tuple[BraceCandidate, BraceCandidate],
    q: np.ndarray,
    found: BraceMargin,
    before: BraceMargin,
) -> BracePair:
    one, other = pair
    return BracePair(
        hands=(one.hand, other.hand),
        surfaces=(one.surface, other.surface),
        poses=reach.kinematics.poses[[one.hand, other.hand]].copy(),
        points=np.stack([one.point, other.point]),
        q=q,
        region=region.describe(found.margin),
        gain=found.margin - before.margin,
        area_gain=found.area - before.area,
        torque_ratio=region.find_torque_ratio(),
    )
