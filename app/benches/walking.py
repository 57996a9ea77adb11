"""``bench walking``: solutions of QP2 on walks that are pushed, to the edge of what footsteps can hold and over it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.app.benches.timing import KernelClock, Stopwatch, measure_ticks
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.retarget.walking.entry import find_walking_feet
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.gait_sample import Felt
from handhold.retarget.walking.mode import MPC_ITERATIONS
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver

Problem = tuple[PendulumState, Preview]

QUICK_STEP = {"single_support": 0.4, "double_support": 0.1}
"""Durations with which four steps are within the horizon of 2 s [s]."""

WALKS, DURATION, DT = 6, 6.0, 2e-3
PUSH_EVERY, PUSH = 0.8, 0.15
"""Time between two random pushes [s], and their size [m/s]."""

EDGE = 0.999
"""Part of the largest push that can be held with which a near-infeasible problem is made [-]."""

BEYOND = 0.02
"""How far beyond the edge an infeasible one is [m]."""

CAPS = (30, 50, MPC_ITERATIONS, 150)
"""Caps of the iterations whose effect is measured."""

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
    omega = make_gait(model).omega
    mpc = _make_mpc(omega, MPC_ITERATIONS)
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
        },
    )


def make_gait(model: RobotModel) -> Gait:
    """Make the gait of a robot that stands in its nominal posture, with quick steps."""
    walking, feet = find_walking_feet(model)
    walking = walking.model_copy(update=QUICK_STEP)
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    poses = kinematics.poses[list(feet)]
    sole = np.array(model.effectors[feet[0]].half_lengths)
    com = np.array([*poses[:, :2, 3].mean(axis=0), kinematics.position_com_in_world[2]])
    return Gait(walking, sole, poses, com, DaqpSolver(max_iterations=MPC_ITERATIONS))


def record_walk(model: RobotModel, random: np.random.Generator, stopwatch: Stopwatch) -> Iterator[Problem]:
    """Yield what QP2 is solved for on a walk at a random velocity with random pushes, feet and ground as planned.

    Args:
        model: Robot that walks.
        random: What velocity and pushes are drawn from.
        stopwatch: Gets the stage ``decide``: the gait's steps in which it plans, all counts of footsteps and timings tried.
    """
    gait, last = make_gait(model), None
    walking, _ = find_walking_feet(model)
    velocity = WalkingVelocity(
        forward=random.uniform(-walking.backward_speed, walking.speed),
        sideways=random.uniform(-walking.sideways_speed, walking.sideways_speed),
        turning=random.uniform(-walking.turning_speed, walking.turning_speed),
    )
    shares = np.full(2, 0.5)
    for k in range(round(DURATION / DT)):
        if (k + 1) % round(PUSH_EVERY / DT) == 0:
            gait.push(gait.pendulum.com, gait.pendulum.velocity + PUSH * random.normal(size=2))
        # A foot that has come down presses a little before it is given its share.
        forces = np.where(gait.feet[:, 2, 3] <= 1e-4, 0.02 + shares, 0.0)
        felt = Felt(poses=gait.feet.copy(), forces=forces)
        stopwatch.start()
        shares = gait.step(velocity, felt, DT).shares
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
    capped, exact = _make_mpc(omega, cap), _make_mpc(omega, 1000)
    pairs = [(capped.solve(*problem), exact.solve(*problem)) for problem in problems]
    solvable = [(one, other) for one, other in pairs if other.feasible]
    moved = [float(np.abs(one.footsteps[0] - other.footsteps[0]).max()) for one, other in solvable if one.solved]
    return {
        "recovered": float(np.mean([not one.feasible for one, _ in solvable])),
        "unsolved": float(np.mean([not one.solved for one, _ in solvable])),
        "footstep_moved_m": max(moved, default=0.0),
    }


def _make_mpc(omega: float, cap: int) -> WalkingMpc:
    p = GaitParameters()
    return WalkingMpc(p.cells, p.steps, omega, DaqpSolver(max_iterations=cap), p.mpc)


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
