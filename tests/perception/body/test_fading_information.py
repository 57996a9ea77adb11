"""Measurements that fade."""

import numpy as np
import pytest

from handhold.perception.body.fading_information import FadingInformation

NOTHING = np.zeros((2, 2))


def test_measurements_are_weighed_by_their_information():
    sums = FadingInformation(2, 10.0)
    sums.add(np.diag([3.0, 1.0]), np.diag([3.0, 1.0]) @ [1.0, 2.0])
    sums.add(np.diag([1.0, 1.0]), np.diag([1.0, 1.0]) @ [5.0, 4.0])
    assert np.allclose(sums.solve(NOTHING, np.zeros(2)), [2.0, 3.0])


def test_what_is_old_counts_little():
    sums = FadingInformation(2, 10.0)
    sums.add(np.eye(2), np.eye(2) @ [1.0, 1.0])
    for _ in range(20):
        sums.fade(1.0)
    sums.add(np.eye(2), np.zeros(2))
    old = np.exp(-2.0)
    assert sums.solve(NOTHING, np.zeros(2)) == pytest.approx(old / (1.0 + old))


def test_what_nothing_was_said_of_is_where_it_was_thought_to_be():
    sums = FadingInformation(2, 10.0)
    sums.add(np.diag([1e6, 0.0]), np.array([1e6, 0.0]))
    assert np.allclose(sums.solve(np.eye(2), np.array([7.0, 8.0])), [1.0, 8.0], atol=1e-4)


def test_one_takes_over_from_another_what_it_knows_then():
    one, other = FadingInformation(2, 1.0), FadingInformation(2, 2.0)
    other.add(np.eye(2), np.ones(2))
    one.take_over(other)
    other.scale(0.5)
    assert np.allclose(one.information, np.eye(2))
    assert np.allclose(other.information, 0.5 * np.eye(2))
