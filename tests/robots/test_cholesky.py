"""Cholesky factorisation within compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.robots.cholesky import factorise, solve_factored


@pytest.mark.parametrize("size", [1, 2, 7, 12])
def test_a_system_is_solved_as_numpy_solves_it(size: int) -> None:
    random = np.random.default_rng(size)
    root = random.normal(size=(size, size))
    matrix, vector = root @ root.T + 0.1 * np.eye(size), random.normal(size=size)
    factor, solution = matrix.copy(), vector.copy()
    factorise(factor)
    assert np.tril(factor) == pytest.approx(np.linalg.cholesky(matrix))
    solve_factored(factor, solution)
    assert solution == pytest.approx(np.linalg.solve(matrix, vector))
