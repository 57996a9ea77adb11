"""Candidates for a hand to brace on: where they are, what they gain, and in which order they come."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from stances import ask, brace, stand

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.brace_site import EDGE_ALLOWANCE, MAX_AGE, MAX_DISTANCE
from handhold.retarget.bracing.candidates.hand_reach import COM_ERROR, CONTACT_ERROR, PAST_LIMIT, REACHED
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.search import CandidateSearch
from handhold.retarget.bracing.candidates.site_search import MAX_TORQUE_RATIO
from handhold.retarget.bracing.contacts.contact_making_parameters import POINT_TILT
from handhold.retarget.bracing.contacts.surfaces import ROLL
from handhold.retarget.bracing.margin.preview_region import compute_preview_region
from handhold.retarget.bracing.margin.region_monitor import compute_region_once
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.model import load_model
from handhold.robots.polygon import compute_distance_inside
from handhold.robots.qp import DaqpSolver
from handhold.robots.self_collision import measure_clearance

LEFT, RIGHT = 2, 3
AHEAD = np.array([0.045, 0.0])
"""How far ahead the centre of mass is to be: the front edges of the soles are what a hand can push away [m]."""

DRIVEN = 0.01
"""By how much SEIKO, driven to a candidate, has another gain than was foreseen: another posture with the same hand [m]."""


@pytest.fixture(scope="module")
def seiko(talos):
    return stand(talos)


@pytest.fixture(scope="module")
def posture(seiko):
    return hold_posture(seiko, seiko.kinematics.position_com_in_world[:2] + AHEAD)


@pytest.fixture(scope="module")
def search(talos):
    return CandidateSearch(talos)


def make_surface(position, normal, boundary, age=0.0):
    pose, normal = np.eye(4), np.array(normal, dtype=float)
    across = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.7 else np.array([0.0, 1.0, 0.0])
    pose[:3, 0] = np.cross(across, normal) / np.linalg.norm(np.cross(across, normal))
    pose[:3, 1], pose[:3, 2], pose[:3, 3] = np.cross(normal, pose[:3, 0]), normal, position
    return Surface(pose=pose, boundary=np.array(boundary, dtype=float), area=1.0, quality=1.0, age=age)


def rectangle(width, height):
    return 0.5 * np.array([[-width, -height], [width, -height], [width, height], [-width, height]])


WALL = make_surface((0.6, 0.0, 1.1), (-1.0, 0.0, 0.0), rectangle(1.6, 1.4))
PITCHED = make_surface((0.65, 0.0, 1.0), (-0.87, 0.0, 0.5), rectangle(1.6, 0.8))
SIDE = make_surface((0.2, 0.6, 1.0), (0.0, -1.0, 0.0), rectangle(0.4, 0.4))
TABLE = make_surface((0.55, 0.0, 0.85), (0.0, 0.0, 1.0), rectangle(0.4, 1.2))


def locate(candidate):
    pose = candidate.surface.pose
    return pose[:3, :3].T @ (candidate.point - pose[:3, 3])


def measure_inset(candidate):
    x, y, _ = locate(candidate)
    return compute_distance_inside(x, y, candidate.surface.boundary)


@pytest.fixture(scope="module")
def ranked(search, posture):
    return search.rank(posture, (WALL, PITCHED, SIDE, TABLE))


def test_there_is_a_candidate_for_each_hand_on_what_it_reaches_and_the_best_comes_first(ranked):
    assert {(candidate.hand, id(candidate.surface)) for candidate in ranked} >= {(LEFT, id(WALL)), (RIGHT, id(WALL))}
    assert len({(candidate.hand, id(candidate.surface)) for candidate in ranked}) == len(ranked)
    gains = [candidate.gain for candidate in ranked]
    # Of two that gain the same within a millimetre the area decides.
    assert all(after <= before + 1e-3 for before, after in pairwise(gains))
    assert gains[0] > 0.03


def test_each_point_lies_on_its_surface_and_inside_it_by_the_hand_s_size(talos, ranked):
    for candidate in ranked:
        assert locate(candidate)[2] == pytest.approx(0.0, abs=1e-12)
        assert measure_inset(candidate) >= ROLL * talos.effectors[candidate.hand].radius + EDGE_ALLOWANCE - 1e-6


def test_each_has_a_posture_that_brings_the_hand_there_within_all_limits(talos, seiko, posture, ranked):
    feet = talos.effector_poses(seiko.q)[:2]
    for candidate in ranked:
        q, hand, normal = candidate.q, candidate.hand, candidate.surface.pose[:3, 2]
        poses = talos.effector_poses(q)
        assert poses[hand] == pytest.approx(candidate.pose, abs=1e-12)
        ball = candidate.point + talos.effectors[hand].radius * normal
        assert np.linalg.norm(candidate.pose[:3, 3] - ball) <= REACHED
        assert candidate.pose[:3, 2] @ normal >= np.cos(POINT_TILT)
        assert np.abs(poses[:2] - feet).max() <= CONTACT_ERROR
        assert np.all((q[7:] >= talos.lower - PAST_LIMIT) & (q[7:] <= talos.upper + PAST_LIMIT))
        assert measure_clearance(talos, q).distance > 0.018  # [m] of 0.02 that are kept, softly
        assert 0.0 < candidate.torque_ratio <= MAX_TORQUE_RATIO
        fork = Seiko(talos, seiko.stance, q, DaqpSolver(), terms=seiko.terms.copy())
        assert fork.kinematics.position_com_in_world[:2] == pytest.approx(posture.position_com, abs=COM_ERROR)


def test_the_gain_is_what_the_preview_says_for_that_place(talos, seiko, search):
    before = compute_region_once(talos, seiko).margin
    for candidate in search.rank(hold_posture(seiko), (WALL, SIDE, TABLE)):
        there = Seiko(talos, seiko.stance, candidate.q, DaqpSolver(), terms=seiko.terms.copy())
        preview = compute_preview_region(talos, there, candidate.hand, candidate.surface.pose[:3, 2])
        assert candidate.gain == pytest.approx(preview.edge.margin - before, abs=1e-9)
        assert candidate.region.margin == pytest.approx(preview.edge.margin, abs=1e-9)


def test_seiko_gains_as_much_once_it_has_gone_there(talos, search):
    seiko = stand(talos)
    # It leans first: a reference whose centre of mass is in the middle has nothing to gain ahead.
    for _ in range(600):
        seiko.step(ask(seiko, velocity_com=(0.03, 0.0, np.nan)), 2e-3)
    for _ in range(300):
        seiko.step(ask(seiko, velocity_com=(0.0, 0.0, 0.0)), 2e-3)
    best = search.rank(hold_posture(seiko), (WALL,))[0]
    before = compute_region_once(talos, seiko).margin
    assert best.gain > 0.02
    targets = ask(seiko, velocity_com=(0.0, 0.0, np.nan))
    targets.effector_poses[best.hand] = best.pose
    for _ in range(300):
        seiko.step(targets, 0.02)
    preview = compute_preview_region(talos, seiko, best.hand, WALL.pose[:3, 2])
    assert np.linalg.norm(seiko.kinematics.poses[best.hand, :3, 3] - best.pose[:3, 3]) < 0.01
    assert preview.edge.margin - before == pytest.approx(best.gain, abs=DRIVEN)


def test_a_nearer_surface_that_gains_less_is_ranked_below_a_farther_one_that_gains_more(seiko, search, posture):
    near, far = SIDE, WALL
    hand = seiko.kinematics.poses[LEFT, :3, 3]
    ranked = search.rank(posture, (near, far), (LEFT,))
    assert [candidate.surface for candidate in ranked] == [far, near]
    assert ranked[0].gain > ranked[1].gain + 0.01
    assert np.linalg.norm(ranked[1].point - hand) < np.linalg.norm(ranked[0].point - hand)


def test_nothing_is_made_of_an_old_surface(search, posture):
    old, seen = replace(WALL, age=1.01 * MAX_AGE), replace(WALL, age=0.99 * MAX_AGE)
    assert search.rank(posture, (old,)) == ()
    assert {id(candidate.surface) for candidate in search.rank(posture, (old, seen))} == {id(seen)}


@pytest.mark.parametrize(
    ("position", "normal"),
    [
        ((1.7, 0.0, 1.1), (-1, 0, 0)),
        ((0.5, 0.0, 2.6), (0, 0, -1)),
        ((-1.0, 0.0, 1.1), (1, 0, 0)),
        ((0.6, 0.0, 1.1), (1, 0, 0)),
    ],
    ids=["too far", "too high", "behind", "facing away"],
)
def test_nothing_is_made_of_what_nobody_could_reach(search, posture, position, normal):
    assert search.rank(posture, (make_surface(position, normal, rectangle(2.0, 2.0)),)) == ()


def test_no_place_is_further_from_its_hand_than_a_metre(seiko, ranked):
    for candidate in ranked:
        assert np.linalg.norm(candidate.pose[:3, 3] - seiko.kinematics.poses[candidate.hand, :3, 3]) <= MAX_DISTANCE + REACHED


def test_the_place_on_a_surface_with_a_notch_is_not_in_the_notch(search, posture):
    whole = next(each for each in search.rank(posture, (WALL,), (LEFT,)) if each.hand == LEFT)
    x, y = locate(whole)[:2]
    # A notch from above about the best place of the whole wall.
    left, right, bottom = x - 0.15, x + 0.15, y - 0.15
    notched = [[-0.8, -0.7], [0.8, -0.7], [0.8, 0.7], [right, 0.7], [right, bottom], [left, bottom], [left, 0.7], [-0.8, 0.7]]
    (found,) = search.rank(posture, (replace(WALL, boundary=np.array(notched)),), (LEFT,))
    assert measure_inset(found) >= EDGE_ALLOWANCE
    x, y = locate(found)[:2]
    assert not (left < x < right and y > bottom)


def test_the_best_place_is_about_as_good_as_any_of_a_dense_grid(search, posture):
    (each,) = search.list_searches(posture, (PITCHED,), (LEFT,))
    each.region.touch(LEFT, each.site.frame)
    trials = (each.try_place(local, each.move_arm(local)) for local in each.site.list_places(0.06))
    best = max(trial.gain for trial in trials if trial is not None)
    (found,) = search.rank(posture, (PITCHED,), (LEFT,))
    assert found.gain > 0.9 * best


def test_the_same_question_has_the_same_answer_whoever_asks(search, posture, ranked):
    # As another process would be asked, after other questions or none.
    told = pickle.loads(pickle.dumps(posture))
    search.rank(posture, (SIDE,))
    for other in (search, CandidateSearch(load_model("talos"))):
        for one, again in zip(ranked, other.rank(told, (WALL, PITCHED, SIDE, TABLE)), strict=True):
            assert (one.hand, one.surface) == (again.hand, again.surface)
            assert np.array_equal(one.q, again.q)
            assert (one.gain, one.torque_ratio) == (again.gain, again.torque_ratio)


def test_a_search_leaves_the_reference_alone(talos, seiko, search):
    q, wrenches, terms = seiko.q.copy(), seiko.wrenches.copy(), seiko.terms.copy()
    search.rank(hold_posture(seiko), (WALL, TABLE))
    assert np.array_equal(seiko.q, q)
    assert np.array_equal(seiko.wrenches, wrenches)
    assert np.array_equal(seiko.terms.poses, terms.poses)


def test_a_hand_that_braces_is_held_and_the_other_one_has_candidates(talos, search):
    seiko = stand(talos)
    brace(seiko, LEFT, seiko.kinematics.poses[LEFT, :3, 2].copy())
    posture = hold_posture(seiko)
    ranked = search.rank(posture, (WALL, TABLE))
    assert ranked
    for candidate in ranked:
        assert candidate.hand == RIGHT
        moved = talos.effector_poses(candidate.q)[LEFT, :3, 3] - posture.contact_poses[LEFT, :3, 3]
        assert np.abs(moved).max() <= CONTACT_ERROR


def test_two_hands_brace_at_once_where_both_can(talos, seiko, search, posture, ranked):
    pair = search.find_pair(posture, ranked)
    assert pair is not None
    assert set(pair.hands) == {LEFT, RIGHT}
    poses = talos.effector_poses(pair.q)
    for k, hand in enumerate(pair.hands):
        normal = pair.surfaces[k].pose[:3, 2]
        assert poses[hand] == pytest.approx(pair.poses[k], abs=1e-12)
        assert np.linalg.norm(pair.poses[k, :3, 3] - pair.points[k] - talos.effectors[hand].radius * normal) <= REACHED
        assert any(np.array_equal(pair.points[k], each.point) for each in ranked if each.hand == hand)
    assert measure_clearance(talos, pair.q).distance > 0.018  # [m] of 0.02 that are kept, softly
    # Two hands hold at least as much as one of them: what is less is another posture's.
    assert pair.area_gain > max(each.area_gain for each in ranked[:2])
    assert pair.region.margin == pytest.approx(pair.gain + compute_margin(talos, posture, search), abs=1e-9)
    assert pair.torque_ratio <= MAX_TORQUE_RATIO


def compute_margin(model, posture, search):
    """The margin of the feet alone where the centre of mass is to be, by way of a candidate of one hand."""
    candidate = search.rank(posture, (WALL,), (LEFT,))[0]
    return candidate.region.margin - candidate.gain


def test_one_hand_makes_no_pair(search, posture, ranked):
    assert search.find_pair(posture, [candidate for candidate in ranked if candidate.hand == LEFT]) is None
    assert search.find_pair(posture, ()) is None


@pytest.mark.parametrize(
    "boundary", [np.zeros((0, 2)), rectangle(1.0, 1.0)[:2], np.full((4, 2), np.nan), rectangle(0.05, 0.05)]
)
def test_what_is_no_surface_or_too_small_for_a_hand_is_passed_over(search, posture, boundary):
    assert search.rank(posture, (replace(WALL, boundary=boundary),)) == ()


def test_a_pose_that_is_not_a_number_is_passed_over(search, posture):
    assert search.rank(posture, (replace(WALL, pose=np.full((4, 4), np.nan)),)) == ()


def test_without_surfaces_or_free_hands_there_is_nothing(search, posture):
    assert search.rank(posture, ()) == ()
    assert search.rank(posture, (WALL,), ()) == ()
    assert search.rank(posture, (WALL,), (0, 1)) == ()


def test_another_robot_has_candidates_too():
    g1 = load_model("g1")
    seiko = stand(g1)
    hand = next(e for e, about in enumerate(g1.effectors) if about.hand == "left")
    position = seiko.kinematics.poses[hand, :3, 3] + [0.15, 0.0, 0.1]
    wall = make_surface(position, (-1.0, 0.0, 0.0), rectangle(0.6, 0.6))
    ranked = CandidateSearch(g1).rank(hold_posture(seiko), (wall,))
    assert hand in {candidate.hand for candidate in ranked}
