"""Outlines of patches, along the cracks between samples."""

import numpy as np
import pytest
from scipy import ndimage

from handhold.perception.planes.contours import simplify_contour, trace_contours
from handhold.perception.planes.labels import split_patches

WORDS = np.array(list(" ab"))


def draw(*rows):
    return np.array([[int(np.flatnonzero(letter == WORDS)[0]) for letter in row] for row in rows], dtype=np.int32)


def trace(labels):
    points, contours = np.zeros((20 * labels.size, 2), dtype=np.float32), np.zeros((labels.size, 4), dtype=np.int64)
    count, _ = trace_contours(labels, points, contours)
    return [(label, points[start:end], area / 2.0) for label, start, end, area in contours[:count].tolist()]


def test_a_square_goes_round_between_its_samples():
    ((label, points, area),) = trace(draw("    ", " aa ", " aa ", "    "))
    assert (label, area, len(points)) == (1, 4.0, 8)
    # middles of cracks, the middle of sample (0, 0) at 0
    assert points[0].tolist() == [1.0, 0.5]
    assert points.min() == 0.5
    assert points.max() == 2.5


def test_a_hole_is_an_outline_of_its_own():
    outer, hole = trace(draw("aaaa", "a  a", "a  a", "aaaa"))
    assert outer[2] == 16.0
    assert hole[2] == -4.0


def test_samples_that_touch_at_a_corner_are_two_patches():
    assert [area for _, _, area in trace(draw("a ", " a"))] == [1.0, 1.0]


@pytest.mark.parametrize("seed", range(5))
def test_areas_add_up_and_patches_are_as_another_library_has_them(seed):
    random = np.random.default_rng(seed)
    smooth = ndimage.gaussian_filter(random.normal(size=(40, 60)), 2.0)
    labels = np.digitize(smooth, [-0.05, 0.05]).astype(np.int32)
    before = labels.copy()
    count = split_patches(labels, 1)
    expected = sum(ndimage.label(before == value)[1] for value in (1, 2))
    assert count == expected
    areas = np.zeros(count + 1)
    for label, _, area in trace(labels):
        areas[label] += area
    assert np.array_equal(areas[1:], np.bincount(labels.ravel(), minlength=count + 1)[1:])
    # the same patch is one number, and another patch another one
    for value in (1, 2):
        theirs, found = ndimage.label(before == value)
        for patch in range(1, found + 1):
            assert len(np.unique(labels[theirs == patch])) == 1


def test_small_patches_are_nobodys():
    labels = draw("aa  b", "aa   ", "    a")
    assert split_patches(labels, 2) == 1
    assert labels.sum() == 4


def test_what_does_not_fit_is_left_out():
    labels = draw("a a", "   ", "a a")
    points, contours = np.zeros((9, 2), dtype=np.float32), np.zeros((16, 4), dtype=np.int64)
    count, used = trace_contours(labels, points, contours)
    assert (count, used) == (2, 8)


def test_simplified_outlines_stay_within_the_tolerance():
    angles = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    circle = (50.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(np.float32)
    kept = np.empty(len(circle) + 1, dtype=np.int64)
    count = simplify_contour(circle, 1.0, kept)
    corners = circle[kept[:count]]
    assert count < 30
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    assert np.linalg.norm(middles, axis=1).min() >= 50.0 - 1.0 - 1e-4


def test_a_square_keeps_its_corners():
    side = np.arange(0.0, 10.0)
    square = np.concatenate(
        [
            np.stack(pair, axis=1)
            for pair in ((side, 0 * side), (10 + 0 * side, side), (10 - side, 10 + 0 * side), (0 * side, 10 - side))
        ]
    ).astype(np.float32)
    kept = np.empty(len(square) + 1, dtype=np.int64)
    count = simplify_contour(square, 0.5, kept)
    assert sorted(map(tuple, square[kept[:count]].tolist())) == [(0.0, 0.0), (0.0, 10.0), (10.0, 0.0), (10.0, 10.0)]
