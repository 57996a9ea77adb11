"""What is said of the places where hands could brace: found beside the control loop, and sent to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from handhold.perception.brace_place import BracePlace
from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.brace_candidate import BraceCandidate
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.search import CandidateSearch

MAX_PLACES = 16
"""Places of a proposal at most."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Proposal:
    """The places that are worth most in one posture.

    Attributes:
        time: When the robot stood in it, by the host's clock [s].
        places: The best ones, of which two may be a pair.
    """

    time: float
    places: tuple[BracePlace, ...] = ()


def propose(search: CandidateSearch, time: float, posture: HeldPosture, surfaces: Iterable[Surface]) -> Proposal:
    """Find the places that are worth most.

    Args:
        search: Finds them.
        time: When the robot stood so, by the host's clock [s].
        posture: How it stood.
        surfaces: What is known of its surroundings; only what has an identity can be told of.
    """
    known = [surface for surface in surfaces if surface.identity]
    candidates = search.rank(posture, known)
    pair = search.find_pair(posture, candidates)
    members = set() if pair is None else {(h, s.identity) for h, s in zip(pair.hands, pair.surfaces, strict=True)}
    gain = math.nan if pair is None else pair.gain
    places = (_describe(candidate, members, gain) for candidate in candidates[:MAX_PLACES])
    return Proposal(time=time, places=tuple(places))


def _describe(candidate: BraceCandidate, members: set[tuple[int, int]], pair_gain: float) -> BracePlace:
    region, identity = candidate.region, candidate.surface.identity
    return BracePlace(
        surface=identity,
        hand=candidate.hand,
        point=candidate.point,
        axis=np.ascontiguousarray(candidate.pose[:3, 0]),
        gain=float(candidate.gain),
        torque_ratio=float(candidate.torque_ratio),
        region=region.vertices,
        margin=float(region.margin),
        edge=int(region.edge),
        limit=region.limit,
        pair_gain=float(pair_gain) if (candidate.hand, identity) in members else math.nan,
    )
