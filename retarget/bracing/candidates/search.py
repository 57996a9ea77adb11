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

LOOKED_AT, ASCENTS = 4, 3
"""How many surfaces are looked at more closely, by estimates and by postures, the best first."""

TRIES, MAX_TRIED = 3, 30
"""For how many of the places guessed at on a surface a posture is looked for, and how often on all of them."""


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
        searches = _sort_guessed(searches)
        for search in searches[:LOOKED_AT]:
            search.look_closer()
        found = sorted(_try_best_first(_sort_guessed(searches)), key=_read_cost)
        for search in found[:ASCENTS]:
            search.ascend()
        found.sort(key=_read_cost)
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


def _try_best_first(searches: list[SiteSearch]) -> list[SiteSearch]:
    """Look for postures of guesses, those that promise most first; returns the searches that have found one."""
    ahead = [(guess, search) for search in searches for guess in search.guesses[:TRIES]]
    ahead.sort(key=lambda each: -each[0].score)
    tried, best = 0, -math.inf
    found: list[SiteSearch] = []
    for guess, search in ahead:
        full = search.best is None and len(found) == MAX_CANDIDATES
        if full or (search.best is not None and search.best.score >= guess.score):
            continue
        for from_present in (False, True):
            # What promises more than anything found is worth a second try, from another posture.
            if tried == MAX_TRIED or (from_present and guess.score <= best):
                break
            tried += 1
            if search.try_guess(guess, from_present=from_present):
                break
        if search.best is not None:
            best = max(best, search.best.score)
            found += [] if search in found else [search]
    return found


def _sort_guessed(searches: list[SiteSearch]) -> list[SiteSearch]:
    """Return those that have guessed something, the best guess first."""
    return sorted((search for search in searches if search.guesses), key=lambda search: -search.guesses[0].score)


def _read_cost(search: SiteSearch) -> float:
    """Return what the best come first by [m]."""
    return math.inf if search.best is None else -search.best.score
