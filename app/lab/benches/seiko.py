"""``bench seiko``: ticks of SEIKO through a far reach that saturates its constraints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handhold.app.lab.benches.stances import brace, make_seiko
from handhold.app.lab.benches.timing import KERNEL_FILE, KernelClock, Stopwatch, measure_ticks, save_kernel
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.tasks.self_collision import SelfCollisionLimit

REACH = 1.05
"""How far ahead the hand is commanded; about twice what the robot can give [m]."""

SPEED = 0.4
TICKS = 5000
KERNEL_EVERY = 10

BRACED = "talos"
"""The robot whose braced stance is timed: the way of its hand to the wall is made for it."""


def command_far_reach(model: RobotModel, seiko: Seiko, side: str = "left") -> Iterator[SeikoTargets]:
    """Yield the targets of a far reach with a hand, one a period: out, wait, back."""
    hand = model.effector_of_hand(side)
    start = seiko.kinematics.poses.copy()
    for tick in range(TICKS):
        out = min(SPEED * PERIOD * tick, REACH)
        back = min(max(SPEED * PERIOD * (tick - 0.7 * TICKS), 0.0), REACH)
        poses = start.copy()
        poses[hand, 0, 3] += out - back
        yield SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachTimes:
    """What the ticks of a far reach took.

    Attributes:
        stages: Times of build, solve and integrate [ns], one a tick.
        kernel: The calibration kernel of the same ticks [us].
        parts: Times of parts of the build, now and then [ns].
        saturated: Part of the ticks in which a constraint held the reach back [-].
    """

    stages: dict[str, list[int]]
    kernel: float
    parts: dict[str, list[int]]
    saturated: float


def time_reach(model: RobotModel, seiko: Seiko, commands: Iterator[SeikoTargets]) -> ReachTimes:
    """Time building, solving and integrating, tick by tick."""
    solver, stopwatch, kernel, parts = DaqpSolver(), Stopwatch(), KernelClock(), Stopwatch()
    collision, saturated = _lay_self_collision(model, seiko), 0
    for tick, targets in enumerate(commands):
        stopwatch.start()
        program = seiko.build(targets, PERIOD)
        stopwatch.mark("build")
        solution = solver.solve(program)
        stopwatch.mark("solve")
        step = seiko.apply(solution, PERIOD)
        stopwatch.mark("integrate")
        saturated += bool(step.active)
        if tick % KERNEL_EVERY == 0:
            kernel.tick()
            _time_self_collision(collision, parts)
    ticks = len(stopwatch.stages["build"])
    return ReachTimes(stages=stopwatch.stages, kernel=kernel.microseconds, parts=parts.stages, saturated=saturated / ticks)


def run_seiko_bench(robot: str) -> Outcome:
    """Time ticks of a far reach on a robot by name or file; of Talos also with the other hand braced on a wall.

    Raises:
        RobotError: The robot cannot be had.
    """
    model = load_model(robot)
    warm = make_seiko(model)
    for _, targets in zip(range(50), command_far_reach(model, warm), strict=False):
        warm.step(targets, PERIOD)
    seiko = make_seiko(model)
    standing = time_reach(model, seiko, command_far_reach(model, seiko))
    return Outcome(
        name="seiko",
        robot=model.description.name,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=TICKS * PERIOD,
        fell=None,
        figures=[
            *(_measure_braced(model) if model.description.name == BRACED else ()),
            *measure_ticks(standing.stages, standing.kernel, must=(400.0, 2.3), aim=(200.0, 1.2)),
            *(Figure(name, float(np.median(times)) / 1e3, "us") for name, times in standing.parts.items()),
        ],
        extra={"saturated_ticks": standing.saturated},
    )


def _measure_braced(model: RobotModel) -> list[Figure]:
    """Measure the ticks of a reach past a wall that the other hand braces on, and each stage's, in kernels."""
    seiko = brace(model)
    braced = time_reach(model, seiko, command_far_reach(model, seiko, "right"))
    ticks = np.sum([braced.stages[stage] for stage in braced.stages], axis=0) / 1e3
    stages = [
        Figure(f"braced_{stage}_kernels", float(np.median(times)) / 1e3 / braced.kernel, "-")
        for stage, times in braced.stages.items()
    ]
    return [Figure("braced_tick_kernels", float(np.median(ticks)) / braced.kernel, "-", must=3.0, aim=2.0), *stages]


def _lay_self_collision(model: RobotModel, seiko: Seiko) -> SelfCollisionLimit:
    """Return the limit that keeps the robot's bodies apart, with arrays of its own."""
    limit = SelfCollisionLimit(model, seiko.kinematics)
    rows = limit.row_count
    limit.lay(np.zeros((rows, seiko.program.weights.size)), np.zeros(rows), np.zeros(rows))
    limit.barrier, limit.duration = PERIOD * seiko.parameters.barrier, PERIOD
    return limit


def _time_self_collision(limit: SelfCollisionLimit, parts: Stopwatch) -> None:
    """Time once more what the build spends on self-collision: distances and rows."""
    parts.start()
    limit.fill()
    parts.mark("self_collision")


def record_kernel(folder: Path) -> None:
    """Write the calibration problem anew: the tick of a far reach with the most iterations, in the textbook form."""
    model = load_model("talos")
    seiko = make_seiko(model)
    max_iterations, worst = -1, None
    for targets in command_far_reach(model, seiko):
        seiko.build(targets, PERIOD)
        program = seiko.program.assemble()
        solution = DaqpSolver().solve(program)
        if solution.solved and solution.iterations > max_iterations:
            max_iterations, worst = solution.iterations, program
        seiko.step(targets, PERIOD)
    assert worst is not None, "no tick of the far reach was solved"
    save_kernel(worst, folder / KERNEL_FILE)
