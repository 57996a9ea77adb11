"""Support polygons."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handhold.robots.contact import Stance
from handhold.robots.model import load_model
from handhold.robots.polygon import (
    clip_to_polygon,
    compute_convex_hull,
    compute_half_planes,
    compute_support_polygon,
    inset_polygon,
)

EXACT = 1e-12  # [m]
SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
coordinate = st.floats(-3.0, 3.0)


def test_two_level_feet_side_by_side_span_a_rectangle():
    model = load_model("talos")
    polygon = compute_support_polygon(model, Stance(model, [0, 1], inset=0.0), model.effector_poses(model.q_nominal), 0.0)
    x, y = np.abs(polygon).max(axis=0)
    assert len(polygon) == 4
    assert np.allclose([x, y], [0.1, 0.085 + 0.065], atol=1e-9)


def test_a_hand_in_the_air_adds_nothing_to_the_support():
    model = load_model("talos")
    poses = model.effector_poses(model.q_nominal)
    feet = compute_support_polygon(model, Stance(model, [0, 1], inset=0.0), poses, 0.0)
    braced = compute_support_polygon(model, Stance(model, [0, 1, 2], inset=0.0), poses, 0.0)
    assert np.array_equal(feet, braced)


def test_four_point_feet_span_their_middles_and_a_hand_on_a_wall_adds_nothing():
    model = load_model("anymal")
    poses = model.effector_poses(model.q_nominal)
    feet = compute_support_polygon(model, Stance(model, [0, 1, 2, 3], inset=0.0), poses, 0.0)
    assert len(feet) == 4
    assert sorted(feet.tolist()) == sorted(poses[:4, :2, 3].tolist())
    hand = model.effector_of_hand("left")
    braced = compute_support_polygon(model, Stance(model, [0, 1, 2, 3, hand], inset=0.0), poses, 0.0)
    assert np.array_equal(feet, braced)
    inset = compute_support_polygon(model, Stance(model, [0, 1, 2, 3], inset=0.0), poses, 0.03)
    assert np.allclose(np.abs(inset), np.abs(feet).max(axis=0) - 0.03, atol=1e-9)


def test_an_inset_triangle_keeps_its_distance_from_every_edge():
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.8]])
    normals, distances = compute_half_planes(triangle)
    kept = distances - inset_polygon(triangle, 0.1) @ normals.T
    # Every corner lies on two of the moved edges, and inside the third.
    assert np.allclose(np.sort(kept, axis=1)[:, :2], 0.1, atol=EXACT)
    assert len(inset_polygon(triangle, 0.4)) == 0


def test_hands_alone_are_what_a_robot_on_its_hands_stands_on():
    model = load_model("talos")
    hands = Stance(model, [2, 3], inset=0.0)
    assert hands.feet == hands.effectors
    assert Stance(model, [3, 1], inset=0.0).feet == (1,)


def test_points_on_a_line_span_nothing():
    assert len(compute_convex_hull(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))) == 0


@given(coordinate, coordinate)
def test_a_clipped_point_is_the_nearest_of_the_polygon(x, y):
    assert np.allclose(clip_to_polygon(np.array([x, y]), SQUARE), np.clip([x, y], -1.0, 1.0), atol=EXACT)


def test_half_planes_hold_the_inside_and_not_the_outside():
    normals, distances = compute_half_planes(SQUARE)
    assert np.all(normals @ np.array([0.9, -0.9]) <= distances)
    assert np.any(normals @ np.array([1.1, 0.0]) > distances)
