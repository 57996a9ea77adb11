r"""The best place of one hand on one surface: many are guessed at, some are tried, and from the best ones ascents go on.

[McCrory2024]_ moves a hand along its surface by the gradient of the region's area,

.. math:: \dot p_h = k_c (I - n n^T) \nabla A(p_h) \quad (14)

from where it is, the posture left as it is. Here it is the margin that grows first, and the area where the margin does not
hang on the hand (``region_worth``); the way goes up that slope, or to a side where it does not pay, because another place is
another posture; and it begins at the best of places all over the surface.

A place has several postures (an elbow up, an elbow down), which are worth more or less: which one is found depends on where
inverse kinematics begin. A guess is tried from the arm moved alone and, where that leads to none, from the present posture; an
ascent tries the present one once more where it begins, and each of its places from the posture of the place before, from the
arm moved alone and from the present posture, until one pays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.brace_region import BraceMargin, BraceRegion
from handhold.retarget.bracing.candidates.brace_site import BraceSite
from handhold.retarget.bracing.candidates.hand_reach import HandReach
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.trial import Trial
from handhold.retarget.stability.support_region import NoRegion

MISSING = 0.2
"""How much nearer the whole body may bring a hand than trunk and arm alone [m]."""

PROBES, ESTIMATES = 4, 12
"""How many places of a grid tell how far the next one's are, and how many of those that an arm reaches are estimated."""

STRIDES = (0.12, 0.06, 0.03)
"""Strides of an ascent, one after the other [m]."""

LOOKS, STEPS = 8, 16
"""How many places an ascent may look at, by estimates, and by postures: each of those by one to three searches for one."""

APART = 0.2
"""Distance from where an ascent began and ended up to which none begins again [m]."""

WORTH_A_STRIDE = 2e-4
"""Least gain of score for which an ascent goes on [m]."""

MAX_TORQUE_RATIO = 1.02
"""Largest part of its limit that a joint may need [-]: postures are found with as much of tolerance."""


class SiteSearch:
    """Looks for the best place on one surface for one hand.

    Attributes:
        site: The surface before the hand.
        region: With the hand there, of the posture measured last; one for all surfaces of the hand.
        guesses: What was estimated, the best one first.
        tried: For how many of them, from the first one on, a posture was looked for; their order stays from then on.
        found: Places for which there is a posture.
        best: The best of these; None before one was found.
    """

    def __init__(
        self,
        reach: HandReach,
        region: BraceRegion,
        arm: ArmChain,
        site: BraceSite,
        posture: HeldPosture,
        before: BraceMargin,
    ) -> None:
        """Begin with a site.

        Args:
            reach: Finds postures; begun with the posture, which its kinematics have now.
            region: With the hand in contact, wherever.
            arm: That of the hand.
            site: The surface.
            posture: From which the hand reaches.
            before: Margin and area of the present contacts there.
        """
        self.site, self.region = site, region
        self.guesses: list[Trial] = []
        self.tried = 0
        self.found: list[Trial] = []
        self.best: Trial | None = None
        self._underestimate = 0.0
        self._visited: list[np.ndarray] = []
        self._reach, self._arm, self._posture, self._before = reach, arm, posture, before
        self._root = arm.find_root(reach.kinematics)

    @property
    def is_saturated(self) -> bool:
        """Whether the best place is saturated: another one on this surface would hardly be better."""
        return self.best is not None and self.best.saturated

    @property
    def is_exhausted(self) -> bool:
        """Whether a posture was looked for at every guess."""
        return self.tried == len(self.guesses)

    @property
    def optimistic_score(self) -> float:
        """What the next guess may be worth [m]: its score, and by how much another one's posture was better than estimated.

        There must be one: the search is not exhausted.
        """
        return self.guesses[self.tried].score + self._underestimate

    def guess(self) -> None:
        """Estimate places all over the surface."""
        self.region.touch(self.site.hand, self.site.frame)
        # The nearest one, and some from all over.
        near = sorted(self._list_within_reach(), key=lambda each: each[2])
        for local, joints, missing in near[:: 1 + max(0, len(near) - 1) // ESTIMATES]:
            guess = self._estimate(local, self._place_arm(joints), missing)
            self.guesses += [] if guess is None else [guess]
        self._sort()

    def _list_within_reach(self) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """List places that trunk and arm reach, or nearly: the place, their joints, and the distance that is left [m]."""
        joints = self._posture.q[self._arm.positions]
        near: list[tuple[np.ndarray, np.ndarray, float]] = []
        for pitch, places in self.site.list_grids():
            moved = [(local, self._move_arm(local, joints), joints.copy()) for local in places]
            near = [(local, found, missing) for local, missing, found in moved if missing <= MISSING]
            # A finer grid has places no nearer than its pitch to those of this one.
            hopeless = len(moved) >= PROBES and min(missing for _, missing, _ in moved) > MISSING + pitch
            if len(near) >= ESTIMATES or hopeless:
                break
        return near

    def look_closer(self) -> None:
        """Go on from the best guess by estimates."""
        self.region.touch(self.site.hand, self.site.frame)
        best, joints = self.guesses[0], self.guesses[0].q[self._arm.positions]

        def estimate(local: np.ndarray, _: Trial) -> Trial | None:
            missing = self._move_arm(local, joints)
            return self._estimate(local, self._place_arm(joints), missing) if missing <= MISSING else None

        found = self._ascend(best, estimate, LOOKS)
        if found is not best:
            self.guesses.append(found)
            self._sort()

    def _sort(self) -> None:
        self.guesses.sort(key=lambda guess: -guess.score)

    def _move_arm(self, local: np.ndarray, joints: np.ndarray) -> float:
        """Move trunk and arm to a place, from joints that are overwritten; returns the distance that is left [m]."""
        place, preferred = self.site.find_place(local), self._posture.q[self._arm.positions]
        return self._arm.reach(self._root, place.position, place.normal, preferred, joints)[0]

    def move_arm(self, local: np.ndarray) -> np.ndarray:
        """Return the present posture with trunk and arm moved to a place, as near as they get, shape ``(nq,)``."""
        joints = self._posture.q[self._arm.positions]
        self._move_arm(local, joints)
        return self._place_arm(joints)

    def _place_arm(self, joints: np.ndarray) -> np.ndarray:
        """Return the present posture with other joints of trunk and arm, shape ``(nq,)``."""
        q = self._posture.q.copy()
        q[self._arm.positions] = joints
        return q

    def _estimate(self, local: np.ndarray, q: np.ndarray, missing: float) -> Trial | None:
        """Estimate a place for a posture in which the hand is that far from it [m]."""
        kinematics = self._reach.kinematics
        kinematics.update(q)
        overlap = self._reach.measure_overlap()
        kinematics.poses[self.site.hand, :3, 3] = self.site.find_place(local).position
        try:
            found = self.region.estimate(self._posture.position_com)
        except NoRegion:
            return None
        return self._make_trial(local, q, found, missing + overlap)

    def _make_trial(self, local: np.ndarray, q: np.ndarray, found: BraceMargin, doubt: float = 0.0) -> Trial:
        return Trial(
            local=local,
            q=q,
            gain=found.margin - self._before.margin,
            area_gain=found.area - self._before.area,
            saturated=found.saturated,
            slope=found.slope,
            doubt=doubt,
        )

    def try_next(self) -> None:
        """Find a posture for the next guess, which there must be: with the arm as estimated, or from the present posture."""
        self.region.touch(self.site.hand, self.site.frame)
        guess = self.guesses[self.tried]
        self.tried += 1
        trial = self._try_from(guess.local, (guess.q, self._posture.q))
        if trial is not None:
            self._keep(trial)
            self._underestimate = max(self._underestimate, trial.score - guess.score)

    def _keep(self, trial: Trial) -> None:
        self.found.append(trial)
        if self.best is None or trial.score > self.best.score:
            self.best = trial

    def try_place(self, local: np.ndarray, start: np.ndarray, known: Trial | None = None) -> Trial | None:
        """Find a posture with the hand at a place, and measure its region, which touches the surface.

        Args:
            local: The place, shape ``(2,)`` [m].
            start: Configuration to begin at, shape ``(nq,)``.
            known: What it is to be better than.

        Returns:
            None where there is no posture in which the joints have the torque to load the hand, or it is not better.
        """
        q = self._reach.find({self.site.hand: self.site.find_place(local)}, start)
        if q is None:
            return None
        try:
            found = self.region.measure()
        except NoRegion:
            return None
        trial = self._make_trial(local, q, found)
        if found.margin <= 0.0 or (known is not None and trial.score <= known.score + WORTH_A_STRIDE):
            return None
        ratio = self.region.find_torque_ratio()
        return replace(trial, torque_ratio=ratio) if ratio <= MAX_TORQUE_RATIO else None

    def is_explored_near(self, local: np.ndarray) -> bool:
        """Whether an ascent has begun or ended near a place, shape ``(2,)`` [m]."""
        return any(math.dist(local, visited) < APART for visited in self._visited)

    def ascend(self, start: Trial) -> Trial:
        """Go on by postures from a place that was found; returns where that ends."""
        self.region.touch(self.site.hand, self.site.frame)
        # Where it began decides which of several postures it is.
        other = self.try_place(start.local, self._posture.q, start)
        end = self._ascend(start if other is None else other, self._try_next_place, STEPS)
        if end is not start:
            self._keep(end)
        self._visited += [start.local, end.local]
        return end

    def _try_next_place(self, local: np.ndarray, best: Trial) -> Trial | None:
        """Find a posture for a place that is better than the best one."""
        return self._try_from(local, self._list_starts(local, best), best)

    def _list_starts(self, local: np.ndarray, best: Trial) -> Iterator[np.ndarray]:
        yield best.q
        yield self.move_arm(local)
        yield self._posture.q

    def _try_from(self, local: np.ndarray, starts: Iterable[np.ndarray], known: Trial | None = None) -> Trial | None:
        """Try a place from one configuration after the other; the first posture that is found, and better than a known one."""
        trials = (self.try_place(local, start, known) for start in starts)
        return next((trial for trial in trials if trial is not None), None)

    def _ascend(self, best: Trial, evaluate: Callable[[np.ndarray, Trial], Trial | None], budget: int) -> Trial:
        """Go along the surface as long as that pays, in ever shorter strides: up the slope, or to a side, or back."""
        for stride in STRIDES:
            turned, ahead = 0, self.site.find_heading(best.slope)
            while turned < 4 and budget > 0 and not best.saturated:
                there = self.site.bring_within_reach(best.local + stride * ahead)
                found = None
                if np.abs(there - best.local).max() > 0.5 * stride and self.site.allows(there):
                    budget -= 1
                    found = evaluate(there, best)
                if found is not None and found.score > best.score + WORTH_A_STRIDE:
                    best, turned = found, 0
                else:
                    ahead, turned = np.array([-ahead[1], ahead[0]]), turned + 1
        return best
