"""Rows of contacts that depend on each other: what legs with five joints do to two soles on the ground."""

import numpy as np

from handhold.robots.programs.whole_body_program import INDEPENDENT, REDUNDANT, relax_dependent
from handhold.robots.qp import INFINITY, DaqpSolver, QuadraticProgram

TOLERANCE, MOST = 1e-7, 5e-4


def relax(rows: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which rows are dependent, and the bounds."""
    lower, upper = targets.copy(), targets.copy()
    dependent = np.zeros(len(rows), dtype=bool)
    residual = np.zeros((len(rows), rows.shape[1] + 1))
    found = relax_dependent(rows, (lower, upper), (INDEPENDENT, REDUNDANT, TOLERANCE, MOST), residual, dependent)
    assert found == dependent.any()
    return dependent, lower, upper


def make_rows(rest: float) -> np.ndarray:
    """Return five independent rows and one that differs from a combination of two of them by a part of its norm."""
    rows = np.random.default_rng(0).normal(size=(6, 20))
    combination = rows[0] - 2.0 * rows[1]
    rows[5] -= np.linalg.pinv(rows[:5]) @ (rows[:5] @ rows[5])
    rows[5] = combination + rest * np.linalg.norm(combination) * rows[5] / np.linalg.norm(rows[5])
    return rows


def test_independent_rows_stay_equalities() -> None:
    targets = np.arange(6.0)
    dependent, lower, upper = relax(make_rows(0.1), targets)
    assert not dependent.any()
    np.testing.assert_array_equal(lower, targets)
    np.testing.assert_array_equal(upper, targets)


def test_a_row_that_is_a_combination_of_others_asks_for_nothing() -> None:
    dependent, lower, upper = relax(make_rows(1e-9), np.arange(6.0))
    assert dependent.sum() == 1
    assert lower[dependent] == -INFINITY
    assert upper[dependent] == INFINITY


def test_a_row_that_is_almost_one_asks_for_no_more_than_a_small_motion() -> None:
    rows, targets = make_rows(0.01), np.full(6, 1e-4)
    dependent, lower, upper = relax(rows, targets)
    assert dependent.sum() == 1
    z = np.linalg.lstsq(rows[~dependent], targets[~dependent], rcond=None)[0]
    missing = 0.5 * (lower + upper)[dependent] - rows[dependent] @ z
    others = rows[~dependent]
    rest = rows[dependent][0] - np.linalg.pinv(others) @ (others @ rows[dependent][0])
    assert abs(missing[0]) <= MOST * np.linalg.norm(rest) * (1.0 + 1e-6)
    np.testing.assert_allclose((upper - lower)[dependent], 2.0 * TOLERANCE, rtol=1e-6)


def test_a_program_with_rows_that_contradict_each_other_by_rounding_is_solved() -> None:
    rows, targets = make_rows(1e-12), np.random.default_rng(1).normal(size=6)
    targets[5] = targets[0] - 2.0 * targets[1] + 1e-6
    free = np.full(20, INFINITY)
    costs = np.eye(20), np.ones(20)

    def solve(lower: np.ndarray, upper: np.ndarray, dependent: np.ndarray | None) -> bool:
        bounds = np.concatenate([-free, lower]), np.concatenate([free, upper])
        program = QuadraticProgram(
            H=costs[0], f=costs[1], A=rows, lower=bounds[0], upper=bounds[1], equalities=6, dependent=dependent
        )
        return DaqpSolver().solve(program).solved

    assert not solve(targets, targets, None)
    dependent, lower, upper = relax(rows, targets)
    assert solve(lower, upper, dependent.nonzero()[0])
