"""Sums of pixels, and the plane that fits them best."""

import numpy as np
import pytest

from handhold.perception.planes.moments import SUMS, fit_plane, measure_residuals

EXACT = 1e-9  # [1/m], of sums in double precision


def add_up(x, y, w):
    return np.array([len(x), *(np.sum(term) for term in (x, y, w, x * x, x * y, y * y, x * w, y * w, w * w))], dtype=float)


@pytest.fixture
def pixels():
    random = np.random.default_rng(0)
    x, y = random.uniform(-1.0, 1.0, (2, 500))
    return x, y, 0.3 * x - 0.2 * y + 0.7 + random.normal(0.0, 0.01, 500)


def test_the_plane_is_that_of_least_squares(pixels):
    x, y, w = pixels
    plane = np.zeros(3)
    square = fit_plane(add_up(x, y, w), plane)
    A = np.stack([x, y, np.ones(len(x))], axis=1)
    expected, squares, _, _ = np.linalg.lstsq(A, w, rcond=None)
    assert np.allclose(plane, expected, atol=EXACT)
    assert square == pytest.approx(squares[0] / (len(x) - 3))


def test_sets_are_joined_by_adding_their_sums(pixels):
    x, y, w = pixels
    whole, parts = np.zeros(3), np.zeros(3)
    fit_plane(add_up(x, y, w), whole)
    fit_plane(add_up(x[:200], y[:200], w[:200]) + add_up(x[200:], y[200:], w[200:]), parts)
    assert np.allclose(whole, parts, atol=EXACT)


def test_residuals_are_those_of_the_pixels(pixels):
    x, y, w = pixels
    plane = np.array([0.25, -0.1, 0.72])
    mean, square = measure_residuals(add_up(x, y, w), plane)
    residuals = w - plane[0] * x - plane[1] * y - plane[2]
    assert mean == pytest.approx(residuals.mean(), abs=EXACT)
    assert square == pytest.approx((residuals**2).mean(), abs=EXACT)


@pytest.mark.parametrize("count", [0, 3])
def test_too_few_pixels_make_no_plane(count):
    x = np.arange(float(count))
    assert fit_plane(add_up(x, x**2, x), np.zeros(3)) == np.inf


def test_pixels_in_a_line_make_no_plane():
    x = np.arange(10.0)
    assert fit_plane(add_up(x, 2.0 * x, x), np.zeros(3)) == np.inf
    assert fit_plane(np.zeros(SUMS), np.zeros(3)) == np.inf
