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
        self._rows, self._columns = rows, columns
        self._dictionary = np.zeros((rows + objectives, columns))
        self._lower, self._upper = np.zeros(columns + rows), np.zeros(columns + rows)
        self._basic = np.arange(columns, columns + rows)
        self._nonbasic = np.arange(columns)
        self._at_upper = np.zeros(columns + rows, dtype=np.bool_)
        self._values = np.zeros(rows)
        self._costs = np.zeros(columns)
        self._wanted = np.zeros(columns, dtype=np.bool_)
        self.solution = np.zeros(columns)
        self.activities = np.zeros(rows)
        self.row_prices = np.zeros(rows)
        self.steps = 0

    @property
    def basis(self) -> np.ndarray:
        """Basic variables, structural ones by column and rows by ``columns + row``, shape ``(rows,)``."""
        return self._basic

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
        self._lower[:columns], self._upper[:columns] = variables
        self._lower[columns:], self._upper[columns:] = rows
        self.steps = _restart(
            self._dictionary,
            matrix,
            objectives,
            self._basic,
            self._nonbasic,
            self._at_upper,
            self._lower,
            self._upper,
            self._wanted,
        )
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
        status, steps = _sweep(
            self._dictionary,
            self._basic,
            self._nonbasic,
            self._at_upper,
            self._lower,
            self._upper,
            self._values,
            self._costs,
            weights,
            places,
        )
        self.steps += steps
        return self._take(status)

    def _run(self, weights: np.ndarray | None) -> Status:
        status, steps = _solve(
            self._dictionary,
            self._basic,
            self._nonbasic,
            self._at_upper,
            self._lower,
            self._upper,
            self._values,
            self._costs,
            _NO_WEIGHTS if weights is None else weights,
        )
        self.steps += steps
        return self._take(status)

    def _take(self, status: int) -> Status:
        """Read the optimum that was found."""
        if status == Status.OPTIMAL:
            _read(
                self._basic,
                self._nonbasic,
                self._at_upper,
                self._lower,
                self._upper,
                self._values,
                self._costs,
                self.solution,
                self.activities,
                self.row_prices,
            )
        return Status(status)


_NO_WEIGHTS = np.zeros(0)


@njit(cache=True)
def _restart(
    dictionary: np.ndarray,
    matrix: np.ndarray,
    objectives: np.ndarray,
    basic: np.ndarray,
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    wanted: np.ndarray,
) -> int:
    """Write the dictionary of the rows being basic, and exchange the structural variables of the last basis back in."""
    rows, columns = matrix.shape
    wanted[:] = False
    leaving = np.zeros(rows, dtype=np.bool_)
    leaving[:] = True
    for i in range(rows):
        if basic[i] < columns:
            wanted[basic[i]] = True
        else:
            leaving[basic[i] - columns] = False
    dictionary[:rows] = matrix
    dictionary[rows:] = objectives
    for i in range(rows):
        basic[i] = columns + i
    for j in range(columns):
        nonbasic[j] = j
    steps = 0
    for j in range(columns):
        if not wanted[j]:
            continue
        best, at = _PIVOT, -1
        for i in range(rows):
            if leaving[i] and basic[i] >= columns and abs(dictionary[i, j]) > best:
                best, at = abs(dictionary[i, j]), i
        if at >= 0:
            _exchange(dictionary, basic, nonbasic, at, j)
            steps += 1
    for j in range(columns):
        variable = nonbasic[j]
        if lower[variable] == -np.inf:
            at_upper[variable] = True
        elif upper[variable] == np.inf:
            at_upper[variable] = False
    return steps


@njit(cache=True)
def _exchange(dictionary: np.ndarray, basic: np.ndarray, nonbasic: np.ndarray, row: int, column: int) -> None:
    """Let the nonbasic variable of a column become basic in a row, and the basic one of the row nonbasic in the column."""
    count, width = dictionary.shape
    inverse = 1.0 / dictionary[row, column]
    # z_j = (z_i - sum_k D_ik z_k) / D_ij
    for k in range(width):
        dictionary[row, k] *= -inverse
    dictionary[row, column] = inverse
    for i in range(count):
        factor = dictionary[i, column]
        if i == row or factor == 0.0:
            continue
        dictionary[i, column] = 0.0
        for k in range(width):
            dictionary[i, k] += factor * dictionary[row, k]
    basic[row], nonbasic[column] = nonbasic[column], basic[row]


@njit(cache=True)
def _evaluate(
    dictionary: np.ndarray,
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
) -> None:
    """Compute the values of the basic variables from the bounds that the others stand at."""
    values[:] = 0.0
    for j in range(nonbasic.size):
        variable = nonbasic[j]
        bound = upper[variable] if at_upper[variable] else lower[variable]
        if bound != 0.0:
            for i in range(values.size):
                values[i] += dictionary[i, j] * bound


@njit(cache=True)
def _solve(
    dictionary: np.ndarray,
    basic: np.ndarray,
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
) -> tuple[int, int]:
    """Go to the optimum, or with no weights to a feasible point; return the status and how many steps it took."""
    rows, columns = values.size, nonbasic.size
    first_phase = weights.size == 0
    most = 50 * (rows + columns)
    still = 0
    _evaluate(dictionary, nonbasic, at_upper, lower, upper, values)
    for step in range(most):
        if first_phase:
            if _price_violations(dictionary, basic, lower, upper, values, costs) == 0:
                return 0, step
        else:
            costs[:] = 0.0
            for k in range(weights.size):
                for j in range(columns):
                    costs[j] += weights[k] * dictionary[rows + k, j]
        column = _choose_column(nonbasic, at_upper, lower, upper, costs, still > _DEGENERATE)
        if column < 0:
            return (1 if first_phase else 0), step
        entering = nonbasic[column]
        way = -1.0 if at_upper[entering] else 1.0
        row, length, to_upper = _choose_row(dictionary, basic, lower, upper, values, column, way, still > _DEGENERATE)
        flip = upper[entering] - lower[entering]
        if row < 0 and flip == np.inf:
            return 2, step
        still = 0 if min(length, flip) > 1e-12 else still + 1
        if row < 0 or flip <= length:
            at_upper[entering] = not at_upper[entering]
            for i in range(rows):
                values[i] += way * flip * dictionary[i, column]
            continue
        start = upper[entering] if at_upper[entering] else lower[entering]
        leaving = basic[row]
        for i in range(rows):
            values[i] += way * length * dictionary[i, column]
        _exchange(dictionary, basic, nonbasic, row, column)
        at_upper[leaving] = to_upper
        values[row] = start + way * length
        if step % 30 == 29:
            _evaluate(dictionary, nonbasic, at_upper, lower, upper, values)
    return 3, most


@njit(cache=True)
def _sweep(
    dictionary: np.ndarray,
    basic: np.ndarray,
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
    places: np.ndarray,
) -> tuple[int, int]:
    """Go to the optimum of every direction and write the objectives there; return the status and the number of steps."""
    steps = 0
    for k in range(len(weights)):
        status, made = _solve(dictionary, basic, nonbasic, at_upper, lower, upper, values, costs, weights[k])
        steps += made
        if status != 0:
            return status, steps
        _evaluate(dictionary[values.size :], nonbasic, at_upper, lower, upper, places[k])
    return 0, steps


@njit(cache=True)
def _price_violations(
    dictionary: np.ndarray,
    basic: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
    costs: np.ndarray,
) -> int:
    """Write what less violation in all gains by each nonbasic variable; return how many basic ones violate a bound."""
    costs[:] = 0.0
    count = 0
    for i in range(values.size):
        sign = 0.0
        if values[i] < lower[basic[i]] - _FEASIBLE:
            sign = 1.0
        elif values[i] > upper[basic[i]] + _FEASIBLE:
            sign = -1.0
        if sign != 0.0:
            count += 1
            for j in range(costs.size):
                costs[j] += sign * dictionary[i, j]
    return count


@njit(cache=True)
def _choose_column(
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    costs: np.ndarray,
    first: bool,
) -> int:
    """Choose what enters: the largest gain, or the eligible variable of the lowest number; -1 where nothing gains."""
    best, chosen = _OPTIMAL, -1
    for j in range(nonbasic.size):
        variable = nonbasic[j]
        if lower[variable] == upper[variable]:
            continue
        gain = -costs[j] if at_upper[variable] else costs[j]
        if gain <= _OPTIMAL:
            continue
        if first:
            if chosen < 0 or variable < nonbasic[chosen]:
                chosen = j
        elif gain > best:
            best, chosen = gain, j
    return chosen


@njit(cache=True)
def _choose_row(
    dictionary: np.ndarray,
    basic: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
    column: int,
    way: float,
    first: bool,
) -> tuple[int, float, bool]:
    """Choose what leaves: the basic variable that meets a bound first, of several the one with the largest pivot.

    What violates a bound meets only that one, from outside.

    Returns:
        Its row (-1 for none), the length of the step, and whether it leaves at its upper bound.
    """
    chosen, length, to_upper, largest = -1, np.inf, False, 0.0
    for i in range(values.size):
        rate = way * dictionary[i, column]
        if abs(rate) < _PIVOT:
            continue
        low, high, value = lower[basic[i]], upper[basic[i]], values[i]
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
            better = basic[i] < basic[chosen] if first else abs(rate) > largest
        else:
            better = False
        if better:
            chosen, length, to_upper, largest = i, min(distance, length), upward, abs(rate)
    return chosen, length, to_upper


@njit(cache=True)
def _read(
    basic: np.ndarray,
    nonbasic: np.ndarray,
    at_upper: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    values: np.ndarray,
    costs: np.ndarray,
    solution: np.ndarray,
    activities: np.ndarray,
    prices: np.ndarray,
) -> None:
    columns = nonbasic.size
    prices[:] = 0.0
    for j in range(columns):
        variable = nonbasic[j]
        bound = upper[variable] if at_upper[variable] else lower[variable]
        if variable < columns:
            solution[variable] = bound
        else:
            activities[variable - columns] = bound
            prices[variable - columns] = costs[j]
    for i in range(basic.size):
        variable = basic[i]
        if variable < columns:
            solution[variable] = values[i]
        else:
            activities[variable - columns] = values[i]
