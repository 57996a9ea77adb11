"""From a state of the gait to a plan: the previews of QP2 in the timings that are possible, and the best of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.mode_report import Footstep
from handhold.retarget.walking.contact_area import MIN_FOOTHOLD_RATIO, ContactArea
from handhold.retarget.walking.foothold_choice import ChosenFoothold, choose_foothold
from handhold.retarget.walking.footsteps import LEFT, FootstepPlan, WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState
from handhold.retarget.walking.preview_builder import build_preview
from handhold.retarget.walking.stride import Stance, list_strides, make_axes
from handhold.retarget.walking.swing import DESCENT_TIME, SwingFoot
from handhold.retarget.walking.swing_moment import preview_swings
from handhold.retarget.walking.timing import Phase, PlacedFeet, list_cells, list_segments, phase_duration
from handhold.robots.description import GAIT_CELL, Walking
from handhold.robots.qp import QpSolver

SLIVER = 0.005
"""Least time for which a phase is planned to go on [s]: in less the ZMP would have to jump."""


MIN_REGION = 0.006
"""Least half length of the ZMP's region on a partly supported sole [m]."""


def cut_region(contact_area: ContactArea, inset: float) -> np.ndarray:
    """Return half lengths of the ZMP's region on the contact area of a sole, and where its middle is, shape ``(4,)`` [m]."""
    return np.array([*(max(MIN_REGION, half - inset) for half in contact_area.half_lengths), *contact_area.displacement])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GaitState:
    """Where a gait is.

    Attributes:
        phase: What the feet do.
        elapsed: How long they have done it [s].
        swing: The foot in the air; None for none.
        aimed: Whether that foot is on its way to ``target`` already.
        waits: Whether the phase should be over, and goes on because the foot in the air still looks for the ground.
        steps_left: Footsteps still to come; None for as many as one likes.
        velocity: Velocity walked at.
        support: Side of the support foot, or of the one that the load goes to.
        placed: The feet that stand.
        target: Where the foot in the air is to stand, as ``SwingFoot.position``, shape ``(6,)`` [m, rad].
        pendulum: Centre of mass and ZMP.
        inset: How far inside the edges of the contact area the ZMP is planned [m].
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
    chosen: ChosenFoothold | None = None
    swing: SwingFoot | None = None
    aimed: bool = False
    waits: bool = False

    def add_region(self, foot: int, contact_area: ContactArea) -> PlacedFeet:
        """Return the feet with the ZMP's region on one of them, numbered as in ``Preview``, as far as that is supported."""
        if contact_area.ratio >= 1.0:
            return self.placed
        region = cut_region(contact_area, self.inset)
        return replace(self.placed, regions={**self.placed.regions, foot: region})

    @property
    def displacement_axes(self) -> np.ndarray:
        """Axes of the support foot, in which displacements are given, as columns, shape ``(2, 2)``."""
        return make_axes(float(self.placed.angles[1]))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class StepPlan:
    """What was planned at a state of the gait.

    Attributes:
        timing: How long the phases last in it.
        ends: When the horizon's cells end, from when the plan was made, shape ``(cells,)`` [s].
        solution: ZMP and footsteps.
        footsteps: What was asked for: sides, angles, displacements.
        steps_left: Footsteps still to come; None for as many as one likes.
        support: Position of the support foot, or of the one that the load goes to, shape ``(2,)`` [m].
        chosen: Where the first footstep was put because of the ground, with the contact area; None where it is as planned.
    """

    timing: Walking
    ends: np.ndarray
    solution: MpcSolution
    footsteps: FootstepPlan
    steps_left: int | None = None
    support: np.ndarray
    chosen: ChosenFoothold | None = None

    def ends_level(self, tolerance: float) -> bool:
        """Whether the last footstep lies beside the support foot then, within a distance along it [m]; true of no end."""
        if self.steps_left is None or not 0 < self.steps_left <= len(self.solution.footsteps):
            return True
        footholds = [self.support, *self.solution.footsteps]
        before, last = footholds[self.steps_left - 1 : self.steps_left + 1]
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

    def list_steps(self, phase: Phase, elapsed: float, steps_left: int | None, height: float) -> tuple[Footstep, ...]:
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
        footholds = self.solution.footsteps[:steps_left]
        return tuple(self._describe(k, position, first, height) for k, position in enumerate(footholds))

    def _describe(self, k: int, position: np.ndarray, first: float, height: float) -> Footstep:
        pose = np.eye(4)
        pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, float(self.footsteps.angles[k]))
        pose[:3, 3] = *position, height
        side = "left" if self.footsteps.sides[k] == LEFT else "right"
        return Footstep(side=side, pose=pose, delay=max(0.0, first + k * self.timing.step_duration))


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
            for shorter in range(parameters.max_shortened_cells + 1)
        ]
        self._mpc = WalkingMpc(parameters.cells, parameters.steps, omega, solver, parameters.mpc)
        self.problem: tuple[PendulumState, Preview] | None = None

    def plan(self, gait_state: GaitState, present: Walking, *, shorten: bool = False) -> StepPlan | None:
        """Return the plan in the present timing, or with ``shorten`` the quicker one that leaves least undone; None for none.

        Where the next footstep would lie over an edge it is put beside, if the centre of mass can be held so.

        Args:
            gait_state: Where the gait is.
            present: How long the phases last in the plan that is under way.
            shorten: Whether swings are to be shorter than they are.
        """
        best = self._find_best(gait_state, present, None, shorten)
        if best is None:
            return None
        # Rather beyond an edge than before it; but where the centre of mass does not get there, on either side.
        undone = []
        for direction, kept in ((gait_state.velocity.direction, gait_state.chosen), (np.zeros(2), None)):
            chosen = self._choose_foothold(replace(gait_state, chosen=kept), best, direction)
            if chosen is None:
                return best
            beside = self._find_best(gait_state, present, chosen, shorten)
            if beside is not None and beside.solution.feasible:
                return beside
            undone += [] if beside is None else [beside]
        return best if self._is_supported(gait_state, best) else min(undone, key=lambda plan: plan.residue, default=best)

    def _is_supported(self, gait_state: GaitState, plan: StepPlan) -> bool:
        """Whether enough of the sole is supported where a plan puts the next footstep."""
        assert gait_state.ground is not None, "a footstep is chosen only where something is known"
        position, angle = plan.solution.footsteps[0], float(plan.footsteps.angles[0])
        return gait_state.ground.find_contact_area(position, angle, gait_state.stance.height).ratio >= MIN_FOOTHOLD_RATIO

    def _find_best(
        self, gait_state: GaitState, present: Walking, chosen: ChosenFoothold | None, shorten: bool
    ) -> StepPlan | None:
        """Return the best plan, with the next footstep at a foothold where one is given."""
        present, *quicker = self._list_timings(gait_state, present)
        plans = [self._try(gait_state, timing, chosen) for timing in (quicker if shorten else [present])]
        best = min(plans, key=lambda plan: plan.residue, default=None)
        return best if best is not None and best.solution.solved else None

    def _choose_foothold(self, gait_state: GaitState, plan: StepPlan, direction: np.ndarray) -> ChosenFoothold | None:
        """Return where the next footstep is because of the ground; None where it is as planned, or nowhere else."""
        touched = gait_state.phase is Phase.SINGLE and gait_state.swing is None
        if gait_state.ground is None or gait_state.steps_left == 0 or touched or self._is_late(gait_state, plan.timing):
            return None
        stance, planned = gait_state.stance, plan.solution.footsteps[0]
        first, second = list_strides(plan.footsteps, direction)
        strides = replace(first, desired=stance.axes.T @ (planned - stance.support)), second
        chosen = choose_foothold(gait_state.ground, stance, strides, gait_state.chosen)
        return None if chosen is None or chosen.is_free else chosen

    def _is_late(self, gait_state: GaitState, timing: Walking) -> bool:
        """Whether the footstep that is about to be made does not change any more."""
        return gait_state.phase is Phase.SINGLE and gait_state.elapsed >= timing.single_support - self._parameters.freeze_time

    def _list_timings(self, gait_state: GaitState, present: Walking) -> list[Walking]:
        """Return the timings that are still possible, the usual one first: a swing under way only gets shorter."""
        if gait_state.phase is not Phase.SINGLE:
            return self._timings
        min_duration = gait_state.elapsed + self._parameters.min_remaining_time
        shorter = [t for t in self._timings if min_duration <= t.single_support < present.single_support]
        return [present, *shorter]

    def _try(self, gait_state: GaitState, timing: Walking, chosen: ChosenFoothold | None) -> StepPlan:
        p, placed = self._parameters, gait_state.placed
        # Nobody knows how long a foot will search for the ground: until the next plan at least.
        left = p.period if gait_state.waits else SLIVER
        elapsed = min(gait_state.elapsed, phase_duration(gait_state.phase, timing) - left)
        durations = list_cells(elapsed, p.cells + p.beyond)
        segments = list_segments(gait_state.phase, elapsed, gait_state.steps_left, float(durations.sum()), timing)
        count = max(p.steps, max(segment.feet[1] for segment in segments) - 1)
        last = None if gait_state.steps_left is None else gait_state.steps_left - 1
        footsteps = plan_footsteps(gait_state.velocity, gait_state.support, float(placed.angles[1]), count, timing, last=last)
        if gait_state.phase is Phase.SINGLE and gait_state.swing is None:
            # The foot has touched early: it stands where it does.
            footsteps = _set_first(footsteps, gait_state, placed.positions[0], float(placed.angles[0]))
        elif self._is_late(gait_state, timing):
            footsteps = _set_first(footsteps, gait_state, gait_state.target[:2], float(gait_state.target[2]))
        elif chosen is not None:
            footsteps = _set_first(footsteps, gait_state, chosen.position, float(footsteps.angles[0]))
            footsteps = _set_next(footsteps, chosen)
            placed = gait_state.add_region(2, chosen.contact_area)
        elif gait_state.aimed:
            footsteps = self._bound_change(footsteps, gait_state, timing)
        ends = np.cumsum(durations[: p.cells])
        swings = preview_swings(segments, ends, 2 + p.steps, gait_state.swing, self._swing_moment)
        preview = build_preview(segments, durations, (p.cells, p.steps), placed, footsteps, swings, self._omega, timing)
        self.problem = (gait_state.pendulum, preview)
        solution = self._mpc.solve(*self.problem)
        return StepPlan(
            timing=timing,
            ends=ends,
            solution=solution,
            footsteps=footsteps,
            steps_left=gait_state.steps_left,
            support=placed.positions[1],
            chosen=chosen,
        )

    def _bound_change(self, plan: FootstepPlan, gait_state: GaitState, timing: Walking) -> FootstepPlan:
        r"""Return the footsteps, the first no further from where the foot is on its way to than it gets without haste.

        A goal moved by d bends a quintic of the time T that is left by at most :math:`|\ddot p| = 10 d / (\sqrt 3 T^2)`, along
        each axis; every plan may move it anew.
        """
        left = timing.single_support - gait_state.elapsed - 0.5 * DESCENT_TIME
        max_change = self._parameters.swing_acceleration * left**2 * math.sqrt(3.0) / 10.0
        aim = gait_state.displacement_axes.T @ (gait_state.target[:2] - gait_state.placed.positions[1])
        lower, upper = plan.lower.copy(), plan.upper.copy()
        # Where the foot is on its way to may lie outside of its bounds by rounding, or since feet that bear have moved.
        aim = np.clip(aim, lower[0], upper[0])
        lower[0], upper[0] = np.maximum(lower[0], aim - max_change), np.minimum(upper[0], aim + max_change)
        desired = plan.desired.copy()
        desired[0] = np.clip(desired[0], lower[0], upper[0])
        return replace(plan, desired=desired, lower=lower, upper=upper)


def _set_first(plan: FootstepPlan, gait_state: GaitState, position: np.ndarray, angle: float) -> FootstepPlan:
    """Return the footsteps, with the first at a position, shape ``(2,)`` [m], turned by an angle [rad]."""
    displacement = gait_state.displacement_axes.T @ (position - gait_state.placed.positions[1])
    desired, lower, upper = plan.desired.copy(), plan.lower.copy(), plan.upper.copy()
    # Bounds that are equal would be an equality, which solvers treat apart.
    desired[0], lower[0], upper[0] = displacement, displacement - 1e-6, displacement + 1e-6
    return replace(plan, desired=desired, lower=lower, upper=upper, angles=plan.angles + (angle - plan.angles[0]))


def _set_next(plan: FootstepPlan, chosen: ChosenFoothold) -> FootstepPlan:
    """Return the footsteps, the second desired where the first was chosen with a view to."""
    if chosen.following is None:
        return plan
    desired, axes = plan.desired.copy(), make_axes(float(plan.angles[0]))
    desired[1] = np.clip((chosen.following - chosen.position) @ axes, plan.lower[1], plan.upper[1])
    return replace(plan, desired=desired)
