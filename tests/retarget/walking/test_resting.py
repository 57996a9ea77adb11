"""The plane that a sole comes to rest on: over all of the ground, and on it at three points."""

import numpy as np
import pytest

from handhold.retarget.walking.resting import find_resting_plane


def list_places(random, count=60):
    return random.uniform([-0.1, -0.06], [0.1, 0.06], size=(count, 2))


def compute_heights(plane, places):
    return np.column_stack([places, np.ones(len(places))]) @ plane


@pytest.mark.parametrize("seed", range(5))
def test_it_is_over_all_points_and_touches_three_around_the_middle(seed):
    random = np.random.default_rng(seed)
    points = np.column_stack([list_places(random), random.uniform(0.0, 0.02, size=60)])
    gaps = compute_heights(find_resting_plane(points, np.zeros(2)), points[:, :2]) - points[:, 2]
    assert gaps.min() > -1e-9
    touched = points[gaps < 1e-9, :2]
    assert len(touched) == 3
    around = np.linalg.solve(np.vstack([touched.T, np.ones(3)]), [0.0, 0.0, 1.0])
    assert around.min() > 0.0  # what is pressed at the middle does not tip


@pytest.mark.parametrize("plane", [(0.0, 0.0, 0.03), (0.1763, -0.05, 0.2)])
def test_points_of_one_plane_give_that_plane(plane):
    places = list_places(np.random.default_rng(1))
    points = np.column_stack([places, compute_heights(np.array(plane), places)])
    assert find_resting_plane(points, np.zeros(2)) == pytest.approx(np.array(plane), abs=1e-9)


def test_at_the_foot_of_a_ramp_it_goes_from_the_heel_on_the_floor_to_the_toes_on_the_ramp():
    x = np.linspace(-0.1, 0.1, 21)
    places = np.stack(np.meshgrid(x, [-0.06, 0.06], indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.column_stack([places, np.maximum(0.0, 0.1763 * (places[:, 0] - 0.02))])
    a, b, _ = find_resting_plane(points, np.zeros(2))
    assert (a, b) == pytest.approx((0.1763 * 0.08 / 0.2, 0.0), abs=1e-6)
