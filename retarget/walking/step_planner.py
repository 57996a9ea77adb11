"""From a moment of the gait to a plan: the previews of QP2 in the timings that are possible, and the best of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.mode import ComingStep
from handhold.retarget.walking.footsteps import LEFT, FootstepPlan, WalkingVelocity, plan_footsteps
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState
from handhold.retarget.walking.timing import (
    Phase,
    PlacedFeet,
    build_preview,
    list_cells,
    list_segments,
    phase_duration,
)
from handhold.robots.description import GAIT_CELL, Walking
from handhold.robots.qp import QpSolver


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Moment:
    """Where a gait is.

    Attributes:
        phase: What the feet do.
        elapsed: How long they have done it [s].
        steps_left: Footsteps still to come; None for as many as one likes.
        velocity: Velocity walked at.
        support: Side of the foot that bears, or that the load goes to.
        placed: The feet that stand.
        target: Where the foot in the air is to stand, as ``SwingFoot.position``, shape ``(6,)`` [m, rad].
        pendulum: Centre of mass and ZMP.
    """

    phase: Phase
    elapsed: float
    steps_left: int | None
    velocity: WalkingVelocity
    support: float
    placed: PlacedFeet
    target: np.ndarray
    pendulum: PendulumState


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StepPlan:
    """What was found at a moment.

    Attributes:
        timing: How long the phases last in it.
        cells: Lengths of the horizon's cells, shape ``(cells,)`` [s].
        solution: ZMP and footsteps.
        footsteps: What was asked for: sides, angles, displacements.
    """

    timing: Walking
    cells: np.ndarray
    solution: MpcSolution
    footsteps: FootstepPlan

    @property
    def residue(self) -> float:
        """How much it leaves undone [m]."""
        return float(np.linalg.norm(self.solution.dcm_shift)) if self.solution.solved else math.inf

    def find_zmp_velocity(self, since: float) -> np.ndarray:
        """Find how fast the ZMP is to move some time after the plan was made [s], shape ``(2,)`` [m/s]; at last it stays."""
        velocities = self.solution.zmp_velocities
        # Times add up with rounding errors: one that is all but over is over.
        cell = int(np.searchsorted(np.cumsum(self.cells), since + 1e-9, side="right"))
        return np.asarray(velocities[cell]) if cell < len(velocities) else np.zeros(2)

    def list_steps(self, phase: Phase, elapsed: float, steps_left: int | None, height: float) -> tuple[ComingStep, ...]:
        """List the footsteps that are still to come, with the times until they come down.

        Args:
            phase: What the feet do now.
            elapsed: How long they have done it [s].
            steps_left: Footsteps still to come; None for as many as one likes.
            height: Of the ground [m].
        """
        if phase in (Phase.STANDING, Phase.ENDING):
            return ()
        left = phase_duration(phase, self.timing) - elapsed
        first = left if phase is Phase.SINGLE else left + self.timing.single_support
        places = self.solution.footsteps[:steps_left]
        return tuple(self._describe(k, place, first, height) for k, place in enumerate(places))

    def _describe(self, k: int, place: np.ndarray, first: float, height: float) -> ComingStep:
        pose = np.eye(4)
        pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, float(self.footsteps.angles[k]))
        pose[:3, 3] = *place, height
        side = "left" if self.footsteps.sides[k] == LEFT else "right"
        return ComingStep(side=side, pose=pose, delay=max(0.0, first + k * self.timing.step_duration))


class StepPlanner:
    """Solves QP2; where no footsteps hold the pendulum, sees whether quicker ones would.

    Attributes:
        problem: What QP2 was last solved for; None before the first time.
    """

    def __init__(self, gait: Walking, omega: float, solver: QpSolver, parameters: GaitParameters) -> None:
        """Prepare the timings and the program.

        Args:
            gait: How the robot walks.
            omega: Natural frequency of the pendulum [1/s].
            solver: Solves QP2.
            parameters: How to plan.
        """
        self._parameters, self._omega = parameters, omega
        self._timings = [
            gait.model_copy(update={"single_support": gait.single_support - shorter * GAIT_CELL})
            for shorter in range(parameters.hastes + 1)
        ]
        self._mpc = WalkingMpc(parameters.cells, parameters.steps, omega, solver, parameters.mpc)
        self.problem: tuple[PendulumState, Preview] | None = None

    def plan(self, moment: Moment, present: Walking) -> StepPlan | None:
        """Return the plan that leaves the least undone, the usual timing's where it leaves nothing; None without any.

        Args:
            moment: Where the gait is.
            present: How long the phases last in the plan that is under way.
        """
        first, *others = self._list_timings(moment, present)
        plans = [self._try(moment, first)]
        if not plans[0].solution.feasible:
            plans += [self._try(moment, timing) for timing in others]
        best = min(plans, key=lambda plan: plan.residue)
        return best if best.solution.solved else None

    def _list_timings(self, moment: Moment, present: Walking) -> list[Walking]:
        """Return the timings that are still possible, the usual one first: a swing under way only gets shorter."""
        if moment.phase is not Phase.SINGLE:
            return self._timings
        least = moment.elapsed + self._parameters.shortest
        shorter = [t for t in self._timings if least <= t.single_support < present.single_support]
        return [present, *shorter]

    def _try(self, moment: Moment, timing: Walking) -> StepPlan:
        p, placed = self._parameters, moment.placed
        elapsed = min(moment.elapsed, phase_duration(moment.phase, timing) - p.period)
        durations = list_cells(elapsed, p.cells + p.beyond)
        segments = list_segments(moment.phase, elapsed, moment.steps_left, float(durations.sum()), timing)
        count = max(p.steps, max(segment.feet[1] for segment in segments) - 1)
        last = None if moment.steps_left is None else moment.steps_left - 1
        footsteps = plan_footsteps(moment.velocity, moment.support, float(placed.angles[1]), count, timing, last=last)
        footsteps = self._freeze(footsteps, moment, timing)
        preview = build_preview(segments, durations, (p.cells, p.steps), placed, footsteps, self._omega, timing)
        self.problem = (moment.pendulum, preview)
        solution = self._mpc.solve(*self.problem)
        return StepPlan(timing=timing, cells=durations[: p.cells], solution=solution, footsteps=footsteps)

    def _freeze(self, plan: FootstepPlan, moment: Moment, timing: Walking) -> FootstepPlan:
        """Return the footsteps, with the one that is about to be made where it already is planned."""
        if moment.phase is not Phase.SINGLE or moment.elapsed < timing.single_support - self._parameters.frozen_for:
            return plan
        angle = moment.placed.angles[1]
        c, s = math.cos(angle), math.sin(angle)
        displacement = np.array([[c, s], [-s, c]]) @ (moment.target[:2] - moment.placed.positions[1])
        wanted, lower, upper = plan.wanted.copy(), plan.lower.copy(), plan.upper.copy()
        # Bounds that are equal would be an equality, which solvers treat apart.
        wanted[0], lower[0], upper[0] = displacement, displacement - 1e-6, displacement + 1e-6
        angles = plan.angles + (moment.target[2] - plan.angles[0])
        return replace(plan, wanted=wanted, lower=lower, upper=upper, angles=angles)
