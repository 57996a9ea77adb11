"""``bench seiko``: ticks of SEIKO through a far reach that saturates its constraints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from handhold.app.benches.timing import KERNEL_FILE, KernelClock, Stopwatch, measure_ticks, save_kernel
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.standing import find_standing_posture
from handhold.retarget.bracing.mode import PERIOD
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver

REACH = 1.05
"""How far ahead the hand is commanded; about twice what the robot can give [m]."""

SPEED = 0.4
TICKS = 5000
KERNEL_EVERY = 10


def make_seiko(model: RobotModel) -> Seiko:
    """Make SEIKO standing on all feet at the robot's standing posture."""
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    stance = Stance.of_reference(model, standing)
    seiko = Seiko(model, stance, find_standing_posture(model), DaqpSolver())
    seiko.settle()
    return seiko


def command_far_reach(model: RobotModel, seiko: Seiko) -> Iterator[SeikoTargets]:
    """Yield the targets of a far reach with the left hand, one a period: out, wait, back."""
    hand = model.effector_of_hand("left")
    start = seiko.kinematics.poses.copy()
    for tick in range(TICKS):
        out = min(SPEED * PERIOD * tick, REACH)
        back = min(max(SPEED * PERIOD * (tick - 0.7 * TICKS), 0.0), REACH)
        poses = start.copy()
        poses[hand, 0, 3] += out - back
        yield SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan))


def run_seiko_bench(robot: str) -> Outcome:
    """Time building, solving and integrating, tick by tick, on a robot by name or file.

    Raises:
        RobotError: The robot cannot be had.
    """
    model = load_model(robot)
    solver = DaqpSolver()
    warm = make_seiko(model)
    for _, targets in zip(range(50), command_far_reach(model, warm), strict=False):
        warm.step(targets, PERIOD)
    seiko, stopwatch, kernel = make_seiko(model), Stopwatch(), KernelClock()
    saturated, parts = 0, Stopwatch()
    for tick, targets in enumerate(command_far_reach(model, seiko)):
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
            _time_self_collision(seiko, parts)
    return Outcome(
        name="seiko",
        robot=model.description.name,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=TICKS * PERIOD,
        fell=None,
        figures=[
            *measure_ticks(stopwatch.stages, kernel.microseconds, must=(400.0, 2.3), aim=(200.0, 1.2)),
            *(Figure(name, float(np.median(times)) / 1e3, "us") for name, times in parts.stages.items()),
        ],
        extra={"saturated_ticks": saturated / TICKS},
    )


def _time_self_collision(seiko: Seiko, parts: Stopwatch) -> None:
    """Time once more what the build spends on self-collision: distances and rows."""
    program, collision = seiko.program, seiko.self_collision
    limits = (program.limit_rows, program.limit_lower, program.limit_upper)
    first = len(program.limit_lower) - collision.row_count
    parts.start()
    collision.update(seiko.kinematics.joint_poses)
    parts.mark("self_collision_distances")
    collision.fill_limits(seiko.kinematics.data.J, PERIOD * seiko.parameters.barrier, PERIOD, first, limits)
    parts.mark("self_collision_rows")


def record_kernel(folder: Path) -> None:
    """Write the calibration problem anew: the tick of a far reach with the most iterations, in the textbook form."""
    model = load_model("talos")
    seiko = make_seiko(model)
    most, worst = -1, None
    for targets in command_far_reach(model, seiko):
        seiko.build(targets, PERIOD)
        program = seiko.program.assemble()
        solution = DaqpSolver().solve(program)
        if solution.solved and solution.iterations > most:
            most, worst = solution.iterations, program
        seiko.step(targets, PERIOD)
    assert worst is not None, "no tick of the far reach was solved"
    save_kernel(worst, folder / KERNEL_FILE)
