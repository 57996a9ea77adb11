"""From a moment of the gait to a plan: the previews of QP2 in the timings that are possible, and the best of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.mode import ComingStep
from handhold.retarget.walking.bearing import LEAST_RATIO, Bearing
from handhold.retarget.walking.foothold_choice import Chosen, choose_foothold
from handhold.retarget.walking.footsteps import LEFT, FootstepPlan, WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState
from handhold.retarget.walking.stride import Stance, list_strides, make_axes
from handhold.retarget.walking.swing import SETTLED, SwingFoot
from handhold.retarget.walking.swing_moment import preview_swings
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

SLIVER = 0.005
"""Least time for which a phase is planned to go on [s]: in less the ZMP would have to jump."""


LEAST_REGION = 0.006
"""Least half length of the ZMP's region on a sole that bears in part [m]."""


def cut_region(bearing: Bearing, inset: float) -> np.ndarray:
    """Return half lengths of the ZMP's region on what bears of a sole, and where its middle is, shape ``(4,)`` [m]."""
    return np.array([*(max(LEAST_REGION, half - inset) for half in bearing.half_lengths), *bearing.displacement])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Moment:
    """Where a gait is.

    Attributes:
        phase: What the feet do.
        elapsed: How long they have done it [s].
        swing: The foot in the air; None for none.
        aimed: Whether that foot is on its way to ``target`` already.
        waits: Whether the phase should be over, and goes on because the foot in the air still looks for the ground.
        steps_left: Footsteps still to come; None for as many as one likes.
        velocity: Velocity walked at.
        support: Side of the foot that bears, or that the load goes to.
        placed: The feet that stand.
        target: Where the foot in the air is to stand, as ``SwingFoot.position``, shape ``(6,)`` [m, rad].
        pendulum: Centre of mass and ZMP.
        inset: How far inside the edges of what bears the ZMP is planned [m].
        stance: Where the robot is, for the next footstep.
        ground: What is known of the ground; None for nothing.
        chosen: What was chosen before for the next footstep because of the ground; None for nothing.
    """

    phase: Phase
    elapsed: float
    steps_left: int | None
    velocity: WalkingVelocity
    support: float
    placed: PlacedFeet
    stance: Stance
    target: np.ndarray
    pendulum: PendulumState
    inset: float = 0.0
    ground: GroundMap | None = None
    chosen: Chosen | None = None
    swing: SwingFoot | None = None
    aimed: bool = False
    waits: bool = False

    def add_region(self, foot: int, bearing: Bearing) -> PlacedFeet:
        """Return the feet with the ZMP's region on one of them, numbered as in ``Preview``, as far as its sole bears."""
        if bearing.ratio >= 1.0:
            return self.placed
        region = cut_region(bearing, self.inset)
        return replace(self.placed, regions={**self.placed.regions, foot: region})

    @property
    def displacement_axes(self) -> np.ndarray:
        """Axes of the foot that bears, in which displacements are told, as columns, shape ``(2, 2)``."""
        return make_axes(float(self.placed.angles[1]))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StepPlan:
    """What was found at a moment.

    Attributes:
        timing: How long the phases last in it.
        ends: When the horizon's cells end, from when the plan was made, shape ``(cells,)`` [s].
        solution: ZMP and footsteps.
        footsteps: What was asked for: sides, angles, displacements.
        steps_left: Footsteps still to come; None for as many as one likes.
        support: Where the foot stands that bears, or that the load goes to, shape ``(2,)`` [m].
        chosen: Where the first footstep was put because of the ground, and what bears there; None where it is as planned.
    """

    timing: Walking
    ends: np.ndarray
    solution: MpcSolution
    footsteps: FootstepPlan
    steps_left: int | None = None
    support: np.ndarray
    chosen: Chosen | None = None

    def ends_level(self, tolerance: float) -> bool:
        """Whether the last footstep lies beside the foot that bears then, within a distance along it [m]; true of no end."""
        if self.steps_left is None or not 0 < self.steps_left <= len(self.solution.footsteps):
            return True
        places = [self.support, *self.solution.footsteps]
        before, last = places[self.steps_left - 1 : self.steps_left + 1]
        angle = float(self.footsteps.angles[self.steps_left - 1])
        return abs(float((last - before) @ [math.cos(angle), math.sin(angle)])) < tolerance

    @property
    def residue(self) -> float:
        """How much it leaves undone [m]."""
        return float(np.linalg.norm(self.solution.dcm_shift)) if self.solution.solved else math.inf

    def find_zmp_velocity(self, since: float) -> np.ndarray:
        """Find how fast the ZMP is to move some time after the plan was made [s], shape ``(2,)`` [m/s]; at last it stays."""
        velocities = self.solution.zmp_velocities
        # Times add up with rounding errors: one that is all but over is over.
        cell = int(np.searchsorted(self.ends, since + 1e-9, side="right"))
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

    def __init__(
        self, gait: Walking, omega: float, solver: QpSolver, parameters: GaitParameters, swing_moment: float = 0.0
    ) -> None:
        """Prepare the timings and the program.

        Args:
            gait: How the robot walks.
            omega: Natural frequency of the pendulum [1/s].
            solver: Solves QP2.
            parameters: How to plan.
            swing_moment: What a foot's acceleration does to the ZMP, see ``compute_swing_moment`` [s^2].
        """
        self._parameters, self._omega, self._swing_moment = parameters, omega, swing_moment
        self._timings = [
            gait.model_copy(update={"single_support": gait.single_support - shorter * GAIT_CELL})
            for shorter in range(parameters.hastes + 1)
        ]
        self._mpc = WalkingMpc(parameters.cells, parameters.steps, omega, solver, parameters.mpc)
        self.problem: tuple[PendulumState, Preview] | None = None

    def plan(self, moment: Moment, present: Walking, *, hurry: bool = False) -> StepPlan | None:
        """Return the plan in the present timing, or with ``hurry`` the quicker one that leaves least undone; None for none.

        Where the next footstep would lie over an edge it is put beside, if the centre of mass can be held so.

        Args:
            moment: Where the gait is.
            present: How long the phases last in the plan that is under way.
            hurry: Whether swings are to be shorter than they are.
        """
        best = self._find_best(moment, present, None, hurry)
        if best is None:
            return None
        # Rather beyond an edge than before it; but where the centre of mass does not get there, on either side.
        undone = []
        for direction, kept in ((moment.velocity.direction, moment.chosen), (np.zeros(2), None)):
            chosen = self._choose_foothold(replace(moment, chosen=kept), best, direction)
            if chosen is None:
                return best
            beside = self._find_best(moment, present, chosen, hurry)
            if beside is not None and beside.solution.feasible:
                return beside
            undone += [] if beside is None else [beside]
        return best if self._bears(moment, best) else min(undone, key=lambda plan: plan.residue, default=best)

    def _bears(self, moment: Moment, plan: StepPlan) -> bool:
        """Whether enough of the sole bears where a plan puts the next footstep."""
        assert moment.ground is not None, "a footstep is chosen only where something is known"
        place, angle = plan.solution.footsteps[0], float(plan.footsteps.angles[0])
        return moment.ground.find_bearing(place, angle, moment.stance.height).ratio >= LEAST_RATIO

    def _find_best(self, moment: Moment, present: Walking, chosen: Chosen | None, hurry: bool) -> StepPlan | None:
        """Return the best plan, with the next footstep at a place where one is given."""
        present, *quicker = self._list_timings(moment, present)
        plans = [self._try(moment, timing, chosen) for timing in (quicker if hurry else [present])]
        best = min(plans, key=lambda plan: plan.residue, default=None)
        return best if best is not None and best.solution.solved else None

    def _choose_foothold(self, moment: Moment, plan: StepPlan, direction: np.ndarray) -> Chosen | None:
        """Return where the next footstep is because of the ground; None where it is as planned, or nowhere else."""
        touched = moment.phase is Phase.SINGLE and moment.swing is None
        if moment.ground is None or moment.steps_left == 0 or touched or self._is_late(moment, plan.timing):
            return None
        stance, planned = moment.stance, plan.solution.footsteps[0]
        first, second = list_strides(plan.footsteps, direction)
        strides = replace(first, wanted=stance.axes.T @ (planned - stance.support)), second
        chosen = choose_foothold(moment.ground, stance, strides, moment.chosen)
        return None if chosen is None or chosen.is_free else chosen

    def _is_late(self, moment: Moment, timing: Walking) -> bool:
        """Whether the footstep that is about to be made does not change any more."""
        return moment.phase is Phase.SINGLE and moment.elapsed >= timing.single_support - self._parameters.frozen_for

    def _list_timings(self, moment: Moment, present: Walking) -> list[Walking]:
        """Return the timings that are still possible, the usual one first: a swing under way only gets shorter."""
        if moment.phase is not Phase.SINGLE:
            return self._timings
        least = moment.elapsed + self._parameters.shortest
        shorter = [t for t in self._timings if least <= t.single_support < present.single_support]
        return [present, *shorter]

    def _try(self, moment: Moment, timing: Walking, chosen: Chosen | None) -> StepPlan:
        p, placed = self._parameters, moment.placed
        # Nobody knows how long a foot will look for the ground: until the next plan at least.
        left = p.period if moment.waits else SLIVER
        elapsed = min(moment.elapsed, phase_duration(moment.phase, timing) - left)
        durations = list_cells(elapsed, p.cells + p.beyond)
        segments = list_segments(moment.phase, elapsed, moment.steps_left, float(durations.sum()), timing)
        count = max(p.steps, max(segment.feet[1] for segment in segments) - 1)
        last = None if moment.steps_left is None else moment.steps_left - 1
        footsteps = plan_footsteps(moment.velocity, moment.support, float(placed.angles[1]), count, timing, last=last)
        if moment.phase is Phase.SINGLE and moment.swing is None:
            # The foot has touched early: it stands where it does.
            footsteps = _put_first(footsteps, moment, placed.positions[0], float(placed.angles[0]))
        elif self._is_late(moment, timing):
            footsteps = _put_first(footsteps, moment, moment.target[:2], float(moment.target[2]))
        elif chosen is not None:
            footsteps = _put_first(footsteps, moment, chosen.place, float(footsteps.angles[0]))
            footsteps = _want_next(footsteps, chosen)
            placed = moment.add_region(2, chosen.bearing)
        elif moment.aimed:
            footsteps = self._bound_change(footsteps, moment, timing)
        ends = np.cumsum(durations[: p.cells])
        swings = preview_swings(segments, ends, 2 + p.steps, moment.swing, self._swing_moment)
        preview = build_preview(segments, durations, (p.cells, p.steps), placed, footsteps, swings, self._omega, timing)
        self.problem = (moment.pendulum, preview)
        solution = self._mpc.solve(*self.problem)
        return StepPlan(
            timing=timing,
            ends=ends,
            solution=solution,
            footsteps=footsteps,
            steps_left=moment.steps_left,
            support=placed.positions[1],
            chosen=chosen,
        )

    def _bound_change(self, plan: FootstepPlan, moment: Moment, timing: Walking) -> FootstepPlan:
        r"""Return the footsteps, the first no further from where the foot is on its way to than it gets without haste.

        A goal moved by d bends a quintic of the time T that is left by at most :math:`|\ddot p| = 10 d / (\sqrt 3 T^2)`, along
        each axis; every plan may move it anew.
        """
        left = timing.single_support - moment.elapsed - 0.5 * SETTLED
        most = self._parameters.swing_acceleration * left**2 * math.sqrt(3.0) / 10.0
        aim = moment.displacement_axes.T @ (moment.target[:2] - moment.placed.positions[1])
        lower, upper = plan.lower.copy(), plan.upper.copy()
        # Where the foot is on its way to may lie outside of its bounds by rounding, or since feet that bear have moved.
        aim = np.clip(aim, lower[0], upper[0])
        lower[0], upper[0] = np.maximum(lower[0], aim - most), np.minimum(upper[0], aim + most)
        wanted = plan.wanted.copy()
        wanted[0] = np.clip(wanted[0], lower[0], upper[0])
        return replace(plan, wanted=wanted, lower=lower, upper=upper)


def _put_first(plan: FootstepPlan, moment: Moment, place: np.ndarray, angle: float) -> FootstepPlan:
    """Return the footsteps, with the first at a place, shape ``(2,)`` [m], turned by an angle [rad]."""
    displacement = moment.displacement_axes.T @ (place - moment.placed.positions[1])
    wanted, lower, upper = plan.wanted.copy(), plan.lower.copy(), plan.upper.copy()
    # Bounds that are equal would be an equality, which solvers treat apart.
    wanted[0], lower[0], upper[0] = displacement, displacement - 1e-6, displacement + 1e-6
    return replace(plan, wanted=wanted, lower=lower, upper=upper, angles=plan.angles + (angle - plan.angles[0]))


def _want_next(plan: FootstepPlan, chosen: Chosen) -> FootstepPlan:
    """Return the footsteps, the second wanted where the first was chosen with a view to."""
    if chosen.following is None:
        return plan
    wanted, axes = plan.wanted.copy(), make_axes(float(plan.angles[0]))
    wanted[1] = np.clip((chosen.following - chosen.place) @ axes, plan.lower[1], plan.upper[1])
    return replace(plan, wanted=wanted)
