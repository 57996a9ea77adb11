"""The linear inverted pendulum of the gait."""

import math

import pytest

from handhold.retarget.walking.pendulum import compute_natural_frequency
from handhold.robots.model import GRAVITY, MIN_PENDULUM_HEIGHT


@pytest.mark.parametrize("height", [0.05, 0.0, -0.2])
def test_a_pendulum_on_or_under_its_pressure_is_one_of_the_least_height(height):
    assert compute_natural_frequency(height) == math.sqrt(GRAVITY / MIN_PENDULUM_HEIGHT)


def test_the_frequency_is_that_of_the_height():
    assert compute_natural_frequency(0.9) == pytest.approx(math.sqrt(GRAVITY / 0.9))
