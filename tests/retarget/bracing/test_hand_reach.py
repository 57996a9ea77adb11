"""Postures with a hand at a place: what holds there, and what is out of reach."""

import numpy as np
import pytest
from stances import brace, stand

from handhold.retarget.bracing.candidates.arm_chain import ArmChain
from handhold.retarget.bracing.candidates.hand_reach import (
    COM_ERROR,
    CONTACT_ERROR,
    PAST_LIMIT,
    REACHED,
    HandReach,
    turn_axis,
)
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.bracing.contacts.contact_making_parameters import POINT_TILT
from handhold.robots.qp import DaqpSolver
from handhold.robots.self_collision import measure_clearance

LEFT, RIGHT = 2, 3
BACK = np.array([-1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def seiko(talos):
    return stand(talos)


def make_reach(model, posture):
    reach = HandReach(model, {hand: ArmChain(model, hand) for hand in (LEFT, RIGHT)}, DaqpSolver())
    reach.begin(posture)
    return reach


def at(*position, normal=BACK):
    return Place(position=np.array(position), normal=np.array(normal, dtype=float))


WITHIN_REACH = [
    at(0.5, 0.3, 1.1),
    at(0.65, 0.1, 1.3),
    at(0.3, 0.6, 1.1, normal=(0.0, -1.0, 0.0)),
    at(0.5, 0.35, 1.0, normal=(-0.6, 0.0, 0.8)),
]


@pytest.mark.parametrize("place", WITHIN_REACH)
def test_the_hand_is_there_and_faces_the_surface_and_everything_that_must_hold_does(talos, seiko, place):
    posture = hold_posture(seiko)
    q = make_reach(talos, posture).find({LEFT: place}, posture.q)
    assert q is not None
    poses, before = talos.effector_poses(q), talos.effector_poses(seiko.q)
    assert np.linalg.norm(poses[LEFT, :3, 3] - place.position) <= REACHED
    assert poses[LEFT, :3, 2] @ place.normal >= np.cos(POINT_TILT)
    assert np.abs(poses[:2] - before[:2]).max() <= CONTACT_ERROR
    assert np.all((q[7:] >= talos.lower - PAST_LIMIT) & (q[7:] <= talos.upper + PAST_LIMIT))
    assert measure_clearance(talos, q).distance > 0.018  # [m] of 0.02 that are kept, softly
    other = make_reach(talos, posture)
    other.kinematics.update(q)
    com = other.kinematics.position_com_in_world[:2]
    assert np.abs(com - posture.position_com).max() <= COM_ERROR


def test_the_kinematics_have_the_posture_that_was_found(talos, seiko):
    posture = hold_posture(seiko)
    reach = make_reach(talos, posture)
    q = reach.find({LEFT: WITHIN_REACH[0]}, posture.q)
    assert reach.kinematics.poses[:4] == pytest.approx(talos.effector_poses(q), abs=1e-12)


@pytest.mark.parametrize(
    "place",
    [at(1.4, 0.2, 1.2), at(0.5, 0.3, 2.2), at(-0.6, 0.3, 1.2), at(0.3, 0.6, 1.1, normal=(0.0, 1.0, 0.0))],
    ids=["too far", "too high", "behind", "from behind"],
)
def test_what_is_out_of_reach_has_no_posture(talos, seiko, place):
    posture = hold_posture(seiko)
    assert make_reach(talos, posture).find({LEFT: place}, posture.q) is None


def test_the_centre_of_mass_goes_where_it_is_asked_to(talos, seiko):
    ahead = seiko.kinematics.position_com_in_world[:2] + np.array([0.04, -0.02])
    posture = hold_posture(seiko, ahead)
    reach = make_reach(talos, posture)
    assert reach.find({LEFT: WITHIN_REACH[0]}, posture.q) is not None
    assert reach.kinematics.position_com_in_world[:2] == pytest.approx(ahead, abs=COM_ERROR)


def test_a_hand_that_braces_stays_where_it_does(talos):
    seiko = stand(talos)
    pose = seiko.kinematics.poses[LEFT].copy()
    brace(seiko, LEFT, pose[:3, 2].copy())
    posture = hold_posture(seiko)
    assert posture.effectors == (0, 1, LEFT)
    reach = make_reach(talos, posture)
    q = reach.find({RIGHT: at(0.45, -0.3, 1.1)}, posture.q)
    assert q is not None
    moved = talos.effector_poses(q)[LEFT, :3, 3] - posture.contact_poses[LEFT, :3, 3]
    assert np.abs(moved).max() <= CONTACT_ERROR


def test_two_hands_reach_two_places_at_once(talos, seiko):
    posture = hold_posture(seiko)
    places = {LEFT: at(0.5, 0.3, 1.1), RIGHT: at(0.5, -0.3, 1.1)}
    q = make_reach(talos, posture).find(places, posture.q)
    assert q is not None
    for hand, place in places.items():
        assert np.linalg.norm(talos.effector_poses(q)[hand, :3, 3] - place.position) <= REACHED


def test_a_turned_axis_is_along_the_other_one_by_the_shortest_way():
    random = np.random.default_rng(0)
    for _ in range(100):
        pose, axis, turned = np.eye(4), random.normal(size=3), np.eye(4)
        pose[:3, :3] = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose[:3, 0] *= np.linalg.det(pose[:3, :3])
        axis /= np.linalg.norm(axis)
        turn_axis(pose, axis, turned)
        rotation = turned[:3, :3]
        assert rotation.T @ rotation == pytest.approx(np.eye(3), abs=1e-9)
        assert rotation[:, 2] == pytest.approx(axis, abs=1e-9)
        # Nothing turns about what is perpendicular to both: the trace is that of the angle between the axes alone.
        assert np.trace(rotation @ pose[:3, :3].T) == pytest.approx(1.0 + 2.0 * pose[:3, 2] @ axis, abs=1e-9)


def test_an_axis_that_is_opposite_is_turned_round():
    turned = np.eye(4)
    turn_axis(np.eye(4), np.array([0.0, 0.0, -1.0]), turned)
    assert turned[:3, 2] == pytest.approx([0.0, 0.0, -1.0])
    assert np.linalg.det(turned[:3, :3]) == pytest.approx(1.0)
