"""Projection to the feasible equilibrium that is nearest to a posture, whatever limits the posture violates."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import numpy as np

from handhold.retarget.bracing.seiko.seiko_step import NoEquilibrium, SeikoTargets
from handhold.robots.qp import QpSolution, QpSolver

if TYPE_CHECKING:
    from handhold.retarget.bracing.seiko.seiko import Seiko

MAX_RATE = 100.0
"""Rate at which violated limits are taken back at first [1/s]: nothing moves yet, so it need not be gentle."""

MIN_RATE = 1.0
"""Rate below which a program without a solution has none because of the posture, not because of the rate [1/s]."""

RATE_DECREASE, RATE_INCREASE = 0.5, 1.4
"""Factors of the rate after a program without a solution, and after one that has one."""

STEP, COARSE_STEP = 1e-3, 1e-2
"""Length of a step [s], and of those after the first program without a solution: joints have a way to go then, and go no
further in a step than their speed allows."""

STEPS, COARSE_STEPS = 2000, 800
"""Largest numbers of them: a joint crosses its range in half as many."""

PULL_GAIN, PULL_STEPS = 1e3, 20
"""How much harder the nominal posture pulls where no rate has a solution, and for how many steps: an arm stretched level has
the largest torque that it can have, so that no small motion lessens it."""


def project_to_equilibrium(seiko: Seiko, solver: QpSolver) -> None:
    """Project to the nearest feasible equilibrium, with the effectors left where they are, as far as limits allow.

    Violated limits are taken back as fast as the joints' speeds allow, and more slowly where that has no solution.

    Raises:
        NoEquilibrium: There is none within reach; the posture is the nearest to one that was found.
    """
    for _ in project_stepwise(seiko, solver):
        pass


def project_stepwise(seiko: Seiko, solver: QpSolver) -> Iterator[None]:
    """Do what ``project_to_equilibrium`` does, and yield after each program: for a loop that must not be held up.

    Raises:
        NoEquilibrium: There is none within reach.
    """
    targets = SeikoTargets(effector_poses=seiko.kinematics.poses.copy(), velocity_com_in_world=np.full(3, np.nan))
    if not (yield from _project_at_once(seiko, solver, targets)):
        yield from _project_with_backoff(seiko, solver, targets)
    seiko.set_at_rest()
    if not seiko.shortcomings.none:
        raise NoEquilibrium(seiko.shortcomings)


def _project_at_once(seiko: Seiko, solver: QpSolver, targets: SeikoTargets) -> Generator[None, None, bool]:
    """Project at the fastest rate; says whether that led to an equilibrium."""
    for _ in range(STEPS):
        step = seiko.apply(solver.solve(seiko.build(targets, STEP, barrier=MAX_RATE)), STEP)
        if seiko.shortcomings.none:
            return True
        if not step.solved:
            return False
        yield
    return False


def _project_with_backoff(seiko: Seiko, solver: QpSolver, targets: SeikoTargets) -> Iterator[None]:
    """Back off where a program has no solution; where none has, relax violated limits and pull towards the nominal posture."""
    rate, pulled = MAX_RATE, 0
    for _ in range(COARSE_STEPS):
        yield
        if pulled:
            solution, pulled = _pull(seiko, solver, targets), pulled - 1
        else:
            solution = solver.solve(seiko.build(targets, COARSE_STEP, barrier=rate))
            if not solution.solved:
                rate, pulled = (rate * RATE_DECREASE, 0) if rate > MIN_RATE else (MAX_RATE, PULL_STEPS)
                continue
            rate = min(MAX_RATE, RATE_INCREASE * rate)
        if not seiko.apply(solution, COARSE_STEP).solved or seiko.shortcomings.none:
            return


def _pull(seiko: Seiko, solver: QpSolver, targets: SeikoTargets) -> QpSolution:
    seiko.build(targets, COARSE_STEP, barrier=MIN_RATE, posture=PULL_GAIN)
    seiko.program.make_rest_feasible()
    return solver.solve(seiko.program.condense())
