"""What an exhaustive search finds to brace on: every place of a dense grid on every surface, from two postures each."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.brace_site import MAX_DISTANCE
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.search import CandidateSearch
from handhold.retarget.bracing.candidates.site_search import SiteSearch
from handhold.retarget.bracing.candidates.trial import Trial
from handhold.retarget.bracing.margin.contact_retargeting import compute_distance_before
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.model import RobotModel

PITCH, FINEST = 0.05, 0.0125
"""Distance of places on a surface, and how far it is halved where there are few [m]."""

FEW = 20
"""Places on a surface that are few."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SurfaceGain:
    """The best that one hand gains on one surface.

    Attributes:
        hand: Index of the hand among the effectors.
        surface: The surface.
        gain: What it adds to the margin [m].
    """

    hand: int
    surface: Surface
    gain: float


def search_exhaustively(search: CandidateSearch, posture: HeldPosture, surfaces: tuple[Surface, ...]) -> list[SurfaceGain]:
    """Find the best gain of every hand on every surface that it reaches."""
    found = []
    for each in search.list_searches(posture, surfaces):
        best = _find_best(each, posture)
        if best is not None:
            found.append(SurfaceGain(hand=each.site.hand, surface=each.site.surface, gain=best.gain))
    return found


def _find_best(search: SiteSearch, posture: HeldPosture) -> Trial | None:
    search.region.touch(search.site.hand, search.site.frame)
    pitch, places = PITCH, search.site.list_places(PITCH)
    while len(places) < FEW and pitch > FINEST:
        pitch *= 0.5
        places = search.site.list_places(pitch)
    best: Trial | None = None
    for local in places:
        for start in (search.move_arm(local), posture.q):
            found = search.try_place(local, start, best)
            best = best if found is None else found
    return best


def find_nearest_gain(model: RobotModel, seiko: Seiko, surfaces: tuple[Surface, ...], gains: list[SurfaceGain]) -> float:
    """Find what is gained by the rule of [McCrory2024]_ (VI-B): on the surface that is nearest to a hand, within 1 m.

    Args:
        model: Robot.
        seiko: Its reference.
        surfaces: What is about it.
        gains: What is gained on which at best; nothing on the others.
    """
    hands = [e for e, about in enumerate(model.effectors) if about.hand]
    near = [
        (compute_distance_before(seiko.kinematics.poses[h, :3, 3], surface), h, surface) for h in hands for surface in surfaces
    ]
    distance, hand, nearest = min(near, key=lambda each: each[0])
    if distance > MAX_DISTANCE:
        return 0.0
    return next((each.gain for each in gains if each.hand == hand and each.surface is nearest), 0.0)
