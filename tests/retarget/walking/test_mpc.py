"""QP2: against the paper's own variables, both solvers, and what the stability constraint is for."""

from itertools import islice

import numpy as np
import pytest
from walks import make_gait, record_problems, walk

from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.mpc import MpcParameters, WalkingMpc, compute_tail
from handhold.retarget.walking.pendulum import PendulumState, compute_natural_frequency
from handhold.robots.qp import DaqpSolver, OsqpSolver, QuadraticProgram

OMEGA = compute_natural_frequency(0.88)
CELLS, STEPS = 20, 4
EXACT = 1e-6  # [m] two active-set solutions of the same program in different variables
SPLITTING = 2e-3  # [m] OSQP's, near the edges of its constraints


def rotate(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def solve_as_the_paper_writes_it(state, preview, parameters):
    """Solve QP2 in velocities of the ZMP and positions of footsteps, rows as eqs. 2, 3 and 4 of the paper."""
    size, time = 2 * (CELLS + STEPS), np.concatenate([[0.0], np.cumsum(preview.durations)])

    def at(k):
        return slice(2 * k, 2 * k + 2)

    feet = [(np.zeros((2, size)), preview.placed[i]) for i in range(2)]
    for j in range(STEPS):
        rows = np.zeros((2, size))
        rows[:, at(CELLS + j)] = np.eye(2)
        feet.append((rows, np.zeros(2)))
    H, f = np.zeros((size, size)), np.zeros(size)
    A, lower, upper = [], [], []

    def add_square(weight, rows, constant):
        H[:] += 2.0 * weight * rows.T @ rows
        f[:] += 2.0 * weight * rows.T @ constant

    stability, zmp = np.zeros((2, size)), np.zeros((2, size))
    for k in range(CELLS):
        duration = preview.durations[k]
        zmp[:, at(k)] = duration * np.eye(2)
        (a_rows, a), (b_rows, b) = (feet[i] for i in preview.feet[k])
        blend, turned = preview.blends[k], rotate(preview.angles[k]).T
        gains = preview.swings.gains[k]
        swung = np.tensordot(gains, [foot_rows for foot_rows, _ in feet], axes=1)
        moved = gains @ [place for _, place in feet] + preview.swings.offsets[k]
        rows = turned @ (zmp + swung - (1 - blend) * a_rows - blend * b_rows)
        constant = turned @ (state.zmp + moved - (1 - blend) * a - blend * b)
        A.append(rows)
        lower.append(-preview.half_sizes[k] - constant)
        upper.append(preview.half_sizes[k] - constant)
        add_square(parameters.centring * duration, rows, constant)
        velocity = np.zeros((2, size))
        velocity[:, at(k)] = np.eye(2)
        add_square(duration, velocity, np.zeros(2))
        stability += (np.exp(-OMEGA * time[k]) - np.exp(-OMEGA * time[k + 1])) / OMEGA * velocity
    for j in range(STEPS):
        (a_rows, a), (b_rows, b) = feet[j + 1], feet[j + 2]
        turned = rotate(preview.foot_angles[j + 1]).T
        A.append(turned @ (b_rows - a_rows))
        constant = turned @ (b - a)
        lower.append(preview.lower[j] - constant)
        upper.append(preview.upper[j] - constant)
        add_square(parameters.step, A[-1], constant - preview.desired[j])
    tail = 0.0
    if parameters.tail == "periodic":
        stability /= 1.0 - np.exp(-OMEGA * time[-1])
    elif parameters.tail == "anticipative":
        tail = preview.tail
    desired = state.compute_dcm(OMEGA) - state.zmp - tail
    free = np.full(size, 1e30)
    solution = DaqpSolver().solve(
        QuadraticProgram(
            H=H,
            f=f,
            A=np.vstack([stability, *A]),
            lower=np.concatenate([-free, desired, *lower]),
            upper=np.concatenate([free, desired, *upper]),
            equalities=2,
        )
    )
    velocities = solution.x.reshape(-1, 2)
    return solution.solved, velocities[:CELLS], velocities[CELLS:]


def make_mpc(tail="anticipative", solver=None):
    return WalkingMpc(CELLS, STEPS, OMEGA, solver or DaqpSolver(), MpcParameters(tail=tail))


@pytest.mark.parametrize("tail", ["anticipative", "periodic", "none"])
def test_it_finds_what_the_papers_own_program_gives(walking, tail):
    mpc = make_mpc(tail)
    solved = 0
    for state, preview in islice(record_problems(walking, 1, push=0.1), 0, None, 7):
        ours = mpc.solve(state, preview)
        feasible, velocities, footsteps = solve_as_the_paper_writes_it(state, preview, MpcParameters(tail=tail))
        assert ours.feasible == feasible
        if feasible:
            solved += 1
            assert np.abs(ours.footsteps - footsteps).max() < EXACT
            assert np.abs((ours.zmp_velocities - velocities) * preview.durations[:, None]).max() < EXACT
    assert solved > 10


def test_both_solvers_agree(walking):
    """OSQP gives up on some problems that are all but infeasible, where DAQP is exact; the others it solves alike."""
    ours, other = make_mpc(), make_mpc(solver=OsqpSolver(tolerance=1e-7))
    given_up = compared = 0
    for state, preview in islice(record_problems(walking, 2, push=0.05), 0, None, 10):
        exact, split = ours.solve(state, preview), other.solve(state, preview)
        assert exact.feasible
        if not split.feasible:
            given_up += 1
            continue
        compared += 1
        assert np.abs(exact.footsteps - split.footsteps).max() < SPLITTING
        moved = (exact.zmp_velocities - split.zmp_velocities) * preview.durations[:, None]
        assert np.abs(moved).max() < SPLITTING
    assert compared > 2 * given_up


def test_the_state_reaches_what_the_constraint_promises(walking):
    """After the horizon the DCM is where the ZMP's motion beyond it, the tail, would have it."""
    mpc = make_mpc("none")
    for state, preview in islice(record_problems(walking, 3), 0, None, 9):
        solution, end = mpc.solve(state, preview), state
        for velocity, duration in zip(solution.zmp_velocities, preview.durations, strict=True):
            end = end.advance(velocity, duration, OMEGA)
        # e^(omega T) = 750 times the rounding of the start.
        assert np.abs(end.compute_dcm(OMEGA) - end.zmp).max() < 1e-5


def test_steps_beyond_the_variables_are_left_to_the_tail(walking):
    quick = walking.model_copy(update={"single_support": 0.3, "double_support": 0.1})
    several = [make_mpc(solver=DaqpSolver(max_iterations=cap)) for cap in (200, 1000)]
    crowded = 0
    for state, preview in islice(record_problems(quick, 7, push=0.15), 0, None, 3):
        assert preview.feet.max() <= 1 + STEPS
        crowded += (preview.feet[-1] == 1 + STEPS).all()
        first, second = (mpc.solve(state, preview) for mpc in several)
        assert first.feasible == second.feasible
        assert np.array_equal(first.footsteps, second.footsteps)
    assert crowded > 10


def test_a_state_that_no_step_can_hold_is_moved_to_one_that_can(walking):
    mpc = make_mpc()
    found = 0
    for state, preview in islice(record_problems(walking, 4), 40, None, 9):
        pushed = state.shift_dcm(np.array([0.0, 0.4]), OMEGA)
        first = mpc.solve(pushed, preview)
        if first.feasible:
            continue
        found += 1
        assert first.solved
        # A little further in than the nearest, which the last digit would tip over the edge.
        again = mpc.solve(pushed.shift_dcm(1.001 * first.dcm_shift, OMEGA), preview)
        assert np.abs(again.dcm_shift).max() < 1e-3 * np.abs(first.dcm_shift).max()
        assert np.linalg.norm(first.dcm_shift) <= 0.4
    assert found > 3


def test_the_zmp_stays_in_its_region(walking):
    mpc = make_mpc()
    for state, preview in islice(record_problems(walking, 5, push=0.15), 0, None, 5):
        solution = mpc.solve(state, preview)
        zmp = state.zmp + np.cumsum(solution.zmp_velocities * preview.durations[:, None], axis=0)
        feet = np.vstack([preview.placed, solution.footsteps])
        for k in range(CELLS):
            a, b = feet[preview.feet[k]]
            swung = preview.swings.gains[k] @ feet + preview.swings.offsets[k]
            local = rotate(preview.angles[k]).T @ (zmp[k] + swung - a - preview.blends[k] * (b - a))
            assert np.all(np.abs(local) <= preview.half_sizes[k] + EXACT)


def test_the_pendulum_moves_as_its_equation_says():
    state = PendulumState(com=np.array([0.01, -0.02]), velocity=np.array([0.1, 0.05]), zmp=np.array([0.0, 0.03]))
    speed, fine, end = np.array([0.3, -0.2]), 1e-4, state
    for _ in range(2000):
        middle = end.advance(speed, 0.5 * fine, OMEGA)
        acceleration = middle.compute_acceleration(OMEGA)
        end = PendulumState(
            com=end.com + fine * middle.velocity, velocity=end.velocity + fine * acceleration, zmp=end.zmp + fine * speed
        )
    exact = state.advance(speed, 0.2, OMEGA)
    assert np.abs(exact.com - end.com).max() < 1e-8  # [m] the midpoint rule's
    assert np.abs(exact.velocity - end.velocity).max() < 1e-7  # [m/s]


def test_the_tail_is_the_integral_of_the_zmps_motion():
    random = np.random.default_rng(0)
    displacements, durations = random.normal(size=(5, 2)), random.uniform(0.05, 0.2, size=5)
    times = np.linspace(0.0, durations.sum(), 200_001)[:-1]
    piece = np.minimum(np.searchsorted(np.cumsum(durations), times, side="right"), 4)
    integrand = np.exp(-OMEGA * (2.0 + times))[:, None] * (displacements / durations[:, None])[piece]
    expected = integrand.mean(axis=0) * durations.sum()
    assert np.abs(compute_tail(displacements, durations, 2.0, OMEGA) - expected).max() < 1e-6


def wander(walking, tail, cells, duration):
    """Return how far the centre of mass comes from the middle of the feet on a walk [m]."""
    gait = make_gait(walking, mpc=MpcParameters(tail=tail), cells=cells)
    farthest = 0.0
    for sample in walk(gait, lambda t: WalkingVelocity(forward=0.3 if t > 0.2 else 0.0), duration):
        middle = sample.foot_poses[:, :2, 3].mean(axis=0)
        farthest = max(farthest, float(np.linalg.norm(sample.pendulum.com - middle)))
        if farthest > 10.0:
            break
    return farthest, gait


@pytest.mark.parametrize("tail", ["anticipative", "periodic"])
def test_with_the_stability_constraint_the_centre_of_mass_stays_for_a_minute(walking, tail):
    farthest, gait = wander(walking, tail, CELLS, 60.0)
    assert farthest < 0.25  # [m] half a step and half the feet's distance
    assert gait.failures == gait.infeasible == 0


def test_without_it_the_centre_of_mass_runs_away(walking):
    farthest, _ = wander(walking, "free", CELLS, 10.0)
    assert farthest > 1.0
