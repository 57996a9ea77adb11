r"""A small bounded-variable simplex method, compiled, for many objectives over one set of constraints.

.. math::

    \max_x \; w^T C x \quad \text{s.t.} \quad r = A x, \quad r^- \leq r \leq r^+, \quad x^- \leq x \leq x^+

Structural variables x and row activities r are treated alike: the basic ones are told by the others through a dictionary
:math:`z_B = D z_N`, and every nonbasic one stands at one of its bounds. A step exchanges one of each; the rows of all
objectives are carried along, so that a new direction w begins at the last one's optimum. A changed matrix begins at the last
basis as well: of the rows that are basic there is nothing to do, the few structural variables are exchanged back in.

Sources: [Chvatal1983]_ chapter 8 (bounded variables), [Maros2003]_ chapter 9 (composite first phase, bound flips).

.. [Chvatal1983] V. Chvatal, Linear Programming, 1983.
.. [Maros2003] I. Maros, Computational Techniques of the Simplex Method, 2003.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numba import njit

UNBOUNDED = np.inf
"""A bound that is none."""

_FEASIBLE = 1e-10
"""Violation of a bound that counts as none; problems are scaled to numbers near 1."""

_OPTIMAL = 1e-10
"""Reduced cost that counts as none."""

_PIVOT = 1e-8
"""Smallest entry of the dictionary that is exchanged on."""

_DEGENERATE = 20
"""Steps in a row without progress after which the first eligible variable is taken (Bland's rule): no cycle is possible."""


class Status(IntEnum):
    """What became of a problem."""

    OPTIMAL = 0
    INFEASIBLE = 1
    UNBOUNDED = 2
    STALLED = 3


class _State(NamedTuple):
    """Where the method stands; variables are told by number, structural ones first.

    Attributes:
        dictionary: D, then the objectives by the nonbasic variables, shape ``(rows + objectives, columns)``.
        basic: Basic variables, shape ``(rows,)``.
        nonbasic: The others, shape ``(columns,)``.
        at_upper: Which stand at their upper bound, shape ``(columns + rows,)``.
        lower: Lower bounds, shape ``(columns + rows,)``.
        upper: Upper bounds, likewise.
        values: Values of the basic variables, shape ``(rows,)``.
        costs: What each nonbasic variable gains, shape ``(columns,)``.
        was_basic: Which were basic when the last problem ended, shape ``(columns + rows,)``.
    """

    dictionary: np.ndarray
    basic: np.ndarray
    nonbasic: np.ndarray
    at_upper: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    values: np.ndarray
    costs: np.ndarray
    was_basic: np.ndarray


class BoundedSimplex:
    """Solves problems of one size; all its arrays are made once.

    Attributes:
        solution: Optimal x, shape ``(columns,)``.
        activities: Row activities r there, shape ``(rows,)``.
        row_prices: Derivative of the optimum with respect to each row's activity where it is held at a bound, shape
            ``(rows,)``; 0 where it is not.
        steps: Exchanges made since the problem was loaded.
    """

    def __init__(self, rows: int, columns: int, objectives: int) -> None:
        """Make room for problems of ``rows`` rows, ``columns`` variables and ``objectives`` rows of C."""
        self._columns = columns
        count = columns + rows
        self._state = _State(
            dictionary=np.zeros((rows + objectives, columns)),
            basic=np.arange(columns, count),
            nonbasic=np.arange(columns),
            at_upper=np.zeros(count, dtype=np.bool_),
            lower=np.zeros(count),
            upper=np.zeros(count),
            values=np.zeros(rows),
            costs=np.zeros(columns),
            was_basic=np.zeros(count, dtype=np.bool_),
        )
        self.solution = np.zeros(columns)
        self.activities = np.zeros(rows)
        self.row_prices = np.zeros(rows)
        self.steps = 0

    @property
    def basis(self) -> np.ndarray:
        """Basic variables, structural ones by column and rows by ``columns + row``, shape ``(rows,)``."""
        return self._state.basic

    def load(
        self,
        matrix: np.ndarray,
        objectives: np.ndarray,
        rows: tuple[np.ndarray, np.ndarray],
        variables: tuple[np.ndarray, np.ndarray],
    ) -> Status:
        """Take a problem, beginning at the basis of the last one, and find a feasible point.

        Args:
            matrix: A, shape ``(rows, columns)``.
            objectives: C, shape ``(objectives, columns)``.
            rows: Bounds of the row activities, shape ``(rows,)`` each; ``UNBOUNDED`` for none.
            variables: Bounds of x, shape ``(columns,)`` each; one of each pair is finite.

        Returns:
            OPTIMAL where there is a feasible point, otherwise INFEASIBLE or STALLED.
        """
        columns = self._columns
        state = self._state
        state.lower[:columns], state.upper[:columns] = variables
        state.lower[columns:], state.upper[columns:] = rows
        self.steps = _restart(state, matrix, objectives)
        return self._run(None)

    def maximise(self, weights: np.ndarray) -> Status:
        """Maximise :math:`w^T C x` from where the last problem ended; ``weights`` is w, shape ``(objectives,)``.

        Only after ``load`` has found a feasible point.
        """
        return self._run(weights)

    def maximise_all(self, weights: np.ndarray, places: np.ndarray) -> Status:
        """Maximise in many directions, each from the last one's optimum; what is read of an optimum is the last one's.

        Args:
            weights: w of every direction, shape ``(directions, objectives)``.
            places: Takes C x at every optimum, shape ``(directions, objectives)``.

        Returns:
            OPTIMAL, or what the first direction that has no optimum is instead.
        """
        status, steps = _sweep(self._state, weights, places)
        self.steps += steps
        return self._take(status)

    def _run(self, weights: np.ndarray | None) -> Status:
        status, steps = _solve(self._state, _NO_WEIGHTS if weights is None else weights)
        self.steps += steps
        return self._take(status)

    def _take(self, status: int) -> Status:
        """Read the optimum that was found."""
        if status == Status.OPTIMAL:
            _read(self._state, self.solution, self.activities, self.row_prices)
        return Status(status)


_NO_WEIGHTS = np.zeros(0)


@njit(cache=True)
def _restart(s: _State, matrix: np.ndarray, objectives: np.ndarray) -> int:
    """Write the dictionary of the rows being basic, and exchange the structural variables of the last basis back in."""
    rows, columns = matrix.shape
    s.was_basic[:] = False
    for i in range(rows):
        s.was_basic[s.basic[i]] = True
    s.dictionary[:rows] = matrix
    s.dictionary[rows:] = objectives
    for i in range(rows):
        s.basic[i] = columns + i
    for j in range(columns):
        s.nonbasic[j] = j
    steps = 0
    for j in range(columns):
        if not s.was_basic[j]:
            continue
        best, at = _PIVOT, -1
        for i in range(rows):
            leaves = s.basic[i] == columns + i and not s.was_basic[columns + i]
            if leaves and abs(s.dictionary[i, j]) > best:
                best, at = abs(s.dictionary[i, j]), i
        if at >= 0:
            _exchange(s, at, j)
            steps += 1
    for j in range(columns):
        variable = s.nonbasic[j]
        if s.lower[variable] == -np.inf:
            s.at_upper[variable] = True
        elif s.upper[variable] == np.inf:
            s.at_upper[variable] = False
    return steps


@njit(cache=True)
def _exchange(s: _State, row: int, column: int) -> None:
    """Let the nonbasic variable of a column become basic in a row, and the basic one of the row nonbasic in the column."""
    count, width = s.dictionary.shape
    inverse = 1.0 / s.dictionary[row, column]
    # z_j = (z_i - sum_k D_ik z_k) / D_ij
    for k in range(width):
        s.dictionary[row, k] *= -inverse
    s.dictionary[row, column] = inverse
    for i in range(count):
        factor = s.dictionary[i, column]
        if i == row or factor == 0.0:
            continue
        s.dictionary[i, column] = 0.0
        for k in range(width):
            s.dictionary[i, k] += factor * s.dictionary[row, k]
    s.basic[row], s.nonbasic[column] = s.nonbasic[column], s.basic[row]


@njit(cache=True)
def _evaluate(s: _State, first: int, values: np.ndarray) -> None:
    """Compute what rows of the dictionary, from the first on, give at the bounds that the nonbasic variables stand at."""
    values[:] = 0.0
    for j in range(s.nonbasic.size):
        variable = s.nonbasic[j]
        bound = s.upper[variable] if s.at_upper[variable] else s.lower[variable]
        if bound != 0.0:
            for i in range(values.size):
                values[i] += s.dictionary[first + i, j] * bound


@njit(cache=True)
def _solve(s: _State, weights: np.ndarray) -> tuple[int, int]:
    """Go to the optimum, or with no weights to a feasible point; return the status and how many steps it took."""
    rows, columns = s.values.size, s.nonbasic.size
    first_phase = weights.size == 0
    most = 50 * (rows + columns)
    still = 0
    _evaluate(s, 0, s.values)
    for step in range(most):
        if first_phase:
            if _price_violations(s) == 0:
                return 0, step
        else:
            s.costs[:] = 0.0
            for k in range(weights.size):
                for j in range(columns):
                    s.costs[j] += weights[k] * s.dictionary[rows + k, j]
        column = _choose_column(s, still > _DEGENERATE)
        if column < 0:
            return (1 if first_phase else 0), step
        entering = s.nonbasic[column]
        way = -1.0 if s.at_upper[entering] else 1.0
        row, length, to_upper = _choose_row(s, column, way, still > _DEGENERATE)
        flip = s.upper[entering] - s.lower[entering]
        if row < 0 and flip == np.inf:
            return 2, step
        still = 0 if min(length, flip) > 1e-12 else still + 1
        if row < 0 or flip <= length:
            s.at_upper[entering] = not s.at_upper[entering]
            for i in range(rows):
                s.values[i] += way * flip * s.dictionary[i, column]
            continue
        start = s.upper[entering] if s.at_upper[entering] else s.lower[entering]
        leaving = s.basic[row]
        for i in range(rows):
            s.values[i] += way * length * s.dictionary[i, column]
        _exchange(s, row, column)
        s.at_upper[leaving] = to_upper
        s.values[row] = start + way * length
        if step % 30 == 29:
            _evaluate(s, 0, s.values)
    return 3, most


@njit(cache=True)
def _sweep(s: _State, weights: np.ndarray, places: np.ndarray) -> tuple[int, int]:
    """Go to the optimum of every direction and write the objectives there; return the status and the number of steps."""
    steps = 0
    for k in range(len(weights)):
        status, made = _solve(s, weights[k])
        steps += made
        if status != 0:
            return status, steps
        _evaluate(s, s.values.size, places[k])
    return 0, steps


@njit(cache=True)
def _price_violations(s: _State) -> int:
    """Write what less violation in all gains by each nonbasic variable; return how many basic ones violate a bound."""
    s.costs[:] = 0.0
    count = 0
    for i in range(s.values.size):
        sign = 0.0
        if s.values[i] < s.lower[s.basic[i]] - _FEASIBLE:
            sign = 1.0
        elif s.values[i] > s.upper[s.basic[i]] + _FEASIBLE:
            sign = -1.0
        if sign != 0.0:
            count += 1
            for j in range(s.costs.size):
                s.costs[j] += sign * s.dictionary[i, j]
    return count


@njit(cache=True)
def _choose_column(s: _State, first: bool) -> int:
    """Choose what enters: the largest gain, or the eligible variable of the lowest number; -1 where nothing gains."""
    best, chosen = _OPTIMAL, -1
    for j in range(s.nonbasic.size):
        variable = s.nonbasic[j]
        if s.lower[variable] == s.upper[variable]:
            continue
        gain = -s.costs[j] if s.at_upper[variable] else s.costs[j]
        if gain <= _OPTIMAL:
            continue
        if first:
            if chosen < 0 or variable < s.nonbasic[chosen]:
                chosen = j
        elif gain > best:
            best, chosen = gain, j
    return chosen


@njit(cache=True)
def _choose_row(s: _State, column: int, way: float, first: bool) -> tuple[int, float, bool]:
    """Choose what leaves: the basic variable that meets a bound first, of several the one with the largest pivot.

    What violates a bound meets only that one, from outside.

    Returns:
        Its row (-1 for none), the length of the step, and whether it leaves at its upper bound.
    """
    chosen, length, to_upper, largest = -1, np.inf, False, 0.0
    for i in range(s.values.size):
        rate = way * s.dictionary[i, column]
        if abs(rate) < _PIVOT:
            continue
        low, high, value = s.lower[s.basic[i]], s.upper[s.basic[i]], s.values[i]
        below, above = value < low - _FEASIBLE, value > high + _FEASIBLE
        if rate > 0.0:
            if above:
                continue
            bound, upward = (low, False) if below else (high, True)
        else:
            if below:
                continue
            bound, upward = (high, True) if above else (low, False)
        if not np.isfinite(bound):
            continue
        distance = max(0.0, (bound - value) / rate)
        if distance < length - 1e-12:
            better = True
        elif distance <= length + 1e-12:
            better = s.basic[i] < s.basic[chosen] if first else abs(rate) > largest
        else:
            better = False
        if better:
            chosen, length, to_upper, largest = i, min(distance, length), upward, abs(rate)
    return chosen, length, to_upper


@njit(cache=True)
def _read(s: _State, solution: np.ndarray, activities: np.ndarray, prices: np.ndarray) -> None:
    columns = s.nonbasic.size
    prices[:] = 0.0
    for j in range(columns):
        variable = s.nonbasic[j]
        bound = s.upper[variable] if s.at_upper[variable] else s.lower[variable]
        if variable < columns:
            solution[variable] = bound
        else:
            activities[variable - columns] = bound
            prices[variable - columns] = s.costs[j]
    for i in range(s.basic.size):
        variable = s.basic[i]
        if variable < columns:
            solution[variable] = s.values[i]
        else:
            activities[variable - columns] = s.values[i]
