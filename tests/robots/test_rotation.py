"""Logarithm and exponential of rotations, against pinocchio's and each other."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.robots.rotation import compute_turn, multiply_transposed, rotate, rotation_log

ROUNDING = 1e-14
"""What a few roundings of numbers of about one leave; a rotation vector has several times that [rad]."""

NO_TURN = 1e-12
"""Below it ``rotate`` turns nothing [rad]."""

HALF_A_TURN = np.pi - 1e-4
"""Beyond it pinocchio's own logarithm goes on by a series, whose error shows [rad]."""

seeds = st.integers(0, 10_000)
# All magnitudes: next to no turn and next to half a turn as often as all that lies between.
small = st.floats(-16.0, 0.0).map(lambda power: 10.0**power)
angles = st.floats(0.0, np.pi) | small | small.map(lambda angle: np.pi - angle)


def random_axis(seed: int) -> np.ndarray:
    axis = np.random.default_rng(seed).normal(size=3)
    return axis / np.linalg.norm(axis)


def log(R: np.ndarray) -> np.ndarray:
    out = np.full(3, np.nan)
    rotation_log(R, out)
    return out


@given(angles, seeds)
def test_the_logarithm_turns_back_what_the_exponential_turned(angle: float, seed: int) -> None:
    turn = angle * random_axis(seed)
    found = log(pin.exp3(turn))
    # Half a turn about an axis is one about its opposite.
    off = min(np.abs(found - turn).max(), np.abs(found + turn).max() if angle > np.pi - ROUNDING else np.inf)
    assert off <= 10.0 * ROUNDING
    assert np.linalg.norm(found) <= np.pi + ROUNDING


@given(angles, seeds)
def test_the_exponential_of_the_logarithm_is_the_rotation(angle: float, seed: int) -> None:
    R = pin.exp3(angle * random_axis(seed))
    turn = log(R)
    assert np.abs(pin.exp3(turn) - R).max() <= 10.0 * ROUNDING
    columns = np.stack([rotate(turn, column) for column in np.eye(3)], axis=1)
    assert np.abs(columns - R).max() <= NO_TURN


@given(st.floats(0.0, HALF_A_TURN) | small, seeds)
def test_the_logarithm_is_pinocchios(angle: float, seed: int) -> None:
    R = pin.exp3(angle * random_axis(seed))
    np.testing.assert_allclose(log(R), pin.log3(R), rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("axis", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.0, -0.8], [-0.6, 0.64, 0.48]])
def test_half_a_turn_is_pi_about_the_axis_or_its_opposite(axis: list[float]) -> None:
    turn = log(2.0 * np.outer(axis, axis) - np.eye(3))
    assert np.linalg.norm(turn) == pytest.approx(np.pi, abs=ROUNDING)
    assert abs(turn @ np.array(axis)) == pytest.approx(np.pi, abs=ROUNDING)


def test_nothing_is_turned_by_nothing() -> None:
    assert not log(np.eye(3)).any()
    assert rotate(np.zeros(3), np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 2.0, 3.0]


@given(seeds, seeds)
def test_the_turn_between_two_poses_takes_one_to_the_other(first: int, second: int) -> None:
    start, end = (pin.SE3(pin.exp3(3.0 * random_axis(seed)), random_axis(seed)).homogeneous for seed in (first, second))
    assert np.abs(pin.exp3(compute_turn(start, end)) @ start[:3, :3] - end[:3, :3]).max() <= 10.0 * ROUNDING
    assert np.abs(multiply_transposed(end, start) - end[:3, :3] @ start[:3, :3].T).max() <= ROUNDING
