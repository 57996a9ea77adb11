"""Points on a surface that keep clear of its boundary, concavities and all."""

import numpy as np
import pytest

from handhold.retarget.bracing.candidates.places import list_places, push_inside
from handhold.robots.polygon import are_inside, compute_distance_inside

SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
U = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [0.2, 0.5], [0.2, -0.2], [-0.2, -0.2], [-0.2, 0.5], [-0.5, 0.5]])
"""A square with a notch from above."""

INSET = 0.05


def measure(point, boundary):
    sides = np.roll(boundary, -1, axis=0) - boundary
    off = point - boundary
    ratios = np.clip((off * sides).sum(axis=1) / (sides * sides).sum(axis=1), 0.0, 1.0)
    distance = np.linalg.norm(off - ratios[:, None] * sides, axis=1).min()
    return distance if are_inside(point[None], boundary)[0] else -distance


@pytest.mark.parametrize("boundary", [SQUARE, U, U[::-1].copy()])
def test_the_clearance_is_the_distance_from_the_sides_and_negative_outside(boundary):
    random = np.random.default_rng(0)
    for point in random.uniform(-0.8, 0.8, (200, 2)):
        assert compute_distance_inside(*point, boundary) == pytest.approx(measure(point, boundary), abs=1e-12)


@pytest.mark.parametrize("boundary", [SQUARE, U])
@pytest.mark.parametrize("pitch", [0.2, 0.05])
def test_all_places_keep_the_inset_and_are_within_the_radius_and_none_is_left_out(boundary, pitch):
    middle, radius = np.array([0.07, -0.1]), 0.6
    places = list_places(boundary, INSET, middle, radius, pitch)
    steps = np.round((places - middle) / pitch)
    assert np.abs(middle + pitch * steps - places).max() < 1e-12
    expected = 0
    for i in range(-20, 21):
        for j in range(-20, 21):
            point = middle + pitch * np.array([i, j])
            near = np.hypot(*(point - middle)) <= radius
            expected += bool(near and measure(point, boundary) >= INSET)
    assert len(places) == expected > 0
    assert all(measure(place, boundary) >= INSET for place in places)


def test_no_place_is_in_a_notch_nor_nearer_to_it_than_the_inset():
    places = list_places(U, INSET, np.zeros(2), 1.0, 0.02)
    in_notch = (np.abs(places[:, 0]) < 0.2 + INSET) & (places[:, 1] > -0.2 - INSET)
    # Near the notch's corners it is the distance from the corner that counts.
    assert all(measure(place, U) >= INSET for place in places)
    assert not (in_notch & (places[:, 1] > -0.2)).any()


def test_a_strip_narrower_than_the_grid_has_places_along_its_middle():
    strip = np.array([[0.50, -1.0], [0.61, -1.0], [0.61, 1.0], [0.50, 1.0]])
    places = list_places(strip, INSET, np.zeros(2), 1.0, 0.3)
    assert len(places) > 2
    assert places[:, 0] == pytest.approx(np.full(len(places), 0.555))


def test_what_the_inset_leaves_nothing_of_has_no_place():
    assert len(list_places(SQUARE, 0.51, np.zeros(2), 1.0, 0.01)) == 0
    assert len(list_places(SQUARE + 5.0, INSET, np.zeros(2), 1.0, 0.01)) == 0


@pytest.mark.parametrize("boundary", [SQUARE, U])
def test_a_point_that_is_pushed_inside_slides_along_the_side(boundary):
    pushed = push_inside(np.array([0.35, -0.6]), boundary, INSET)
    assert pushed == pytest.approx([0.35, -0.45])
    inside = np.array([0.35, -0.3])
    assert np.array_equal(push_inside(inside, boundary, INSET), inside)


def test_pushed_points_keep_the_inset_where_there_is_room_for_it():
    random = np.random.default_rng(1)
    kept = [measure(push_inside(point, U, INSET), U) for point in random.uniform(-0.7, 0.7, (300, 2))]
    assert min(kept) > INSET - 1e-6
