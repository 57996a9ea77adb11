"""What feet measure between two steps of the gait."""

import numpy as np
import pytest

from handhold.retarget.walking.foot_forces import FootForces

DT = 1e-3


def test_the_noise_of_a_foot_in_the_air_is_measured_and_that_of_one_that_stands_is_not():
    random, forces = np.random.default_rng(0), FootForces()
    for _ in range(1000):
        forces.update(np.array([0.0, 0.5]) + random.normal(0.0, 0.02, 2), np.array([True, False]), DT)
    assert forces.noise[0] == pytest.approx(0.02, rel=0.15)
    assert forces.noise[1] == 0.0


def test_peaks_stay_until_they_have_been_seen():
    forces = FootForces()
    for force in (0.1, 0.4, 0.2):
        forces.update(np.array([force, 0.0]), np.zeros(2, dtype=bool), DT)
    assert forces.peaks == pytest.approx([0.4, 0.0])
    forces.clear()
    assert not forces.peaks.any()


def test_a_touch_does_not_count_as_noise():
    random, forces = np.random.default_rng(0), FootForces()
    lifted = np.array([True, False])
    for _ in range(300):
        forces.update(random.normal(0.0, 0.002, 2), lifted, DT)
    for _ in range(10):  # [ms] a gait's period: it sees the touch no sooner
        forces.update(np.ones(2), lifted, DT)
    assert forces.noise[0] < 0.02
