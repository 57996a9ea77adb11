"""Both solvers on the same programs."""

from pathlib import Path

import numpy as np
import pytest

from handhold.app.lab.benches.timing import load_kernel
from handhold.robots.errors import RobotError
from handhold.robots.qp import INFINITY, DaqpSolver, OsqpSolver, QuadraticProgram, make_solver

EXACT = 1e-9  # DAQP is an active-set solver: residuals at rounding error
IN_CIRCLES = Path(__file__).with_name("qp_in_circles.npz")  # a step of SEIKO whose active sets come round again at 1e-9
SPLITTING = 1e-3  # OSQP stops at its tolerance, relative to a problem of this conditioning


def random_program(seed: int, *, soft: int = 0) -> QuadraticProgram:
    random = np.random.default_rng(seed)
    n, equalities, rows = 8, 2, 7
    L = random.normal(size=(n, n))
    A = random.normal(size=(rows, n))
    inside = random.normal(size=n) * 0.1
    lower = np.concatenate([np.full(n, -1.0), A @ inside - 0.2])
    upper = np.concatenate([np.full(n, 1.0), A @ inside + 0.2])
    lower[n : n + equalities] = upper[n : n + equalities] = A[:equalities] @ inside
    return QuadraticProgram(
        H=L @ L.T + np.eye(n), f=random.normal(size=n) * 10, A=A, lower=lower, upper=upper, equalities=equalities, soft=soft
    )


@pytest.mark.parametrize("seed", range(10))
def test_daqp_satisfies_the_optimality_conditions(seed):
    program = random_program(seed)
    solution = DaqpSolver().solve(program)
    values = np.concatenate([solution.x, program.A @ solution.x])
    rows = np.vstack([np.eye(program.f.size), program.A])
    assert solution.solved
    assert np.all(values <= program.upper + EXACT)
    assert np.all(values >= program.lower - EXACT)
    gradient = program.H @ solution.x + program.f + rows.T @ solution.multipliers
    assert np.abs(gradient).max() < EXACT * 100
    slack = np.minimum(program.upper - values, values - program.lower)
    assert np.abs(solution.multipliers * slack).max() < EXACT * 100


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("soft", [0, 2])
def test_the_two_solvers_agree(seed, soft):
    program = random_program(seed, soft=soft)
    exact, splitting = DaqpSolver().solve(program), OsqpSolver().solve(program)
    assert exact.solved
    assert splitting.solved
    assert np.abs(exact.x - splitting.x).max() < SPLITTING


@pytest.mark.parametrize("part", ["H", "f", "A"])
def test_a_program_with_a_nan_in_it_is_answered_as_not_solved(part):
    program = random_program(0)
    getattr(program, part).flat[0] = np.nan
    assert not DaqpSolver().solve(program).solved


@pytest.mark.parametrize("solver", [DaqpSolver(), OsqpSolver()])
def test_an_infeasible_program_is_answered_as_not_solved(solver):
    program = QuadraticProgram(
        H=np.eye(2),
        f=np.zeros(2),
        A=np.array([[1.0, 1.0]]),
        lower=np.array([-1.0, -1.0, 5.0]),
        upper=np.array([1.0, 1.0, INFINITY]),
        equalities=0,
    )
    assert not solver.solve(program).solved


def test_a_soft_row_gives_way_where_a_hard_one_cannot():
    program = QuadraticProgram(
        H=np.eye(1),
        f=np.zeros(1),
        A=np.array([[1.0]]),
        lower=np.array([-1.0, 5.0]),
        upper=np.array([1.0, INFINITY]),
        equalities=0,
        soft=1,
    )
    solution = DaqpSolver().solve(program)
    assert solution.solved
    assert solution.x[0] == pytest.approx(1.0, abs=EXACT)


def test_solving_leaves_the_program_as_it_was():
    program = load_kernel()
    before = [array.copy() for array in (program.H, program.f, program.A, program.lower, program.upper)]
    DaqpSolver().solve(program)
    after = (program.H, program.f, program.A, program.lower, program.upper)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_an_unknown_solver_is_named_with_those_known():
    with pytest.raises(RobotError, match="daqp"):
        make_solver("magic")


def test_a_program_in_which_daqp_goes_in_circles_is_solved():
    with np.load(IN_CIRCLES) as kept:
        arrays = {name: kept[name] for name in ("H", "f", "A", "lower", "upper")}
        program = QuadraticProgram(**arrays, equalities=int(kept["eq"]), soft=int(kept["soft"]))
    solution = DaqpSolver().solve(program)
    loose = DaqpSolver(tolerance=1e-6).solve(program)
    assert solution.solved
    assert np.abs(solution.x - loose.x).max() < 1e-5  # ten tolerances of the looser one
