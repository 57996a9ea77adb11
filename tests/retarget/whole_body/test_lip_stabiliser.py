"""The stabiliser is the solution of its program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.whole_body.lip_stabiliser import project_to_polygon, stabilise
from handhold.robots.polygon import compute_convex_hull, compute_half_planes

OMEGA, DT = 3.2, 2e-3
SQUARE = np.array([[-0.1, -0.2], [0.1, -0.2], [0.1, 0.2], [-0.1, 0.2]])
TOLERANCE = 1e-9
coordinates = st.floats(-1.0, 1.0)


def test_what_keeps_the_zmp_inside_is_left_as_it_is():
    desired = np.array([1e-4, -1e-4])
    found = stabilise(desired, np.zeros(2), np.array([0.01, 0.02]), SQUARE, OMEGA, DT)
    assert np.allclose(found.velocity, desired)
    assert np.array_equal(found.zmp, found.raw_zmp)


def test_an_interval_along_each_axis_is_that_of_the_paper():
    com, before, desired = np.array([0.02, -0.05]), np.array([0.1, 0.0]), np.array([0.5, -0.5])
    found = stabilise(desired, before, com, SQUARE, OMEGA, DT)
    gain = DT * OMEGA**2
    slowest, fastest = before + gain * (com - SQUARE.max(axis=0)), before + gain * (com - SQUARE.min(axis=0))
    assert np.allclose(found.velocity, np.clip(desired, slowest, fastest))


@given(st.tuples(coordinates, coordinates))
def test_it_satisfies_the_conditions_of_the_nearest_point(point):
    polygon = compute_convex_hull(np.array([[0.1, 0.05], [-0.1, 0.08], [-0.12, -0.07], [0.0, -0.2], [0.11, -0.1]]))
    normals, distances = compute_half_planes(polygon)
    found = project_to_polygon(polygon, np.array(point))
    slack = distances - normals @ found
    assert slack.min() > -TOLERANCE
    # what is left points out of the half-planes that hold it
    active = slack < 1e-7
    left = np.array(point) - found
    if np.linalg.norm(left) > TOLERANCE:
        multipliers, *_ = np.linalg.lstsq(normals[active].T, left, rcond=None)
        assert np.allclose(normals[active].T @ multipliers, left, atol=1e-7)
        assert multipliers.min() > -1e-7


def test_without_an_area_the_nearest_vertex_is_taken():
    point = np.array([[0.3, 0.4]])
    assert project_to_polygon(point, np.zeros(2)) == pytest.approx([0.3, 0.4])
