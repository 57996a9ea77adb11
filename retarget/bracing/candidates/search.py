"""Candidates for hands to brace on, ranked by what they buy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.brace_candidate import BraceCandidate
from handhold.retarget.bracing.candidates.brace_region import BraceMargin, BraceRegion
from handhold.retarget.bracing.candidates.brace_site import MAX_AGE, BraceSite, list_surfaces_before
from handhold.retarget.bracing.candidates.hand_reach import HandReach
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.pair_search import BracePair, find_best_pair
from handhold.retarget.bracing.candidates.site_search import SiteSearch
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver

MAX_CANDIDATES = 10
"""Largest number of candidates: an operator goes through them one after the other."""

LOOKED_AT, ASCENTS = 4, 5
"""How many surfaces are looked at more closely by estimates, and how many ascents there are by postures, the best first."""

TRIES, MAX_TRIED = 3, 60
"""For how many of the places guessed at a posture is looked for: on a surface before it is given up, and on all of them."""

PROMISING = 0.5
"""Part of the best score that a guess must promise to be tried, and that a place found must have for an ascent from it [-]."""


class CandidateSearch:
    """Searches on its own: it shares nothing with a control cycle, and may run in another thread or process.

    One search at a time. The same posture and surfaces lead to the same candidates.
    """

    def __init__(self, model: RobotModel, parameters: SeikoParameters | None = None) -> None:
        """Make what a search needs of a robot.

        Args:
            model: Robot.
            parameters: Of the SEIKO that the robot is moved by; None for the defaults.
        """
        self._model = model
        hands = [e for e, about in enumerate(model.effectors) if about.hand and about.contact is ContactKind.POINT]
        self._arms = {hand: ArmChain(model, hand) for hand in hands}
        self._reach = HandReach(model, self._arms, DaqpSolver(), parameters)

    def rank(
        self, posture: HeldPosture, surfaces: Iterable[Surface], hands: Sequence[int] | None = None
    ) -> tuple[BraceCandidate, ...]:
        """Find the best place for each hand on each surface, and rank them by what they add to the margin.

        Args:
            posture: How the robot stands.
            surfaces: What is known of its surroundings; what was not seen for ``MAX_AGE`` is left out.
            hands: Indices of the effectors to look for; all hands if None. Those in contact are left out.

        Returns:
            The candidates, the best one first.
        """
        searches = self.list_searches(posture, surfaces, hands)
        for search in searches:
            search.guess()
        searches = sorted((each for each in searches if each.guesses), key=lambda each: -each.guesses[0].score)
        for search in searches[:LOOKED_AT]:
            search.look_closer()
        _try_what_promises_most(searches)
        _ascend_from_the_best(searches)
        found = sorted((search for search in searches if search.found), key=_read_score, reverse=True)
        return tuple(self._describe(search) for search in found)

    def list_searches(
        self, posture: HeldPosture, surfaces: Iterable[Surface], hands: Sequence[int] | None = None
    ) -> list[SiteSearch]:
        """Begin a search on every surface before a hand (see ``rank``); they share what they compute with."""
        before = self._begin(posture)
        if before is None:
            return []
        fresh = [surface for surface in surfaces if surface.age <= MAX_AGE]
        found = []
        for hand, arm in self._arms.items():
            if hand in posture.effectors or (hands is not None and hand not in hands):
                continue
            kinematics = self._reach.kinematics
            position, shoulder = kinematics.poses[hand, :3, 3].copy(), arm.find_shoulder(kinematics)
            region = BraceRegion(self._model, kinematics, posture, (hand,))
            for surface in list_surfaces_before(fresh, position, shoulder, arm.length):
                site = BraceSite(self._model.effectors[hand], hand, surface, position, shoulder, arm.length)
                if site.is_worth_a_look:
                    found.append(SiteSearch(self._reach, region, arm, site, posture, before))
        return found

    def find_pair(self, posture: HeldPosture, candidates: Iterable[BraceCandidate]) -> BracePair | None:
        """Find the best two of some candidates that two hands can be at together; None where there are none.

        Args:
            posture: How the robot stands, as ``rank`` was told.
            candidates: What ``rank`` found, or a part of it.
        """
        before = self._begin(posture)
        if before is None:
            return None
        return find_best_pair(self._model, self._reach, self._arms, posture, before, candidates)

    def _begin(self, posture: HeldPosture) -> BraceMargin | None:
        """Take a posture; returns what its contacts are worth there, None where nothing holds it up."""
        self._reach.begin(posture)
        try:
            return BraceRegion(self._model, self._reach.kinematics, posture).measure(posture.position_com)
        except NoRegion:
            return None

    def _describe(self, search: SiteSearch) -> BraceCandidate:
        trial, site, region = search.best, search.site, search.region
        assert trial is not None
        self._reach.kinematics.update(trial.q)
        region.touch(site.hand, site.frame)
        margin = region.measure().margin
        return BraceCandidate(
            hand=site.hand,
            surface=site.surface,
            pose=self._reach.kinematics.poses[site.hand].copy(),
            point=site.find_point(trial.local),
            q=trial.q,
            region=region.describe(margin),
            gain=trial.gain,
            area_gain=trial.area_gain,
            torque_ratio=trial.torque_ratio,
        )


def _try_what_promises_most(searches: list[SiteSearch]) -> None:
    """Look for postures of guesses, on as many surfaces as there may be candidates, until none is left that promises much."""
    best = -math.inf
    for _ in range(MAX_TRIED):
        full = sum(bool(search.found) for search in searches) == MAX_CANDIDATES
        worth = [search for search in searches if _is_worth_a_try(search, best, full=full)]
        if not worth:
            return
        search = max(worth, key=lambda each: each.optimistic_score)
        search.try_next()
        best = max(best, _read_score(search))


def _is_worth_a_try(search: SiteSearch, best: float, *, full: bool) -> bool:
    """Whether the next guess of a surface promises enough beside the best score [m], or the surface still is to be reached."""
    missing = not search.found
    if search.is_exhausted or search.is_saturated or (missing and full):
        return False
    return (missing and search.tried < TRIES) or _is_promising(search.optimistic_score, best)


def _ascend_from_the_best(searches: list[SiteSearch]) -> None:
    """Go on from the best places that were found, of one surface or of several, where another place may be better."""
    starts = sorted(((trial, search) for search in searches for trial in search.found), key=lambda each: -each[0].score)
    best, number = max(map(_read_score, searches), default=-math.inf), 0
    for trial, search in starts:
        if number == ASCENTS or not _is_promising(trial.score, best):
            return
        # What is saturated may be the lower of two hills: other places of its surface are not left out.
        if not trial.saturated and not search.is_explored_near(trial.local):
            best, number = max(best, search.ascend(trial).score), number + 1


def _is_promising(score: float, best: float) -> bool:
    """Whether a score is at least that part of the best one, or as near to one that is negative [m]."""
    return score >= best - (1.0 - PROMISING) * abs(best)


def _read_score(search: SiteSearch) -> float:
    """Return the score of the best place that was found [m], minus infinity where there is none."""
    return -math.inf if search.best is None else search.best.score
