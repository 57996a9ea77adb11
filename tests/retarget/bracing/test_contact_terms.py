"""What is asked of every contact."""

import math

import numpy as np
import pytest

from handhold.retarget.bracing.seiko.contact_terms import FADED, FADING_RATE, ContactTerms

DT = 2e-3
FOOT, HAND = 0, 2


@pytest.fixture
def terms(talos):
    return ContactTerms.begin(talos, talos.effector_poses(talos.q_nominal))


def test_contacts_begin_on_level_ground_with_what_the_description_asks(talos, terms):
    assert np.array_equal(terms.normals, np.tile([0.0, 0.0, 1.0], (4, 1)))
    assert terms.min_forces[FOOT] == talos.effectors[FOOT].min_normal_force > 0.0
    assert np.isnan(terms.desired_forces).all()
    assert not terms.unloading.any()


def test_terms_hold_poses_of_their_own(talos):
    poses = talos.effector_poses(talos.q_nominal)
    terms = ContactTerms.begin(talos, poses)
    poses[:] = 0.0
    assert terms.poses[FOOT, 3, 3] == 1.0


def test_a_copy_shares_nothing(terms):
    copy = terms.copy()
    for name in ContactTerms.__slots__:
        theirs, ours = getattr(copy, name), getattr(terms, name)
        assert np.array_equal(theirs, ours, equal_nan=True)
        assert not np.shares_memory(theirs, ours)


def test_a_new_contact_bears_nothing_yet_and_need_not(terms):
    terms.command_force(HAND, 30.0, DT)
    terms.set_unloading(HAND, unloading=True)
    pose, normal = np.eye(4), np.array([-1.0, 0.0, 0.0])
    terms.begin_contact(HAND, pose, normal)
    assert np.array_equal(terms.poses[HAND], pose)
    assert np.array_equal(terms.normals[HAND], normal)
    assert terms.min_forces[HAND] == 0.0
    assert np.isnan(terms.desired_forces[HAND])
    assert not terms.unloading[HAND]


def test_a_commanded_force_counts_in_full_at_once_and_fades_when_it_ends(terms):
    terms.command_force(HAND, 40.0, DT)
    assert (terms.desired_forces[HAND], terms.insistence[HAND]) == (40.0, 1.0)
    for _ in range(100):
        terms.command_force(HAND, None, DT)
    assert terms.insistence[HAND] == pytest.approx(math.exp(-FADING_RATE * 100 * DT))
    assert terms.desired_forces[HAND] == 40.0
    for _ in range(math.ceil(-math.log(FADED) / FADING_RATE / DT)):
        terms.command_force(HAND, None, DT)
    assert terms.insistence[HAND] == 0.0
    assert np.isnan(terms.desired_forces[HAND])


def test_what_is_not_commanded_stays_uncommanded(terms):
    terms.command_force(HAND, None, DT)
    assert np.isnan(terms.desired_forces[HAND])
    assert terms.insistence[HAND] == 0.0


def test_the_least_force_grows_with_what_a_contact_bears_and_never_shrinks(terms):
    terms.begin_contact(FOOT, np.eye(4), np.array([0.0, 0.0, 1.0]))
    effectors, minima = np.array([FOOT]), np.array([50.0])
    for force, least in ((10.0, 10.0), (30.0, 30.0), (20.0, 30.0), (400.0, 50.0), (5.0, 50.0)):
        terms.raise_min_forces(effectors, np.array([force]), minima)
        assert terms.min_forces[FOOT] == least


def test_a_contact_that_leaves_may_go_down_to_nothing(terms):
    terms.set_unloading(FOOT, unloading=True)
    terms.raise_min_forces(np.array([FOOT, 1]), np.array([400.0, 400.0]), np.array([50.0, 50.0]))
    assert terms.min_forces[FOOT] == 0.0
    assert terms.min_forces[1] == 50.0
