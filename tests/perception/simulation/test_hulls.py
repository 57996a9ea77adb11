"""Convex bodies, and the same grown by a margin."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from handhold.perception.simulation.hulls import FlatBody, contains, grow, make_hull
from handhold.perception.simulation.triangles import make_box, make_capsule, make_cylinder

MARGIN = 0.03
ROUNDING = 1e-9  # [m]


def scatter(seed, count=40):
    return np.random.default_rng(seed).normal(size=(count, 3)) * [0.1, 0.05, 0.2]


def shapes():
    hulls = [make_hull(scatter(seed)) for seed in range(3)]
    return [*hulls, make_box((0.1, 0.05, 0.2)), make_cylinder(0.05, 0.2), make_capsule(0.04, 0.1)]


def find_outside(body, points):
    """Return how far each point is outside the plane of the face that it is furthest outside of [m]."""
    faces = ConvexHull(body.corners.reshape(-1, 3)).equations
    return (points @ faces[:, :3].T + faces[:, 3]).max(axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_corners_of_a_hull_go_round_counter_clockwise_from_outside(seed):
    body = make_hull(scatter(seed))
    a, b, c = body.corners.transpose(1, 0, 2)
    outward = np.einsum("ti,ti->t", np.cross(b - a, c - a), a - body.corners.mean(axis=(0, 1)))
    assert (outward > 0.0).all()


@pytest.mark.parametrize("shape", range(6))
def test_a_grown_body_has_all_that_is_within_the_margin(shape):
    body = shapes()[shape]
    random = np.random.default_rng(shape)
    shares = random.dirichlet(np.ones(3), size=len(body.corners))
    points = np.einsum("tk,tki->ti", shares, body.corners)
    directions = random.normal(size=points.shape)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert find_outside(grow(body, MARGIN), points + MARGIN * directions).max() < ROUNDING


@pytest.mark.parametrize(("shape", "most"), [(0, 1.5), (1, 1.5), (2, 1.5), (3, 1.01), (4, 1.1), (5, 1.01)])
def test_a_grown_body_has_faces_hardly_further_out_than_the_margin(shape, most):
    body = shapes()[shape]
    grown = grow(body, MARGIN)
    normals = ConvexHull(body.corners.reshape(-1, 3)).equations[:, :3]
    reach = (grown.corners.reshape(-1, 3) @ normals.T).max(axis=0) - (body.corners.reshape(-1, 3) @ normals.T).max(axis=0)
    # Sharp corners, as of these random hulls, go further out, and take along what is about them.
    assert reach.min() > MARGIN - ROUNDING
    assert np.median(reach) < most * MARGIN


def test_a_grown_box_is_a_larger_box():
    grown = grow(make_box((0.1, 0.05, 0.2)), MARGIN)
    assert np.allclose(np.unique(np.abs(grown.corners.reshape(-1, 3)), axis=0), [[0.13, 0.08, 0.23]])


def test_points_are_told_inside_from_outside():
    box = make_box((0.1, 0.1, 0.1))
    assert contains(box, np.array([0.09, -0.09, 0.0]))
    assert not contains(box, np.array([0.11, 0.0, 0.0]))


def test_a_body_without_a_thickness_is_refused():
    flat = np.random.default_rng(0).normal(size=(10, 3)) * [1.0, 1.0, 0.0]
    with pytest.raises(FlatBody, match="10 points"):
        make_hull(flat)
    with pytest.raises(FlatBody):
        make_hull(flat[:3])
