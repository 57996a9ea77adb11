"""What is compiled of elements computes what its equations say."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.render.elements.arrows import lay_arrows, stretch
from handhold.render.elements.robots import DIFFERS_BY, DIFFERS_TURNED, find_differences
from handhold.render.elements.surface_points import lay_points

SINGLE = 1e-5
SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_points_lie_on_the_surface_as_its_pose_has_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose, points, figures = pin.exp6(rng.normal(size=6)).homogeneous, rng.normal(size=(9, 2)), rng.integers(3, size=9)
    sizes = rng.uniform(0.1, 1.0, (3, 3))
    own = np.column_stack([points * sizes[figures, :2], sizes[figures, 2], np.ones(9)])
    np.testing.assert_allclose(lay_points(pose, points, figures, sizes), (own @ pose.T)[:, :3], atol=SINGLE)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stretched_shape_reaches_from_point_to_point_and_is_as_wide_as_it_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts, ends, diameters = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)), rng.uniform(0.01, 0.1, 6)
    ends[0] = starts[0] + (0.0, 0.0, 0.5)
    transforms = stretch(starts, ends, diameters)
    for end, points in ((-0.5, starts), (0.5, ends)):
        np.testing.assert_allclose((transforms @ (0.0, 0.0, end, 1.0))[:, :3], points, atol=SINGLE)
    x, y, z = (transforms[:, :3, axis] for axis in range(3))
    for axis in (x, y):
        np.testing.assert_allclose(np.linalg.norm(axis, axis=1), diameters, atol=SINGLE)
    for a, b in ((x, y), (y, z), (z, x)):
        np.testing.assert_allclose((a * b).sum(axis=1), 0.0, atol=SINGLE)
    assert (np.linalg.det(transforms[:, :3, :3]) > 0.0).all()


def test_an_arrow_ends_in_a_head_of_its_length_and_a_short_one_is_half_a_head() -> None:
    tails, heads = np.zeros((3, 3)), np.array([(1.0, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.0)])
    transforms = lay_arrows(tails, heads, 0.02, 0.07)
    shafts, points = transforms[:3], transforms[3:]
    np.testing.assert_allclose(np.linalg.norm(points[:, :3, 2], axis=1), (0.07, 0.05, 0.0), atol=SINGLE)
    np.testing.assert_allclose(shafts[:, :3, 2] + points[:, :3, 2], heads - tails, atol=SINGLE)
    assert np.isfinite(transforms).all()


def test_a_joint_differs_where_it_is_moved_or_turned_by_more_than_the_bounds() -> None:
    here = np.repeat(np.eye(4, dtype=np.float32)[None], 5, axis=0)
    there = here.copy()
    there[1, :3, 3] = (0.0, 0.9 * DIFFERS_BY, 0.0)
    there[2, :3, 3] = (0.0, 1.1 * DIFFERS_BY, 0.0)
    there[3, :3, :3] = pin.exp3(np.array([0.0, 0.9 * DIFFERS_TURNED, 0.0]))
    there[4, :3, :3] = pin.exp3(np.array([0.0, 1.1 * DIFFERS_TURNED, 0.0]))
    assert find_differences(here, there).tolist() == [False, False, True, False, True]
