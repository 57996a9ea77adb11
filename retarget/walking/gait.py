"""The gait: a stepped machine of phases that turns a velocity into a centre of mass, feet and how they share the load."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np

from handhold.retarget.mode import ComingStep
from handhold.retarget.walking.foothold_choice import Chosen, find_aside
from handhold.retarget.walking.footsteps import LEFT, RIGHT, STILL, WalkingVelocity
from handhold.retarget.walking.gait_sample import Felt, GaitSample
from handhold.retarget.walking.height import HeightFollower
from handhold.retarget.walking.mpc import Preview
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState, compute_natural_frequency
from handhold.retarget.walking.step_planner import Moment, StepPlan, StepPlanner, cut_region
from handhold.retarget.walking.stride import Stance
from handhold.retarget.walking.swing import SwingFoot
from handhold.retarget.walking.timing import Phase, PlacedFeet, compute_progress, phase_duration
from handhold.robots.description import Walking
from handhold.robots.qp import QpSolver

LEAST_BEARING = 0.2
"""Part of a sole below which what is known of the ground under it is not believed: it stands there [-]."""


class Gait:
    """Walks; what it keeps from step to step is where the feet stand, the phase, the pendulum and the last plan.

    Attributes:
        phase: What the feet do.
        velocity: Velocity walked at now.
        steps_made: Footsteps so far.
        failures: Programs without any solution so far; the last plan goes on meanwhile.
        failures_in_a_row: How many of them since the last with one.
        infeasible: Programs so far whose initial state had to be moved for the constraints to hold.
        missed: Whether the foot in the air found no ground where it may look for it.
    """

    def __init__(
        self,
        gait: Walking,
        sole: np.ndarray,
        feet: np.ndarray,
        com: np.ndarray,
        solver: QpSolver,
        parameters: GaitParameters | None = None,
        swing_moment: float = 0.0,
    ) -> None:
        """Begin standing.

        Args:
            gait: How the robot walks.
            sole: Half lengths of a sole, shape ``(2,)`` [m].
            feet: Poses of the left and right sole in world, shape ``(2, 4, 4)``.
            com: Centre of mass, at rest, shape ``(3,)`` [m].
            solver: Solves QP2.
            parameters: How to plan; None for the defaults.
            swing_moment: What a foot's acceleration does to the ZMP, see ``compute_swing_moment`` [s^2].
        """
        self._gait, self._parameters = gait, parameters or GaitParameters()
        self._timing = gait
        self._sole = sole - gait.zmp_inset
        self.feet = feet.copy()
        ground = float(feet[:, 2, 3].mean())
        height = float(com[2]) - ground
        self._height = HeightFollower(height, ground, gait.com_drop, self._parameters.ground_filter)
        self.omega = compute_natural_frequency(height - gait.com_drop)
        self._planner = StepPlanner(gait, self.omega, solver, self._parameters, swing_moment)
        self._pendulum = PendulumState(com=com[:2].copy(), velocity=np.zeros(2), zmp=com[:2].copy())
        self._line = com[:2].copy()
        self.velocity = STILL
        self.phase = Phase.STANDING
        self._elapsed = 0.0
        self._waits = False
        self._support = RIGHT
        self._stop = True
        self._steps_left: int | None = None
        self._swing: SwingFoot | None = None
        # How long the foot in the air has felt a force [s].
        self._pressed_for = 0.0
        self._target = np.zeros(6)
        self._plan: StepPlan | None = None
        # The plan whose first footstep the foot in the air is on its way to.
        self._aimed_at: StepPlan | None = None
        # What was last chosen for the footstep to come because of the ground.
        self._chosen: Chosen | None = None
        self._plan_age = 0.0
        self._since_solution = math.inf
        self.steps_made = self.failures = self.failures_in_a_row = self.infeasible = 0
        self.missed = False

    @property
    def still(self) -> bool:
        """Whether the robot stands and no footstep is to come."""
        return self.phase is Phase.STANDING and self.velocity.is_zero

    def step(self, wanted: WalkingVelocity, felt: Felt, dt: float) -> GaitSample:
        """Go on by ``dt``.

        Args:
            wanted: Velocity asked for; nothing to stop.
            felt: What is measured of the feet.
            dt: Time [s].
        """
        self.velocity = self.velocity.approach(wanted, self._gait, dt)
        self._decide(wanted)
        self._follow_feet(felt, dt)
        pushed = self._find_push(felt)
        period = self._parameters.period if pushed is None else self._parameters.pushed_period
        if self._since_solution >= period - 0.5 * dt:
            if pushed is not None:
                self.push(*pushed)
            self._solve(felt)
        self._advance_pendulum(dt)
        self._follow_line(dt)
        self._advance_swing(felt, dt)
        self._advance_phase(felt, dt)
        self._follow_ground(dt)
        return self._sample()

    @property
    def untouched(self) -> np.ndarray:
        """Which feet are in the air where no touch counts yet, shape ``(2,)``, bool: what they feel there is noise."""
        feet = ~self._contacts()
        return feet if self._elapsed <= self._parameters.touch_after * self._timing.single_support else np.zeros_like(feet)

    def list_footsteps(self) -> tuple[ComingStep, ...]:
        """List the footsteps that are still to come by the last plan, with the times until they come down."""
        if self._plan is None:
            return ()
        return self._plan.list_steps(self.phase, self._elapsed, self._steps_left, self._height.ground)

    @property
    def problem(self) -> tuple[PendulumState, Preview] | None:
        """What QP2 was last solved for; None before the first time."""
        return self._planner.problem

    @property
    def ground_height(self) -> float:
        """Height of the ground under the feet that stand [m]."""
        return float(self.feet[self._contacts(), 2, 3].mean())

    def get_stance(self) -> tuple[Stance, float]:
        """Return where the robot stands, on the foot that bears or that the load goes to, and the side of that one."""
        placed, support = self._placed(), self._index(self._support)
        stance = Stance(
            support=placed.positions[1],
            angle=float(placed.angles[1]),
            height=float(self.feet[support, 2, 3]),
            lifted=self._find_lifted_height(),
            aside=self._find_aside(placed),
        )
        return stance, self._support

    def _find_aside(self, placed: PlacedFeet) -> np.ndarray:
        """Return how far the robot is beside its line, as the foot that bears has it, shape ``(2,)`` [m]."""
        angle = float(placed.angles[1])
        middle = placed.positions[1] + 0.5 * self._gait.spacing * self._support * np.array([math.sin(angle), -math.cos(angle)])
        return find_aside(middle - self._line, angle, self.velocity.direction)

    def _follow_line(self, dt: float) -> None:
        """Take a point along with the robot on the line that it walks along, which is forgotten little by little."""
        off, ahead = self._pendulum.com - self._line, self.velocity.direction
        across = find_aside(off, self._find_heading(), ahead)
        part = dt / (self._parameters.line_filter + dt) if ahead.any() else 1.0
        self._line += off - across + part * across

    def _find_heading(self) -> float:
        return float(self._placed().angles.mean())

    def _find_lifted_height(self) -> float:
        """Return how high the foot stands, or stood, that does not bear [m]."""
        return float(self.feet[self._index(-self._support), 2, 3]) if self._swing is None else self._swing.start

    def push(self, com: np.ndarray, velocity: np.ndarray) -> None:
        """Take the centre of mass for where it is measured, shape ``(2,)`` [m] and [m/s]: the next plan starts there."""
        self._pendulum = replace(self._pendulum, com=com, velocity=velocity)

    @property
    def pendulum(self) -> PendulumState:
        """The present state of the pendulum."""
        return self._pendulum

    def _find_push(self, felt: Felt) -> tuple[np.ndarray, np.ndarray] | None:
        """Return where the next plan should begin, position and velocity, if further from this one than tracking explains.

        Within that the controller's feedback on the divergent component brings it back; beyond, the footsteps must.
        """
        if felt.com is None or felt.velocity is None:
            return None
        com, velocity = felt.com - self._pendulum.com, felt.velocity - self._pendulum.velocity
        error = float(np.linalg.norm(com + velocity / self.omega))
        part = max(0.0, 1.0 - self._parameters.tracked * self._gait.zmp_inset / max(error, 1e-9))
        if part == 0.0:
            return None
        return self._pendulum.com + part * com, self._pendulum.velocity + part * velocity

    def _decide(self, wanted: WalkingVelocity) -> None:
        """Begin to walk; or plan at once where the operator has thought better of it."""
        stop = wanted.is_zero
        if self.phase is Phase.STANDING and not stop:
            # The foot on the side one walks or turns to goes first.
            sideways = wanted.sideways + self._gait.spacing * wanted.turning
            self._support = LEFT if sideways < 0.0 else RIGHT
            self._begin(Phase.STARTING)
        elif stop is not self._stop:
            self._since_solution = max(self._since_solution, self._parameters.period)
        self._stop = stop

    def _list_counts(self) -> tuple[int | None, ...]:
        """List how many footsteps may still come, None for as many as one likes: what is wanted first."""
        left = self._steps_left
        if self.phase in (Phase.STANDING, Phase.ENDING) or self._waits:
            return (left,)
        if not self._stop:
            return tuple(dict.fromkeys((None, left, 2))) if left is not None else (None,)
        if left is not None:
            return tuple(dict.fromkeys((left, 2, None)))
        late = self.phase is Phase.SINGLE and self._elapsed > self._parameters.undecided * self._timing.single_support
        fast = abs(self.velocity.forward) * self._gait.step_duration > self._parameters.brisk * self._gait.longest_step
        return (2, None) if late or fast else (1, 2, None)

    def _begin(self, phase: Phase) -> None:
        self.phase, self._elapsed, self._waits = phase, 0.0, False
        if phase is not Phase.SINGLE:
            self._chosen = None
        self._since_solution = math.inf

    def _index(self, side: float) -> int:
        return 0 if side == LEFT else 1

    def _placed(self) -> PlacedFeet:
        """Return the foot that the load comes from and the one that it goes to, or is on."""
        to = self._index(self._support)
        order = [1 - to, to]
        poses = self.feet[order]
        angles = np.arctan2(poses[:, 1, 0], poses[:, 0, 0])
        angles[0] = angles[1] + math.remainder(angles[0] - angles[1], 2.0 * math.pi)
        return PlacedFeet(positions=poses[:, :2, 3], angles=angles, sole=self._sole)

    def _solve(self, felt: Felt) -> None:
        """Plan anew from here; without any solution the last plan goes on."""
        self._since_solution = 0.0
        plan = self._choose(felt)
        if plan is None:
            self.failures += 1
            self.failures_in_a_row += 1
            return
        self._steps_left = plan.steps_left
        self.failures_in_a_row = 0
        self.infeasible += not plan.solution.feasible
        self._pendulum = self._pendulum.shift_dcm(plan.solution.dcm_shift, self.omega)
        self._plan, self._plan_age, self._timing = plan, 0.0, plan.timing
        self._chosen = plan.chosen or self._chosen

    def _choose(self, felt: Felt) -> StepPlan | None:
        """Return the plan of the first count of footsteps that holds the centre of mass and ends with feet level.

        Where no count does in the usual time, quicker footsteps are tried. Where there is none at all the walk ends when it
        would have, unless another count leaves clearly less undone.
        """
        placed = replace(self._placed(), regions=self._find_regions(felt))
        moments = [self._observe(count, felt, placed) for count in self._list_counts()]
        plans = []
        for hurry, moment in product((False, True), moments):
            plan = self._planner.plan(moment, self._timing, hurry=hurry)
            if plan is not None and plan.solution.feasible and plan.ends_level(self._parameters.level):
                return plan
            plans += [] if plan is None else [plan]
        return min(plans, key=self._rate, default=None)

    def _find_regions(self, felt: Felt) -> dict[int, np.ndarray]:
        """Find the ZMP's regions on those feet that stand, and do not bear everywhere."""
        placed, to = self._placed(), self._index(self._support)
        regions = {}
        for k, foot in enumerate((1 - to, to)):
            if felt.ground is None or (self._swing is not None and foot != to):
                continue
            bearing = felt.ground.find_bearing(placed.positions[k], float(placed.angles[k]), float(self.feet[foot, 2, 3]))
            if LEAST_BEARING < bearing.ratio < 1.0:
                regions[k] = cut_region(bearing, self._gait.zmp_inset)
        return regions

    def _rate(self, plan: StepPlan) -> float:
        """Return what a plan leaves undone [m], and something for an end that is another than before."""
        return plan.residue + (self._parameters.steady if plan.steps_left != self._steps_left else 0.0)

    def _observe(self, steps_left: int | None, felt: Felt, placed: PlacedFeet) -> Moment:
        """Return where the gait is, if so many footsteps are still to come."""
        return Moment(
            phase=self.phase,
            elapsed=self._elapsed,
            waits=self._waits,
            steps_left=steps_left,
            velocity=self.velocity,
            support=self._support,
            placed=placed,
            target=self._target,
            pendulum=self._pendulum,
            stance=self.get_stance()[0],
            ground=felt.ground,
            inset=self._gait.zmp_inset,
            chosen=self._chosen,
            swing=self._swing,
            aimed=self._swing is not None and self._aimed_at is not None,
        )

    def _advance_pendulum(self, dt: float) -> None:
        velocity = np.zeros(2) if self._plan is None else self._plan.find_zmp_velocity(self._plan_age)
        self._pendulum = self._pendulum.advance(velocity, dt, self.omega)
        self._plan_age += dt
        self._since_solution += dt

    def _advance_swing(self, felt: Felt, dt: float) -> None:
        if self.phase is not Phase.SINGLE or self._swing is None or self._plan is None:
            return
        foot, p, duration = self._index(-self._support), self._parameters, self._timing.single_support
        if self._elapsed < duration - p.frozen_for and self._plan is not self._aimed_at:
            self._aim(self._plan, felt)
        coming_down = self._elapsed > p.touch_after * duration
        self._pressed_for = self._pressed_for + dt if coming_down and self._is_pressed(foot, felt) else 0.0
        if self._pressed_for > (p.obstacle_time if self._is_high(foot, felt) else 0.0):
            self.feet[foot] = felt.poses[foot]
            self._swing, self.missed = None, False
            return
        self.missed = coming_down and bool(self._swing.position[5] < self._target[5] - p.deepest)
        self._swing = self._swing.stay() if self.missed else self._swing.advance(self._target, self._elapsed, duration, dt)
        self.feet[foot] = self._swing.pose

    def _is_pressed(self, foot: int, felt: Felt) -> bool:
        p = self._parameters
        return bool(felt.forces[foot] > max(p.touch_share, p.noise_ratio * felt.noise[foot]))

    def _is_high(self, foot: int, felt: Felt) -> bool:
        """Whether the foot in the air is high above the ground that it is on its way to: what taps it there is not that."""
        above = float(felt.poses[foot, 2, 3] - self._target[5])
        return above > self._parameters.low * self._gait.step_height

    def _aim(self, plan: StepPlan, felt: Felt) -> None:
        """Bring the foot in the air to a plan's first footstep."""
        self._aimed_at = plan
        self._target[:2], self._target[2] = plan.solution.footsteps[0], plan.footsteps.angles[0]
        self._target[3:] = self._find_foothold(felt)
        if self._swing is not None and felt.ground is not None:
            height = float(self.feet[self._index(self._support), 2, 3])
            highest = felt.ground.find_highest(self._swing.position[:2], self._target[:2], float(self._target[2]), height)
            self._swing = replace(self._swing, rise=max(self._swing.rise, highest - self._swing.start))

    def _find_foothold(self, felt: Felt) -> tuple[float, float, float]:
        """Return roll, pitch and height with which the foot in the air is to stand.

        As much as the map errs under the foot that stands, on one surface, it is taken to err at the next foothold.
        """
        support = self.feet[self._index(self._support)]
        height = float(support[2, 3])
        if felt.ground is None:
            return 0.0, 0.0, height
        foothold = felt.ground.find_foothold(self._target[:2], float(self._target[2]), height)
        here = felt.ground.find_foothold(support[:2, 3], math.atan2(support[1, 0], support[0, 0]), height)
        error = height - here.height if here.surfaces == 1 and foothold.surfaces > 0 else 0.0
        return foothold.roll, foothold.pitch, foothold.height + error

    def _advance_phase(self, felt: Felt, dt: float) -> None:
        self._elapsed += dt
        if self._elapsed < phase_duration(self.phase, self._timing) - 0.5 * dt:
            return
        if self.phase in (Phase.STARTING, Phase.DOUBLE):
            foot = self._index(-self._support)
            if felt.forces[foot] > self._parameters.lift_share:
                # Balance needs both feet still: shift the weight once more, from wherever it is.
                self._begin(Phase.STARTING)
                return
            self._swing, self._aimed_at = SwingFoot.lift(self.feet[foot], self._gait.step_height), None
            self._pressed_for = 0.0
            self._begin(Phase.SINGLE)
        elif self.phase is Phase.SINGLE:
            self._end_swing(dt)
        elif self.phase is Phase.ENDING:
            self._steps_left = None
            self._begin(Phase.STANDING)

    def _end_swing(self, dt: float) -> None:
        """Go on to both feet where the foot has touched; wait for it where it has not."""
        if self._swing is not None:
            self._elapsed -= dt
            if not self._waits:
                # By the last plan the load would go over from now on.
                self._waits, self._since_solution = True, math.inf
            return
        self.steps_made += 1
        self._support = -self._support
        if self._steps_left is None:
            self._begin(Phase.DOUBLE)
            return
        self._steps_left -= 1
        if self._steps_left == 0 and not self._is_level():
            self._steps_left = 1
        self._begin(Phase.ENDING if self._steps_left == 0 else Phase.DOUBLE)

    def _is_level(self) -> bool:
        placed = self._placed()
        forward = np.array([math.cos(placed.angles[1]), math.sin(placed.angles[1])])
        return abs(float(forward @ (placed.positions[1] - placed.positions[0]))) < self._parameters.level

    def _contacts(self) -> np.ndarray:
        contacts = np.ones(2, dtype=bool)
        contacts[self._index(-self._support)] = self._swing is None
        return contacts

    def _follow_feet(self, felt: Felt, dt: float) -> None:
        """Take the feet that bear for where they are measured, little by little."""
        part = dt / (self._parameters.follow + dt)
        for foot in np.flatnonzero(self._contacts()):
            self.feet[foot] = blend_poses(self.feet[foot], felt.poses[foot], part)

    def _follow_ground(self, dt: float) -> None:
        self._height.follow(self.ground_height, dt, still=self.still)

    def _share(self) -> np.ndarray:
        """Return the part of the load on the left and right foot, shape ``(2,)``.

        While the load goes over it is shared as the preview's region moves; a robot that stands has it where its ZMP is.
        """
        if not self._contacts().all() or self.phase is Phase.SINGLE:
            part = 1.0
        else:
            (blend,), (width,) = compute_progress(self.phase, np.array([self._elapsed]), self._gait)
            placed = self._placed().positions
            across = placed[1] - placed[0]
            along = float(across @ (self._pendulum.zmp - placed[0]) / (across @ across))
            part = (1.0 - width) * blend + width * min(1.0, max(0.0, along))
        shares = np.full(2, 1.0 - part)
        shares[self._index(self._support)] = part
        return shares

    def _sample(self) -> GaitSample:
        velocities, accelerations = np.zeros((2, 6)), np.zeros((2, 6))
        if self._swing is not None:
            foot = self._index(-self._support)
            velocities[foot], accelerations[foot] = self._swing.motion, self._swing.motion_rate
        return GaitSample(
            phase=self.phase,
            pendulum=self._pendulum,
            height=self._height.height,
            climb=self._height.climb,
            foot_poses=self.feet.copy(),
            foot_velocities=velocities,
            foot_accelerations=accelerations,
            contacts=self._contacts(),
            shares=self._share(),
            feasible=self._plan is None or self._plan.solution.feasible,
        )


def blend_poses(first: np.ndarray, second: np.ndarray, part: float) -> np.ndarray:
    """Return the pose a part of the way from one to another that is near it; homogeneous, shape ``(4, 4)``."""
    blended = first + part * (second - first)
    # Two steps of Newton's iteration make a rotation of what is almost one.
    for _ in range(2):
        R = blended[:3, :3]
        blended[:3, :3] = R @ (1.5 * np.eye(3) - 0.5 * R.T @ R)
    return blended
