"""The path of least jerk against finite differences."""

from __future__ import annotations

import pytest

from handhold.retarget.least_jerk import compute_least_jerk, differentiate_least_jerk

STEP = 1e-4


@pytest.mark.parametrize("s", [0.1, 0.37, 0.5, 0.9])
def test_its_derivatives_are_those_of_finite_differences(s: float) -> None:
    before, here, after = (compute_least_jerk(s + step) for step in (-STEP, 0.0, STEP))
    rate, change = differentiate_least_jerk(s)
    assert rate == pytest.approx((after - before) / (2.0 * STEP), abs=1e-6)
    assert change == pytest.approx((after - 2.0 * here + before) / STEP**2, abs=1e-5)


@pytest.mark.parametrize(("s", "behind"), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)])
def test_it_goes_from_rest_to_rest(s: float, behind: float) -> None:
    assert compute_least_jerk(s) == behind
    assert differentiate_least_jerk(s)[1] == 0.0
    assert differentiate_least_jerk(s)[0] == (0.0 if s != 0.5 else pytest.approx(1.875))
