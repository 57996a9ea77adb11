"""The simplex method against HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, linprog

from handhold.retarget.stability.simplex import UNBOUNDED, BoundedSimplex, Status

TOLERANCE = 1e-7  # of optima of the order of 1, HiGHS's own
Problem = tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def make_problem(rng: np.random.Generator, rows: int, columns: int) -> Problem:
    """Return a sparse problem with equations, rows bounded on both sides and on one, and variables with and without ends."""
    matrix = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.7)
    middle = matrix @ rng.uniform(0.0, 1.0, columns) * (rng.random() < 0.8)  # most have a feasible point
    lower, upper = middle - rng.uniform(0.0, 2.0, rows), middle + rng.uniform(0.0, 2.0, rows)
    equal = rng.random(rows) < 0.3
    lower[equal] = upper[equal] = middle[equal]
    upper[~equal & (rng.random(rows) < 0.3)] = UNBOUNDED
    most = np.where(rng.random(columns) < 0.5, UNBOUNDED, rng.uniform(0.5, 3.0, columns))
    return matrix, rng.normal(size=(2, columns)), (lower, upper), (np.zeros(columns), most)


def ask_highs(problem: Problem, weights: np.ndarray) -> OptimizeResult:
    matrix, objectives, (lower, upper), (least, most) = problem
    ends = np.isfinite(upper)
    bounds = [(low, None if np.isinf(high) else high) for low, high in zip(least, most, strict=True)]
    # HiGHS's presolve does not tell infeasible from unbounded.
    return linprog(
        -(weights @ objectives),
        A_ub=np.vstack([matrix[ends], -matrix]),
        b_ub=np.concatenate([upper[ends], -lower]),
        bounds=bounds,
        method="highs",
        options={"presolve": False},
    )


STATUS = {0: Status.OPTIMAL, 2: Status.INFEASIBLE, 3: Status.UNBOUNDED}


def test_optima_are_those_of_highs_and_the_others_answer_as_such() -> None:
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        rows, columns = rng.integers(1, 12), rng.integers(1, 16)
        problem = make_problem(rng, rows, columns)
        simplex = BoundedSimplex(rows, columns, 2)
        for weights in rng.normal(size=(3, 2)):
            status = simplex.load(*problem)
            status = simplex.maximise(weights) if status is Status.OPTIMAL else status
            expected = ask_highs(problem, weights)
            assert status is STATUS[expected.status]
            seen.add(status)
            if status is Status.OPTIMAL:
                assert weights @ problem[1] @ simplex.solution == pytest.approx(-expected.fun, abs=TOLERANCE)
                assert problem[0] @ simplex.solution == pytest.approx(simplex.activities, abs=TOLERANCE)
    assert seen == set(STATUS.values())


def test_a_changed_problem_begins_at_the_last_basis() -> None:
    rng = np.random.default_rng(1)
    matrix, objectives, rows, (least, _) = make_problem(rng, 8, 14)
    variables = least, np.full(14, 2.0)
    warm = BoundedSimplex(8, 14, 2)
    angles = np.linspace(0.0, 2.0 * np.pi, 18, endpoint=False)
    saved = 0
    for _ in range(20):
        matrix = matrix + 1e-3 * rng.normal(size=matrix.shape)
        assert warm.load(matrix, objectives, rows, variables) is Status.OPTIMAL
        for direction in np.stack([np.cos(angles), np.sin(angles)], axis=1):
            fresh = BoundedSimplex(8, 14, 2)
            fresh.load(matrix, objectives, rows, variables)
            fresh.maximise(direction)
            before = warm.steps
            assert warm.maximise(direction) is Status.OPTIMAL
            saved += fresh.steps - (warm.steps - before)
            assert direction @ objectives @ warm.solution == pytest.approx(direction @ objectives @ fresh.solution, abs=1e-9)
    assert saved > 0


def test_a_basis_that_has_become_singular_is_mended() -> None:
    rng = np.random.default_rng(3)
    matrix, objectives, rows, (least, _) = make_problem(rng, 6, 10)
    variables, weights = (least, np.full(10, 2.0)), np.array([0.3, -1.0])
    warm, fresh = BoundedSimplex(6, 10, 2), BoundedSimplex(6, 10, 2)
    warm.load(matrix, objectives, rows, variables)
    warm.maximise(weights)
    basic = np.flatnonzero(warm.state.is_basic[:10])
    assert basic.size > 1
    matrix[:, basic[0]] = matrix[:, basic[1]]
    expected = fresh.load(matrix, objectives, rows, variables)
    assert warm.load(matrix, objectives, rows, variables) is expected
    if expected is Status.OPTIMAL:
        warm.maximise(weights)
        fresh.maximise(weights)
        assert weights @ objectives @ warm.solution == pytest.approx(weights @ objectives @ fresh.solution, abs=1e-9)


def test_a_degenerate_problem_does_not_cycle() -> None:
    # Beale's example, on which the largest gain alone goes round in circles.
    matrix = np.array([[0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], [0.0, 0.0, 1.0, 0.0]])
    objectives = np.array([[0.75, -150.0, 0.02, -6.0]])
    rows = np.full(3, -UNBOUNDED), np.array([0.0, 0.0, 1.0])
    simplex = BoundedSimplex(3, 4, 1)
    assert simplex.load(matrix, objectives, rows, (np.zeros(4), np.full(4, UNBOUNDED))) is Status.OPTIMAL
    assert simplex.maximise(np.ones(1)) is Status.OPTIMAL
    assert objectives[0] @ simplex.solution == pytest.approx(0.05)


def test_row_prices_tell_what_a_bound_is_worth() -> None:
    rng = np.random.default_rng(2)
    matrix, objectives, (lower, upper), (least, _) = make_problem(rng, 6, 10)
    variables = least, np.full(10, 2.0)
    simplex, weights, step = BoundedSimplex(6, 10, 2), np.array([1.0, 0.5]), 1e-6
    simplex.load(matrix, objectives, (lower, upper), variables)
    simplex.maximise(weights)
    prices, best = simplex.price_rows(weights), weights @ objectives @ simplex.solution
    held = np.flatnonzero(prices)
    assert held.size
    for row in held:
        moved = np.zeros(6)
        moved[row] = step
        simplex.load(matrix, objectives, (lower + moved, upper + moved), variables)
        simplex.maximise(weights)
        gain = weights @ objectives @ simplex.solution - best
        assert gain / step == pytest.approx(prices[row], rel=1e-5)


def load_simple(lower: float, upper: float, most: float = UNBOUNDED) -> tuple[BoundedSimplex, Status]:
    """Load x + y between two bounds, x and y up to another."""
    simplex = BoundedSimplex(1, 2, 1)
    rows = np.array([lower]), np.array([upper])
    return simplex, simplex.load(np.ones((1, 2)), np.ones((1, 2)), rows, (np.zeros(2), np.full(2, most)))


def test_bounds_that_cross_have_no_feasible_point() -> None:
    assert load_simple(1.0, 1.0 - 1e-12)[1] is Status.INFEASIBLE
    assert load_simple(0.0, 1.0, most=-1.0)[1] is Status.INFEASIBLE
    assert load_simple(np.inf, np.inf)[1] is Status.INFEASIBLE
    assert load_simple(1.0, 1.0)[1] is Status.OPTIMAL


@pytest.mark.parametrize("where", ["matrix", "objectives", "lower", "upper", "variables", "weights"])
def test_what_is_no_number_is_said_to_be_none(where: str) -> None:
    values = dict.fromkeys(("matrix", "objectives", "lower", "upper", "variables", "weights"), 1.0) | {where: np.nan}
    simplex = BoundedSimplex(1, 1, 1)
    status = simplex.load(
        np.full((1, 1), values["matrix"]),
        np.full((1, 1), values["objectives"]),
        (np.full(1, values["lower"]), np.full(1, values["upper"])),
        (np.zeros(1), np.full(1, values["variables"])),
    )
    if where == "weights":
        assert status is Status.OPTIMAL
        status = simplex.maximise(np.array([np.nan]))
    assert status is Status.NOT_A_NUMBER


def test_a_value_that_rounding_put_past_its_bound_goes_no_further() -> None:
    """In the second phase only rounding violates a bound; here something does by far more, and the end is checked."""
    simplex, _ = load_simple(0.0, 1.0)
    simplex.state.values[2 if simplex.state.nonbasic.size == 2 else simplex.state.nonbasic.size] = 1.0 + 1e-6
    assert simplex.maximise(np.ones(1)) is Status.OPTIMAL
    assert simplex.solution.sum() == pytest.approx(1.0, abs=1e-9)
