"""How high the centre of mass goes: with the ground, lower while it walks, and never with a jump."""

import numpy as np
import pytest

from handhold.retarget.walking.height import ComHeightFilter

DT = 2e-3
HEIGHT, DROP, FILTER = 0.88, 0.03, 0.3


def follow(ground, seconds, *, at_rest):
    follower = ComHeightFilter(HEIGHT, 0.0, DROP, FILTER)
    heights, climbs = [follower.height], []
    for _ in range(round(seconds / DT)):
        follower.follow(ground, DT, at_rest=at_rest)
        heights.append(follower.height)
        climbs.append(follower.height_rate)
    return np.array(heights), np.array(climbs)


def test_a_robot_that_stands_stays():
    heights, climbs = follow(0.0, 1.0, at_rest=True)
    assert np.all(heights == HEIGHT)
    assert np.all(climbs == 0.0)


@pytest.mark.parametrize("ground", [0.0, 0.05, -0.03])
def test_one_that_walks_goes_lower_over_the_ground_under_it(ground):
    heights, climbs = follow(ground, 10.0 * FILTER, at_rest=False)
    assert heights[-1] == pytest.approx(HEIGHT + ground - DROP, abs=1e-4)  # [m] a part in e^10
    assert np.diff(heights) / DT == pytest.approx(climbs)
    assert np.abs(climbs).max() <= (abs(ground) + DROP) / FILTER
