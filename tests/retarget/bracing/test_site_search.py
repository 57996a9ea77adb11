"""Which places are tried, and from which ascents begin."""

import math
from dataclasses import replace

import numpy as np
import pytest
from stances import stand

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates import search as ranking
from handhold.retarget.bracing.candidates.brace_site import MAX_DISTANCE
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.search import ASCENTS, PROMISING, TRIES, CandidateSearch
from handhold.retarget.bracing.candidates.site_search import APART, SiteSearch
from handhold.retarget.bracing.candidates.trial import Trial

LEFT = 2
SIZE = 3.0
"""Half the length of a wall that ends nowhere within reach [m]."""


@pytest.fixture(scope="module")
def posture(talos):
    return hold_posture(stand(talos))


@pytest.fixture(scope="module")
def searching(talos):
    return CandidateSearch(talos)


def make_wall(distance=0.6):
    pose = np.eye(4)
    pose[:3, :3] = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    pose[:3, 3] = distance, 0.0, 1.1
    corners = SIZE * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return Surface(pose=pose, boundary=corners, area=4.0 * SIZE**2, quality=1.0, age=0.0)


@pytest.fixture
def site_search(searching, posture) -> SiteSearch:
    (found,) = searching.list_searches(posture, (make_wall(),), (LEFT,))
    return found


def make_trial(score, *, saturated=False, local=(0.0, 0.0)):
    return Trial(local=np.array(local), q=np.zeros(0), gain=score, area_gain=0.0, saturated=saturated, slope=np.zeros(3))


def find(site_search, monkeypatch, *scores):
    """Let the postures of the next guesses be found with these scores; None for none."""
    outcomes = iter(scores)

    def try_place(local, _start, _known=None):
        score = next(outcomes)
        return None if score is None else make_trial(score, local=local)

    monkeypatch.setattr(site_search, "try_place", try_place)


def test_a_point_too_far_from_the_hand_is_brought_to_the_rim_of_its_reach(site_search):
    site = site_search.site
    hand = site.surface.pose[:3, :2].T @ (site_search._reach.kinematics.poses[LEFT, :3, 3] - site.surface.pose[:3, 3])
    for angle in np.linspace(0.0, 2.0 * math.pi, 7):
        there = hand + 2.0 * MAX_DISTANCE * np.array([math.cos(angle), math.sin(angle)])
        brought = site.bring_within_reach(there)
        assert not site.allows(there)
        assert site.allows(brought)
        assert not site.allows(brought + 1e-6 * (there - hand))
        assert brought == pytest.approx(hand + np.linalg.norm(brought - hand) * np.array([math.cos(angle), math.sin(angle)]))
    for near in (hand, hand + 0.3):
        assert np.array_equal(site.bring_within_reach(near), near)


def test_a_guess_promises_more_where_another_was_worth_more_than_estimated_and_never_less(site_search, monkeypatch):
    site_search.guesses = [make_trial(0.05), make_trial(0.04), make_trial(0.03)]
    assert site_search.optimistic_score == 0.05
    find(site_search, monkeypatch, 0.01, 0.07)
    site_search.try_next()
    assert site_search.optimistic_score == 0.04
    site_search.try_next()
    assert site_search.optimistic_score == pytest.approx(0.03 + 0.03)
    assert site_search.best.gain == 0.07
    assert [trial.gain for trial in site_search.found] == [0.01, 0.07]


def test_where_the_arm_as_estimated_leads_to_no_posture_the_present_one_is_tried(site_search, monkeypatch):
    site_search.guesses = [make_trial(0.05), make_trial(0.05)]
    find(site_search, monkeypatch, None, 0.02, None, None)
    site_search.try_next()
    assert [trial.gain for trial in site_search.found] == [0.02]
    site_search.try_next()
    assert site_search.is_exhausted
    assert len(site_search.found) == 1


class Searched:
    """A search of a surface, as the ranking sees it."""

    def __init__(self, *scores, tried=1, optimistic_score=0.0, settled=False, exhausted=False):
        self.found = [make_trial(score, local=(k, 0.0), saturated=settled and k == 0) for k, score in enumerate(scores)]
        self.best = self.found[0] if scores else None
        self.tried, self.optimistic_score, self.is_saturated, self.is_exhausted = tried, optimistic_score, settled, exhausted
        self.begun = []

    def is_explored_near(self, local):
        return any(math.dist(local, begun.local) < APART for begun in self.begun)

    def ascend(self, start):
        self.begun.append(start)
        return start


@pytest.mark.parametrize(
    ("searched", "best", "full", "worth"),
    [
        (Searched(0.02, optimistic_score=0.03), 0.05, False, True),
        (Searched(0.02, optimistic_score=0.02), 0.05, False, False),
        (Searched(0.02, optimistic_score=0.03), 0.05, True, True),
        (Searched(tried=TRIES - 1), 0.05, False, True),
        (Searched(tried=TRIES - 1), 0.05, True, False),
        (Searched(tried=TRIES), 0.05, False, False),
        (Searched(tried=TRIES, optimistic_score=0.03), 0.05, False, True),
        (Searched(0.05, optimistic_score=0.05, settled=True), 0.05, False, False),
        (Searched(0.05, optimistic_score=0.05, exhausted=True), 0.05, False, False),
        (Searched(-0.05, optimistic_score=-0.06), -0.05, False, True),
        (Searched(-0.05, optimistic_score=-0.08), -0.05, False, False),
    ],
)
def test_a_guess_is_tried_where_it_promises_enough_or_its_surface_is_not_reached_yet(searched, best, full, worth):
    assert ranking._is_worth_a_try(searched, best, full=full) is worth


def test_ascents_begin_at_the_best_places_of_all_surfaces_that_are_not_saturated():
    settled, low = Searched(0.1, settled=True), Searched(0.9 * PROMISING * 0.1)
    several, other = Searched(0.08, 0.07, 0.06, 0.055), Searched(0.075, 0.065, 0.058)
    ranking._ascend_from_the_best([low, settled, several, other])
    assert not settled.begun
    assert not low.begun
    assert [trial.gain for trial in several.begun] == [0.08, 0.07, 0.06]
    assert [trial.gain for trial in other.begun] == [0.075, 0.065]
    assert ASCENTS == 5


def test_places_that_take_from_the_margin_are_improved_as_well():
    only = Searched(-0.02, -0.05)
    ranking._ascend_from_the_best([only])
    assert [trial.gain for trial in only.begun] == [-0.02]
    ranking._ascend_from_the_best([])


def test_no_ascent_begins_where_another_has_begun_or_ended(site_search, monkeypatch):
    start = make_trial(0.05, local=(0.1, 0.1))
    end = replace(make_trial(0.06, local=(0.6, 0.1)))
    find(site_search, monkeypatch, None)
    monkeypatch.setattr(site_search, "_ascend", lambda *_: end)
    assert site_search.ascend(start) is end
    assert site_search.best is end
    for near in ((0.1, 0.1), (0.15, 0.2), (0.6, 0.1), (0.6 + 0.9 * APART, 0.1)):
        assert site_search.is_explored_near(np.array(near))
    for far in ((0.1, 0.1 + 1.1 * APART), (0.35, 0.1)):
        assert not site_search.is_explored_near(np.array(far))


def test_an_ascent_that_ends_where_it_began_adds_no_place(site_search, monkeypatch):
    start = make_trial(0.05)
    find(site_search, monkeypatch, None)
    monkeypatch.setattr(site_search, "_ascend", lambda best, *_: best)
    site_search.found = [start]
    site_search.ascend(start)
    assert site_search.found == [start]
