r"""A small bounded-variable simplex method, compiled, for many objectives over one set of constraints.

.. math::

    \max_x \; w^T C x \quad \text{s.t.} \quad r = A x, \quad r^- \leq r \leq r^+, \quad x^- \leq x \leq x^+

Structural variables x and row activities r are treated alike: each is basic, or nonbasic at one of its bounds. Of the
dictionary :math:`z_B = D z_N` only the rows of basic structural variables (and of the objectives) are kept; those of basic
activities are :math:`A` times them, and are made when they are asked for. As many structural variables are basic as
activities stand at a bound, so that the many rows that limit nothing cost little: half the time of a whole dictionary on 37
rows of which 8 limit. Every direction w begins at the last one's optimum; a changed matrix begins at the last basis, or at
any one that was kept.

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

_TIE = 1e-12
"""Lengths of steps that differ by less are the same."""

_VECTOR = 8
"""Numbers that a processor takes at once."""

_REFRESH = 30
"""Steps after which all values are computed anew from the bounds."""

_VERIFIED = 1e-8
"""Violation of a bound at the end, of values computed anew, above which rounding has spoilt the dictionary.

What cannot be brought nearer to its bound than this is on it: of forces in units of the weight it is some micronewtons.
"""

_ROUNDS = 4
"""How often a spoilt dictionary is made anew before the method stalls."""


class Status(IntEnum):
    """What became of a problem."""

    OPTIMAL = 0
    INFEASIBLE = 1
    UNBOUNDED = 2
    STALLED = 3
    NOT_A_NUMBER = 4


class SimplexState(NamedTuple):
    """Where the method stands; variables are given by number, structural ones first.

    Attributes:
        columns: A by columns, shape ``(columns, rows)``.
        objectives: C, shape ``(objectives, columns)``.
        lower: Lower bounds, shape ``(columns + rows,)``.
        upper: Upper bounds, likewise.
        dictionary: The objectives, then the basic structural variables, by the nonbasic ones, shape
            ``(objectives + min(rows, columns), columns)``.
        basic: Basic structural variables, in the order of their rows, shape ``(min(rows, columns),)``.
        nonbasic: The nonbasic variables, shape ``(columns,)``.
        is_basic: Which are basic, shape ``(columns + rows,)``.
        at_upper: Which stand at their upper bound, likewise.
        values: Values of all variables, likewise.
        costs: What each nonbasic variable gains, shape ``(columns,)``.
        rates: Scratch: what each activity changes by a nonbasic variable, shape ``(rows,)``.
        pivots: Scratch: a row of the dictionary, shape ``(columns,)``.
        filled: How many structural variables are basic, shape ``(1,)``.
    """

    columns: np.ndarray
    objectives: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    dictionary: np.ndarray
    basic: np.ndarray
    nonbasic: np.ndarray
    is_basic: np.ndarray
    at_upper: np.ndarray
    values: np.ndarray
    costs: np.ndarray
    rates: np.ndarray
    pivots: np.ndarray
    filled: np.ndarray


def make_state(rows: int, columns: int, objectives: int) -> SimplexState:
    """Make room for problems of one size; all activities are basic.

    Rows and columns are filled up with empty ones: loops over whole vectors of the processor take less than half the time.
    """
    capacity = min(rows, columns)
    rows, columns = (-(-size // _VECTOR) * _VECTOR for size in (rows, columns))
    count = columns + rows
    is_basic = np.zeros(count, dtype=np.bool_)
    is_basic[columns:] = True
    lower, upper = np.zeros(count), np.zeros(count)
    lower[columns:], upper[columns:] = -np.inf, np.inf
    return SimplexState(
        columns=np.zeros((columns, rows)),
        objectives=np.zeros((objectives, columns)),
        lower=lower,
        upper=upper,
        dictionary=np.zeros((objectives + capacity, columns)),
        basic=np.zeros(capacity, dtype=np.int64),
        nonbasic=np.arange(columns),
        is_basic=is_basic,
        at_upper=np.zeros(count, dtype=np.bool_),
        values=np.zeros(count),
        costs=np.zeros(columns),
        rates=np.zeros(rows),
        pivots=np.zeros(columns),
        filled=np.zeros(1, dtype=np.int64),
    )


class BoundedSimplex:
    """Solves problems of one size; all its arrays are made once.

    Attributes:
        state: Where the method stands, for compiled code that goes on from there.
        solution: Optimal x, shape ``(columns,)`` (view).
        activities: Row activities r there, shape ``(rows,)`` (view).
        steps: Exchanges and bound flips made since the problem was loaded.
    """

    def __init__(self, rows: int, columns: int, objectives: int) -> None:
        """Make room for problems of ``rows`` rows, ``columns`` variables and ``objectives`` rows of C."""
        self.state = make_state(rows, columns, objectives)
        width = self.state.nonbasic.size
        self.solution = self.state.values[:columns]
        self.activities = self.state.values[width : width + rows]
        self.steps = 0

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
            OPTIMAL where there is a feasible point, otherwise INFEASIBLE (also where bounds cross), NOT_A_NUMBER or STALLED.
        """
        state, (count, size) = self.state, matrix.shape
        width = state.nonbasic.size
        state.columns[:size, :count] = matrix.T
        state.objectives[:, :size] = objectives
        state.lower[:size], state.upper[:size] = variables
        state.lower[width : width + count], state.upper[width : width + count] = rows
        self.steps = 0
        return self._note(*begin(state))

    def maximise(self, weights: np.ndarray) -> Status:
        """Maximise :math:`w^T C x` from where the last problem ended; ``weights`` is w, shape ``(objectives,)``.

        Only after ``load`` has found a feasible point.
        """
        return self._note(*maximise(self.state, weights))

    def price_rows(self, weights: np.ndarray) -> np.ndarray:
        """Return the derivative of :math:`w^T C x` with respect to each row's activity, the basis kept, shape ``(rows,)``.

        It is 0 for rows that are not held at a bound.
        """
        prices = np.zeros(len(self.activities))
        price_rows(self.state, weights, prices)
        return prices

    def _note(self, status: int, steps: int) -> Status:
        self.steps += steps
        return Status(status)


@njit(cache=True)
def begin(s: SimplexState) -> tuple[int, int]:
    """Factor the last basis for what is now in the state, and find a feasible point; return the status and the steps."""
    status = _check(s)
    if status != 0:
        return status, 0
    nothing, steps = np.zeros(0), 0
    for _ in range(_ROUNDS):
        factor(s)
        status, more = _solve(s, nothing)
        steps += more
        evaluate(s)
        if status != 3 and _is_feasible(s):
            return 0, steps
        # No step since the basis was factored: what is said of it is not rounding.
        if status == 1 and more == 0:
            return status, steps
    return (status if status != 0 else 3), steps


@njit(cache=True)
def maximise(s: SimplexState, weights: np.ndarray) -> tuple[int, int]:
    """Go from a feasible point to an optimum; return the status and the steps.

    Where rounding has spoilt the dictionary on the way, so that the end is not feasible, it is made anew.
    """
    if not np.isfinite(weights).all():
        return 4, 0
    steps = 0
    for _ in range(_ROUNDS):
        status, more = _solve(s, weights)
        steps += more
        if more == 0:
            return status, steps
        evaluate(s)
        if status != 3 and _is_feasible(s):
            return status, steps
        status, more = begin(s)
        steps += more
        if status != 0:
            return status, steps
    return 3, steps


@njit(cache=True)
def _check(s: SimplexState) -> int:
    """Return OPTIMAL for a problem that is one, INFEASIBLE where bounds cross, NOT_A_NUMBER where something is none."""
    if not (np.isfinite(s.columns).all() and np.isfinite(s.objectives).all()):
        return 4
    status = 0
    for variable in range(s.lower.size):
        low, high = s.lower[variable], s.upper[variable]
        if np.isnan(low) or np.isnan(high):
            return 4
        if low > high or low == np.inf or high == -np.inf:
            status = 1
    return status


@njit(cache=True)
def _is_feasible(s: SimplexState) -> bool:
    """Whether all values, those of the nonbasic ones among them, keep their bounds."""
    for variable in range(s.values.size):
        value = s.values[variable]
        if not (s.lower[variable] - _VERIFIED <= value <= s.upper[variable] + _VERIFIED):
            return False
    return True


@njit(cache=True)
def price_rows(s: SimplexState, weights: np.ndarray, prices: np.ndarray) -> None:
    """Fill what the rows' activities are worth along weights, the basis kept, shape ``(rows,)``."""
    width = s.nonbasic.size
    prices[:] = 0.0
    for k in range(width):
        if s.nonbasic[k] >= width:
            for o in range(weights.size):
                prices[s.nonbasic[k] - width] += weights[o] * s.dictionary[o, k]


@njit(cache=True)
def factor(s: SimplexState) -> None:
    """Make the dictionary of the basis that ``is_basic`` gives, and all values there.

    What makes the basis singular changes places: a structural variable for which no nonbasic row is left becomes nonbasic,
    a row likewise basic.
    """
    width, rows = s.columns.shape
    objectives = s.objectives.shape[0]
    s.dictionary[:objectives] = s.objectives
    s.filled[0] = 0
    for k in range(width):
        s.nonbasic[k] = k
    leaves = np.empty(rows, dtype=np.bool_)
    for i in range(rows):
        # What has no bound can stand at none.
        leaves[i] = not s.is_basic[width + i] and (s.lower[width + i] > -np.inf or s.upper[width + i] < np.inf)
    for j in range(width):
        if not s.is_basic[j]:
            continue
        _fill_rates(s, j)
        best, leaving = _PIVOT, -1
        for i in range(rows):
            if leaves[i] and abs(s.rates[i]) > best:
                best, leaving = abs(s.rates[i]), i
        if leaving >= 0:
            leaves[leaving] = False
            _fill_pivots(s, leaving)
            _exchange(s, -1, width + leaving, j)
    _synchronise(s)


@njit(cache=True)
def _synchronise(s: SimplexState) -> None:
    """Let ``is_basic`` match the dictionary, let nonbasic variables stand at finite bounds, and evaluate."""
    s.is_basic[:] = True
    for k in range(s.nonbasic.size):
        variable = s.nonbasic[k]
        s.is_basic[variable] = False
        if s.lower[variable] == -np.inf:
            s.at_upper[variable] = True
        elif s.upper[variable] == np.inf:
            s.at_upper[variable] = False
    evaluate(s)


@njit(cache=True, inline="always")
def evaluate(s: SimplexState) -> None:
    """Compute the values of all variables from the bounds at which the nonbasic ones stand."""
    width, rows = s.columns.shape
    first = s.objectives.shape[0]
    s.values[:] = 0.0
    for k in range(width):
        variable = s.nonbasic[k]
        bound = s.upper[variable] if s.at_upper[variable] else s.lower[variable]
        s.values[variable] = bound
        if bound != 0.0:
            for b in range(s.filled[0]):
                s.values[s.basic[b]] += s.dictionary[first + b, k] * bound
    s.values[width:] = 0.0
    for j in range(width):
        value = s.values[j]
        if value != 0.0:
            for i in range(rows):
                s.values[width + i] += value * s.columns[j, i]


@njit(cache=True, inline="always")
def _fill_rates(s: SimplexState, k: int) -> None:
    """Fill what every activity changes by the nonbasic variable of a column."""
    rows, first = s.rates.size, s.objectives.shape[0]
    variable = s.nonbasic[k]
    own = 1.0 if variable < s.nonbasic.size else 0.0
    variable = variable if own == 1.0 else 0
    for i in range(rows):
        s.rates[i] = own * s.columns[variable, i]
    for b in range(s.filled[0]):
        j, factor_b = s.basic[b], s.dictionary[first + b, k]
        for i in range(rows):
            s.rates[i] += factor_b * s.columns[j, i]


@njit(cache=True, inline="always")
def _fill_pivots(s: SimplexState, row: int) -> None:
    """Fill the row of the dictionary of a basic activity."""
    width = s.nonbasic.size
    for k in range(width):
        variable = s.nonbasic[k]
        s.pivots[k] = s.columns[variable, row] if variable < width else 0.0
    first = s.objectives.shape[0]
    for b in range(s.filled[0]):
        factor_b = s.columns[s.basic[b], row]
        for k in range(width):
            s.pivots[k] += factor_b * s.dictionary[first + b, k]


@njit(cache=True, inline="always")
def _exchange(s: SimplexState, basic_row: int, leaving: int, column: int) -> None:
    """Let the nonbasic variable of a column become basic, and a basic one, whose row is in ``pivots``, nonbasic.

    ``basic_row`` is the row of a structural variable that leaves, -1 for an activity.
    """
    width = s.nonbasic.size
    first = s.objectives.shape[0]
    entering = s.nonbasic[column]
    inverse = 1.0 / s.pivots[column]
    # z_j = (z_i - sum_k D_ik z_k) / D_ij
    for k in range(width):
        s.pivots[k] *= -inverse
    s.pivots[column] = inverse
    if basic_row >= 0:
        s.filled[0] -= 1
        last = s.filled[0]
        s.basic[basic_row] = s.basic[last]
        for k in range(width):
            s.dictionary[first + basic_row, k] = s.dictionary[first + last, k]
    for i in range(first + s.filled[0]):
        factor_i = s.dictionary[i, column]
        if factor_i == 0.0:
            continue
        s.dictionary[i, column] = 0.0
        for k in range(width):
            s.dictionary[i, k] += factor_i * s.pivots[k]
    if entering < width:
        s.basic[s.filled[0]] = entering
        for k in range(width):
            s.dictionary[first + s.filled[0], k] = s.pivots[k]
        s.filled[0] += 1
    s.nonbasic[column] = leaving


@njit(cache=True)
def _solve(s: SimplexState, weights: np.ndarray) -> tuple[int, int]:
    """Go to the optimum, or with no weights to a feasible point; return the status and how many steps it took."""
    width, rows = s.columns.shape
    first_phase = weights.size == 0
    stalled, max_steps = 0, 50 * (rows + width)
    for step in range(max_steps):
        if first_phase:
            # What rounding leaves may be too little to be pivoted on: it would be carried to and fro for ever.
            if _price_violations(s) == 0 or (step % _REFRESH == _REFRESH - 1 and _is_feasible(s)):
                return 0, step
        else:
            s.costs[:] = 0.0
            for o in range(weights.size):
                for k in range(width):
                    s.costs[k] += weights[o] * s.dictionary[o, k]
        column = _choose_column(s, stalled > _DEGENERATE)
        if column < 0:
            return (1 if first_phase else 0), step
        length = _step(s, column, stalled > _DEGENERATE, first_phase)
        if length == np.inf:
            return 2, step
        stalled = 0 if length > _TIE else stalled + 1
        if step % _REFRESH == _REFRESH - 1:
            evaluate(s)
    return 3, max_steps


@njit(cache=True, inline="always")
def _step(s: SimplexState, column: int, first: bool, first_phase: bool) -> float:
    """Move the nonbasic variable of a column as far as it goes, and exchange it; return how far (infinite: no end)."""
    width, rows = s.columns.shape
    objectives = s.objectives.shape[0]
    entering = s.nonbasic[column]
    direction = -1.0 if s.at_upper[entering] else 1.0
    _fill_rates(s, column)
    basic_row, leaving, length, to_upper = _choose_leaving(s, column, direction, first, first_phase)
    flip = s.upper[entering] - s.lower[entering]
    flips = leaving < 0 or flip <= length
    length = min(flip, length)
    if length == np.inf:
        return length
    s.values[entering] += direction * length
    for b in range(s.filled[0]):
        s.values[s.basic[b]] += direction * length * s.dictionary[objectives + b, column]
    for i in range(rows):
        if s.is_basic[width + i]:
            s.values[width + i] += direction * length * s.rates[i]
    if flips:
        s.at_upper[entering] = not s.at_upper[entering]
        s.values[entering] = s.upper[entering] if s.at_upper[entering] else s.lower[entering]
        return length
    if basic_row >= 0:
        for k in range(width):
            s.pivots[k] = s.dictionary[objectives + basic_row, k]
    else:
        _fill_pivots(s, leaving - width)
    _exchange(s, basic_row, leaving, column)
    s.is_basic[entering], s.is_basic[leaving] = True, False
    s.at_upper[leaving] = to_upper
    s.values[leaving] = s.upper[leaving] if to_upper else s.lower[leaving]
    return length


@njit(cache=True, inline="always")
def _price_violations(s: SimplexState) -> int:
    """Write what less violation in all gains by each nonbasic variable; return how many basic ones violate a bound."""
    width, rows = s.columns.shape
    first = s.objectives.shape[0]
    count = 0
    # What less violation gains by each structural variable: the rows' part first.
    gains = s.pivots
    gains[:] = 0.0
    for i in range(rows):
        sign = _find_return_direction(s.lower[width + i], s.upper[width + i], s.values[width + i])
        if sign != 0.0 and s.is_basic[width + i]:
            count += 1
            for j in range(width):
                gains[j] += sign * s.columns[j, i]
    for b in range(s.filled[0]):
        j = s.basic[b]
        sign = _find_return_direction(s.lower[j], s.upper[j], s.values[j])
        if sign != 0.0:
            count += 1
            gains[j] += sign
    if count == 0:
        return 0
    for k in range(width):
        s.costs[k] = gains[s.nonbasic[k]] if s.nonbasic[k] < width else 0.0
    for b in range(s.filled[0]):
        gain = gains[s.basic[b]]
        if gain != 0.0:
            for k in range(width):
                s.costs[k] += gain * s.dictionary[first + b, k]
    return count


@njit(cache=True, inline="always")
def _find_return_direction(low: float, high: float, value: float) -> float:
    """Return the direction back inside the bounds: 1, -1, or 0 where the value is inside."""
    if value < low - _FEASIBLE:
        return 1.0
    return -1.0 if value > high + _FEASIBLE else 0.0


@njit(cache=True, inline="always")
def _choose_column(s: SimplexState, first: bool) -> int:
    """Choose what enters: the largest gain, or the eligible variable of the lowest number; -1 where nothing gains."""
    best, chosen = _OPTIMAL, -1
    for k in range(s.nonbasic.size):
        variable = s.nonbasic[k]
        gain = -s.costs[k] if s.at_upper[variable] else s.costs[k]
        if gain <= _OPTIMAL or s.lower[variable] == s.upper[variable]:
            continue
        if first:
            if chosen < 0 or variable < s.nonbasic[chosen]:
                chosen = k
        elif gain > best:
            best, chosen = gain, k
    return chosen


@njit(cache=True, inline="always")
def _choose_leaving(
    s: SimplexState, column: int, direction: float, first: bool, first_phase: bool
) -> tuple[int, int, float, bool]:
    """Choose what leaves: the basic variable that meets a bound first, of several the one with the largest pivot.

    In the first phase what violates a bound meets only that one, from outside. In the second one nothing does but by
    rounding, and goes no further.

    Returns:
        Its row where it is structural (-1: an activity), the variable (-1: none), the length of the step, and whether it
        leaves at its upper bound.
    """
    width, rows = s.columns.shape
    objectives, count = s.objectives.shape[0], s.filled[0]
    basic_row, leaving, length, to_upper, largest = -1, -1, np.inf, False, 0.0
    for t in range(count + rows):
        rate = direction * (s.dictionary[objectives + t, column] if t < count else s.rates[t - count])
        size = abs(rate)
        if size < _PIVOT:
            continue
        variable = s.basic[t] if t < count else width + t - count
        gap, upward = _measure_gap(s.lower[variable], s.upper[variable], s.values[variable], rate, first_phase)
        # Most are further away: a division would cost as much as all the rest.
        if gap == np.inf or gap > (length + _TIE) * size or not s.is_basic[variable]:
            continue
        distance = gap / size
        tie = distance >= length - _TIE
        if not tie or (variable < leaving if first else size > largest):
            basic_row, leaving, to_upper, largest = (t if t < count else -1), variable, upward, size
            length = min(distance, length)
    return basic_row, leaving, length, to_upper


@njit(cache=True, inline="always")
def _measure_gap(low: float, high: float, value: float, rate: float, first_phase: bool) -> tuple[float, bool]:
    """Return how far a basic variable is from the bound it goes to, infinite for none, and whether it is the upper one."""
    if not first_phase:
        return (max(0.0, high - value), True) if rate > 0.0 else (max(0.0, value - low), False)
    below, above = value < low - _FEASIBLE, value > high + _FEASIBLE
    if rate > 0.0:
        if above:
            return np.inf, True
        return (low - value, False) if below else (max(0.0, high - value), True)
    if below:
        return np.inf, False
    return (value - high, True) if above else (max(0.0, value - low), False)
