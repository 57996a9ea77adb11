"""Cholesky factorisation of small matrices within compiled code, where a library would have to be called back."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def factorise(matrix: np.ndarray) -> None:
    """Replace a symmetric positive definite matrix by its Cholesky factor, lower triangle, shape ``(l, l)``."""
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(rest) if i == j else rest / matrix[j, j]


@njit(cache=True)
def solve_factored(factor: np.ndarray, vector: np.ndarray) -> None:
    """Solve for a vector in place, shape ``(l,)``, by the Cholesky factor of the matrix."""
    size = vector.shape[0]
    for i in range(size):
        for k in range(i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            vector[i] -= factor[k, i] * vector[k]
        vector[i] /= factor[i, i]
