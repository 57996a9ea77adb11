"""What a single image says of the cells of a surface that lies 2 m before the camera."""

import numpy as np
import pytest

from handhold.perception.mapping.evidence import CELL, HIT, MISS, TAKEN, Seen, add_evidence, count_votes
from handhold.perception.planes.noise import Noise

DISTANCE, SIGMA = 2.0, 0.002
PINHOLE = np.array([-0.5, 0.02, -0.5, 0.02])
OWN, OTHER = 1, 2
KNOWN = 5


def seen(measured=DISTANCE, label=OWN, misfit=0.0, samples=None):
    """An image of one patch, all at one depth; its samples elsewhere if told."""
    labels = np.full((51, 51), label, dtype=np.int32)
    planes = np.full((3, 3), np.nan)
    if label:
        planes[label] = 0.0, 0.0, 1.0 / measured
    inverse = np.full((51, 51), 1.0 / (samples or measured), dtype=np.float32)
    return Seen(inverse, labels, planes, np.array([np.inf, misfit, misfit]), PINHOLE, Noise(SIGMA, 0.0, 0.0))


def judge(image, known=KNOWN):
    evidence = np.full((4, 4), known, dtype=np.int8)
    before = np.eye(4)
    before[2, 3] = DISTANCE
    own = np.array([False, True, False])
    hits = add_evidence(evidence, np.full(2, -2 * CELL), before, image, own)
    assert (evidence == evidence[0, 0]).all()
    return int(evidence[0, 0]) - known, hits > 0


def test_its_own_patch_is_seen_also_where_nothing_was_known():
    assert judge(seen()) == (HIT, True)
    assert judge(seen(), known=0) == (HIT, True)


def test_another_flat_patch_in_its_plane_takes_it():
    assert judge(seen(label=OTHER)) == (TAKEN, False)
    assert judge(seen(label=OTHER), known=0) == (0, False)


def test_a_patch_that_is_not_flat_takes_only_where_the_samples_are_in_its_plane():
    assert judge(seen(label=OTHER, misfit=1.0)) == (TAKEN, False)
    assert judge(seen(label=OTHER, misfit=1.0, samples=DISTANCE + 0.05)) == (0, True)


def test_samples_of_a_patch_without_a_plane_are_nobodys():
    rough = seen(label=OTHER)
    rough.planes[OTHER] = np.nan
    rough.misfits[OTHER] = np.inf
    assert judge(rough) == (0, True)


def test_its_own_patch_that_is_not_flat_is_there_only_where_the_samples_are():
    assert judge(seen(misfit=1.0)) == (HIT, True)
    assert judge(seen(misfit=1.0, samples=DISTANCE - 0.05), known=0)[0] == 0


@pytest.mark.parametrize(
    ("label", "distance", "change"), [(0, 2.1, MISS), (0, 2.03, 0), (OTHER, 2.03, MISS), (OTHER, 2.01, TAKEN)]
)
def test_what_is_behind_it_is_seen_through_it_from_where_the_noise_allows(label, distance, change):
    assert judge(seen(distance, label))[0] == change


def test_what_is_before_it_says_nothing():
    assert judge(seen(1.5, OTHER)) == (0, False)
    assert judge(seen(1.5, 0)) == (0, False)


def test_samples_of_no_patch_keep_it_young_and_are_no_evidence():
    assert judge(seen(label=0)) == (0, True)


@pytest.mark.parametrize(("distance", "in_sight", "votes"), [(2.0, 16, 16), (2.5, 16, 0), (1.5, 0, 0)])
def test_cells_that_are_hidden_have_no_vote_and_are_not_in_sight(distance, in_sight, votes):
    counted, pose = np.zeros(3, dtype=np.int64), np.eye(4)
    pose[2, 3] = DISTANCE
    evidence = np.full((4, 4), KNOWN, dtype=np.int8)
    assert count_votes(evidence, np.full(2, -2 * CELL), pose, seen(distance, OTHER), counted) == in_sight
    assert counted[OTHER] == votes
