"""What a stereo camera makes of what is there."""

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.errors import PerceptionError
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise

PINHOLE = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)
QUIET = StereoNoise(holes=0.0, flying=0.0)


def see(distance, noise=QUIET):
    ideal = np.full((PINHOLE.height, PINHOLE.width), 1.0 / distance, dtype=np.float32)
    return UNIT * noise.apply(ideal, PINHOLE, np.random.default_rng(0))


@pytest.mark.parametrize("distance", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("sigma", [0.08, 0.25])
def test_noise_grows_with_the_square_of_the_distance(distance, sigma):
    depth = see(distance, StereoNoise(sigma=sigma, holes=0.0, flying=0.0))
    expected = distance**2 * sigma / (PINHOLE.fx * PINHOLE.baseline)
    assert np.median(depth) == pytest.approx(distance, abs=2e-2 * distance)
    assert depth[depth > 0].std() == pytest.approx(expected, rel=0.1)


def test_disparity_comes_in_steps():
    disparities = PINHOLE.fx * PINHOLE.baseline / np.unique(see(3.0))
    steps = 32.0 * disparities
    # the depth unit rounds what is a whole number of steps
    assert np.abs(steps - np.rint(steps)).max() < 0.1


def test_holes_are_as_many_as_they_should_be():
    depth = see(1.0, StereoNoise(holes=0.2, flying=0.0))
    assert (depth == 0).mean() == pytest.approx(0.2, abs=0.01)


def test_a_strip_beside_what_is_nearer_is_not_seen():
    ideal = np.full((PINHOLE.height, PINHOLE.width), 0.5, dtype=np.float32)
    ideal[:, 400:500] = 1.0
    depth = QUIET.apply(ideal, PINHOLE, np.random.default_rng(0))
    strip = PINHOLE.fx * PINHOLE.baseline * (1.0 - 0.5)
    hidden = np.flatnonzero((depth == 0).all(axis=0))
    assert len(hidden) == pytest.approx(strip, abs=2.0)
    assert hidden.max() == 399


def test_some_pixels_fly_between_two_surfaces():
    ideal = np.full((PINHOLE.height, PINHOLE.width), 0.5, dtype=np.float32)
    ideal[:, :424] = 1.0
    depth = UNIT * StereoNoise(sigma=0.01, holes=0.0, flying=1.0).apply(ideal, PINHOLE, np.random.default_rng(0))
    between = (depth > 1.1) & (depth < 1.9)
    assert 0.1 < between[:, 423].mean() < 0.9
    assert not between[:, :420].any()


def test_what_is_too_near_or_too_far_is_not_measured():
    assert not see(0.2).any()
    assert not QUIET.apply(np.zeros((480, 848), dtype=np.float32), PINHOLE, np.random.default_rng(0)).any()


def test_without_a_baseline_there_is_no_stereo():
    mono = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0)
    with pytest.raises(PerceptionError):
        QUIET.apply(np.ones((480, 848), dtype=np.float32), mono, np.random.default_rng(0))
