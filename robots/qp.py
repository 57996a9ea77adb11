r"""Quadratic programs and the two solvers that solve them.

.. math::

    \min_x \tfrac{1}{2} x^T H x + f^T x \quad \text{s.t.} \quad l \leq \begin{bmatrix} x \\ A x \end{bmatrix} \leq u
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import daqp
import numpy as np

from handhold.robots.errors import RobotError

INFINITY = 1e30

# DAQP's marks for the kinds of constraints.
_EQUALITY = 5
_SOFT = 8

# DAQP's flags for an optimum, and for active sets that come round again (4 is seen of version 0.11, undocumented): what
# is left to mend is then less than rounding.
_OPTIMAL = (1, 2)
_IN_CIRCLES = (-2, 4)
_COARSER = 10.0

# DAQP's own elimination of equalities: with a handful of them it takes longer than it saves (20 of 50 us, measured).
_NO_REDUCTION = -1


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class QuadraticProgram:
    """One quadratic program.

    Attributes:
        H: Cost matrix, symmetric positive definite, shape ``(n, n)``.
        f: Cost vector, shape ``(n,)``.
        A: Constraint rows, shape ``(m, n)``: equalities first, soft rows last.
        lower: Lower bounds of the variables, then of the rows, shape ``(n + m,)``; ``-INFINITY`` for none.
        upper: Upper bounds, likewise.
        equalities: Number of rows that are equalities.
        soft: Number of rows that may be violated at a price.
        dependent: Indices of equalities that depend, almost, on the others, shape ``(k,)``: their bounds are apart, because
            rounding alone would make them contradict the others; None for none.
    """

    H: np.ndarray
    f: np.ndarray
    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    equalities: int
    soft: int = 0
    dependent: np.ndarray | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class QpSolution:
    """What a solver found.

    Attributes:
        solved: Whether ``x`` is optimal; where not, ``x`` means nothing.
        x: Optimum, shape ``(n,)``.
        multipliers: Multipliers of variables' bounds, then rows, shape ``(n + m,)``: positive at an upper bound.
        iterations: Iterations of the solver.
    """

    solved: bool
    x: np.ndarray
    multipliers: np.ndarray
    iterations: int


class QpSolver(Protocol):
    """Solves quadratic programs, one after the other."""

    def solve(self, program: QuadraticProgram) -> QpSolution:
        """Solve one program; an infeasible one is answered as not solved, never raised."""
        ...


class DaqpSolver:
    r"""DAQP: dual active set, exact at the boundaries of the constraints.

    Every program is solved cold: with these sizes setting up is most of the cost, and a warm start gains nothing (measured).
    """

    def __init__(self, *, softness: float = 1e-6, tolerance: float = 1e-9, max_iterations: int = 1000) -> None:
        r"""Choose the price of soft rows.

        Args:
            softness: Violating a soft row by s costs :math:`s^2 / (2 \cdot softness)`.
            tolerance: Largest violation of a constraint that counts as none; ten times that where DAQP goes in circles.
            max_iterations: Iterations after which a program counts as not solved.
        """
        self._softness = softness
        self._tolerance = tolerance
        self._max_iterations = max_iterations
        self._sense: dict[tuple[int, int, int, int], np.ndarray] = {}

    def solve(self, program: QuadraticProgram) -> QpSolution:
        """Solve one program from scratch; once more, a little coarser, where DAQP goes in circles."""
        x, flag, info = self._try(program, self._tolerance)
        iterations = info["iterations"]
        if flag in _IN_CIRCLES:
            x, flag, info = self._try(program, _COARSER * self._tolerance)
            iterations += info["iterations"]
        # DAQP calls a program with a NaN in it solved, by a NaN.
        solved = flag in _OPTIMAL and math.isfinite(x.dot(x))
        return QpSolution(solved=solved, x=x, multipliers=info["lam"], iterations=iterations)

    def _try(self, program: QuadraticProgram, tolerance: float) -> tuple[np.ndarray, int, dict[str, Any]]:
        x, _, flag, info = daqp.solve(
            program.H,
            program.f,
            program.A,
            program.upper,
            program.lower,
            self._sense_of(program),
            primal_tol=tolerance,
            rho_soft=self._softness,
            iter_limit=self._max_iterations,
            eq_reduction=_NO_REDUCTION,
        )
        return x, flag, info

    def _sense_of(self, program: QuadraticProgram) -> np.ndarray:
        m, n = program.A.shape
        key = (n, m, program.equalities, program.soft)
        if key not in self._sense:
            sense = np.zeros(n + m, dtype=np.int32)
            sense[n : n + program.equalities] = _EQUALITY
            sense[n + m - program.soft :] |= _SOFT if program.soft else 0
            self._sense[key] = sense
        # DAQP marks the active rows in the array it is given.
        chosen = self._sense[key].copy()
        if program.dependent is not None:
            chosen[n + program.dependent] = 0
        return chosen


class OsqpSolver:
    """OSQP: first-order splitting; less exact and slower at these sizes, kept as the listed alternative and a check."""

    def __init__(self, *, softness: float = 1e-6, tolerance: float = 1e-6, max_iterations: int = 20_000) -> None:
        """Choose the price of soft rows (see ``DaqpSolver``), the tolerance and the cap of the iterations."""
        self._softness = softness
        self._tolerance = tolerance
        self._max_iterations = max_iterations

    def solve(self, program: QuadraticProgram) -> QpSolution:
        """Solve one program from scratch, soft rows through slack variables."""
        import osqp
        from scipy import sparse

        m, n = program.A.shape
        s = program.soft
        slack = np.vstack([np.zeros((n + m - s, s)), -np.eye(s)])
        rows = np.hstack([np.vstack([np.eye(n), program.A]), slack])
        H = np.block([[program.H, np.zeros((n, s))], [np.zeros((s, n)), np.eye(s) / self._softness]])
        solver = osqp.OSQP()
        solver.setup(
            P=sparse.csc_matrix(np.triu(H)),
            q=np.concatenate([program.f, np.zeros(s)]),
            A=sparse.csc_matrix(rows),
            l=program.lower,
            u=program.upper,
            eps_abs=self._tolerance,
            eps_rel=self._tolerance,
            max_iter=self._max_iterations,
            polishing=True,
            verbose=False,
        )
        result = solver.solve(raise_error=False)
        return QpSolution(
            solved=result.info.status_val == osqp.SolverStatus.OSQP_SOLVED,
            x=result.x[:n],
            multipliers=result.y,
            iterations=result.info.iter,
        )


def make_solver(name: str) -> QpSolver:
    """Return a solver by its name.

    Raises:
        RobotError: The name is unknown.
    """
    solvers: dict[str, Callable[[], QpSolver]] = {"daqp": DaqpSolver, "osqp": OsqpSolver}
    if name not in solvers:
        raise RobotError(f"no QP solver '{name}'; take one of {', '.join(solvers)}")
    return solvers[name]()
