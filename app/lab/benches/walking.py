"""``bench walking``: solutions of QP2 on walks that are pushed, to the edge of what footsteps can hold and over it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.app.lab.benches.planned_walk import DT, PlannedWalk, make_gait
from handhold.app.lab.benches.timing import KernelClock, Stopwatch, measure_ticks
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.perception.surface import Surface
from handhold.retarget.walking.entry import find_walking_feet
from handhold.retarget.walking.footsteps import ZERO_VELOCITY, WalkingVelocity
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.mode import MPC_ITERATIONS
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState
from handhold.robots.description import Walking
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver, OsqpSolver, QpSolver

Problem = tuple[PendulumState, Preview]

QUICK_STEP = {"single_support": 0.4, "double_support": 0.1}
"""Durations with which four steps are within the horizon of 2 s [s]."""

WALKS, DURATION = 6, 6.0
PUSH_EVERY, PUSH = 0.8, 0.15
"""Time between two random pushes [s], and their size [m/s]."""

CHANGE_EVERY, RELEASE_RATIO = 1.0, 0.3
"""Mean time between two changes of the operator's mind [s], and how many of them release the sticks [-]."""

PLANK, GAP, BELOW, GROUND = 0.5, 0.06, 0.05, 10.0
"""Width of a plank and its gap, width of the gap, how far down the ground is seen there, half length of it all [m]."""

EDGE = 0.999
"""Part of the largest push that can be held with which a near-infeasible problem is made [-]."""

BEYOND = 0.02
"""How far beyond the edge an infeasible one is [m]."""

CAPS = (30, 50, MPC_ITERATIONS, 150)
"""Caps of the iterations whose effect is measured."""

COMPARE_EVERY = 3
"""Every which problem OSQP is given as well."""

KERNEL_EVERY = 10


def run_walking_bench(robot: str) -> Outcome:
    """Time building and solving, and measure what the cap of the iterations costs, on a robot by name or file.

    Raises:
        RobotError: The robot cannot be had.
        CannotWalk: It does not walk.
    """
    model = load_model(robot)
    random = np.random.default_rng(0)
    decisions = Stopwatch()
    walked = [problem for _ in range(WALKS) for problem in record_walk(model, random, decisions)]
    omega = make_gait(model, DaqpSolver()).omega
    mpc = _make_mpc(omega, DaqpSolver(max_iterations=MPC_ITERATIONS))
    edges = [edge for problem in walked[::4] if (edge := find_edge(mpc, problem, omega, random)) is not None]
    near, beyond = [problem for problem, _ in edges], [problem for _, problem in edges]
    times, kernel = _time(mpc, walked + near)
    recovery, _ = _time(mpc, beyond)
    tick = np.sum([np.array(stage) for stage in times.values()], axis=0) / 1e3
    median, p99 = float(np.median(tick)), float(np.percentile(tick, 99))
    decided = np.array(decisions.stages["decide"]) / 1e3
    return Outcome(
        name="walking",
        robot=model.description.name,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=WALKS * DURATION,
        fell=None,
        figures=[
            *measure_ticks(times, kernel, must=(3000.0, 17.0), aim=(200.0, 1.2), name="mpc"),
            Figure("mpc_spread", p99 / median, "-", must=3.0),
            Figure("recovery_median", float(np.median(recovery["solve"])) / 1e3, "us"),
            Figure("recovery_p99", float(np.percentile(recovery["solve"], 99)) / 1e3, "us"),
            Figure("decision_median", float(np.median(decided)), "us"),
            Figure("decision_p99", float(np.percentile(decided, 99)), "us"),
            Figure("unsolved", float(_count_unsolved(mpc, walked + near + beyond)), "-", must=0.0),
        ],
        extra={
            "variables": mpc.size,
            "problems": {"walked": len(walked), "near_infeasible": len(near), "infeasible": len(beyond)},
            "caps": {str(cap): measure_cap(omega, cap, walked + near) for cap in CAPS},
            "osqp": compare_osqp(omega, (walked + near)[::COMPARE_EVERY]),
        },
    )


def make_planks() -> tuple[Surface, ...]:
    """Return ground of planks with gaps between them, so that a footstep over an edge has to be put beside it."""
    pose = np.eye(4)
    pose[2, 3] = -BELOW
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    surfaces = [Surface(pose=pose, boundary=GROUND * corners, area=4.0 * GROUND**2, quality=1.0, age=0.0)]
    half_lengths = np.array([0.5 * (PLANK - GAP), GROUND])
    for x in np.arange(-GROUND, GROUND, PLANK):
        pose = np.eye(4)
        pose[0, 3] = x
        area = 4.0 * float(half_lengths.prod())
        surfaces.append(Surface(pose=pose, boundary=half_lengths * corners, area=area, quality=1.0, age=0.0))
    return tuple(surfaces)


def draw_commands(walking: Walking, random: np.random.Generator) -> Iterator[WalkingVelocity]:
    """Yield what an operator asks for at every step of the gait: one velocity after another, and nothing now and then."""
    while True:
        velocity = WalkingVelocity(
            forward=random.uniform(-walking.backward_speed, walking.speed),
            sideways=random.uniform(-walking.sideways_speed, walking.sideways_speed),
            turning=random.uniform(-walking.turning_speed, walking.turning_speed),
        )
        desired = ZERO_VELOCITY if random.random() < RELEASE_RATIO else velocity
        for _ in range(1 + round(random.exponential(CHANGE_EVERY) / DT)):
            yield desired


def record_walk(model: RobotModel, random: np.random.Generator, stopwatch: Stopwatch) -> Iterator[Problem]:
    """Yield what QP2 is solved for on a walk with random commands and pushes, over planks, feet and ground as planned.

    Args:
        model: Robot that walks.
        random: What commands and pushes are drawn from.
        stopwatch: Gets the stage ``decide``: the gait's steps in which it plans, all counts of footsteps, timings and places
            that are tried.
    """
    described, feet = find_walking_feet(model)
    walking = described.model_copy(update=QUICK_STEP)
    sole = np.array(model.effectors[feet[0]].half_lengths)
    gait = make_gait(model, DaqpSolver(max_iterations=MPC_ITERATIONS), walking=walking)
    planned, last = PlannedWalk(gait, GroundMap(make_planks(), sole)), None
    for k, velocity in zip(range(round(DURATION / DT)), draw_commands(walking, random), strict=False):
        if (k + 1) % round(PUSH_EVERY / DT) == 0:
            gait.push(gait.pendulum.com, gait.pendulum.velocity + PUSH * random.normal(size=2))
        stopwatch.start()
        planned.step(velocity)
        if gait.problem is not None and gait.problem is not last:
            stopwatch.mark("decide")
            last = gait.problem
            yield last


def find_edge(mpc: WalkingMpc, problem: Problem, omega: float, random: np.random.Generator) -> tuple[Problem, Problem] | None:
    """Push a state in a random direction until nothing can hold it; return the problems just before and a little beyond."""
    state, preview = problem
    if not mpc.solve(state, preview).feasible:
        return None
    angle = random.uniform(0.0, 2.0 * np.pi)
    direction = np.array([np.cos(angle), np.sin(angle)])
    held, lost = 0.0, 1.0
    for _ in range(12):
        middle = 0.5 * (held + lost)
        if mpc.solve(state.shift_dcm(middle * direction, omega), preview).feasible:
            held = middle
        else:
            lost = middle
    near, beyond = EDGE * held * direction, (held + BEYOND) * direction
    return (state.shift_dcm(near, omega), preview), (state.shift_dcm(beyond, omega), preview)


def measure_cap(omega: float, cap: int, problems: list[Problem]) -> dict[str, float]:
    """Measure what capping the iterations does to problems that have a solution.

    Returns:
        Share of them that the cap sends to recovery, share that it leaves without any solution [-], and how far the next
        footstep moves at most where there is one [m].
    """
    capped, exact = _make_mpc(omega, DaqpSolver(max_iterations=cap)), _make_mpc(omega, DaqpSolver())
    pairs = [(capped.solve(*problem), exact.solve(*problem)) for problem in problems]
    solvable = [(one, other) for one, other in pairs if other.feasible]
    moved = [float(np.abs(one.footsteps[0] - other.footsteps[0]).max()) for one, other in solvable if one.solved]
    return {
        "recovered": float(np.mean([not one.feasible for one, _ in solvable])),
        "unsolved": float(np.mean([not one.solved for one, _ in solvable])),
        "footstep_moved_m": max(moved, default=0.0),
    }


def compare_osqp(omega: float, problems: list[Problem]) -> dict[str, float]:
    """Solve problems with OSQP as well.

    Returns:
        Median and 99th percentile of its times [us], the share of what has a solution that it gives up [-], and how far its
        next footstep is from DAQP's at most where it does not [m].
    """
    exact, other = _make_mpc(omega, DaqpSolver()), _make_mpc(omega, OsqpSolver())
    times, _ = _time(other, problems)
    pairs = [(exact.solve(*problem), other.solve(*problem)) for problem in problems]
    solvable = [(one, two) for one, two in pairs if one.feasible]
    apart = [float(np.abs(one.footsteps[0] - two.footsteps[0]).max()) for one, two in solvable if two.feasible]
    return {
        "problems": float(len(problems)),
        "median_us": float(np.median(times["solve"])) / 1e3,
        "p99_us": float(np.percentile(times["solve"], 99)) / 1e3,
        "given_up": float(np.mean([not two.feasible for _, two in solvable])),
        "footstep_apart_m": max(apart, default=0.0),
    }


def _make_mpc(omega: float, solver: QpSolver) -> WalkingMpc:
    p = GaitParameters()
    return WalkingMpc(p.cells, p.steps, omega, solver, p.mpc)


def _time(mpc: WalkingMpc, problems: list[Problem]) -> tuple[dict[str, list[int]], float]:
    """Return the times of every solution [ns] and the kernel [us]."""
    stopwatch, kernel = Stopwatch(), KernelClock()
    for problem in problems[:20]:
        mpc.solve(*problem)
    for k, problem in enumerate(problems):
        stopwatch.start()
        mpc.solve(*problem)
        stopwatch.mark("solve")
        if k % KERNEL_EVERY == 0:
            kernel.tick()
    return stopwatch.stages, kernel.microseconds


def _count_unsolved(mpc: WalkingMpc, problems: list[Problem]) -> int:
    solutions: list[MpcSolution] = [mpc.solve(*problem) for problem in problems]
    return sum(not solution.solved for solution in solutions)
