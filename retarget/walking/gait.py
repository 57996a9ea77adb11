"""The gait: a stepped machine of phases that turns a velocity into a centre of mass, feet and how they share the load."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from handhold.retarget.mode import ComingStep
from handhold.retarget.walking.footsteps import LEFT, RIGHT, STILL, FootstepPlan, WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.mpc import MpcSolution, Preview, WalkingMpc
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState, compute_natural_frequency
from handhold.retarget.walking.swing import SwingFoot
from handhold.retarget.walking.timing import (
    Phase,
    PlacedFeet,
    build_preview,
    compute_progress,
    list_cells,
    list_segments,
    phase_duration,
)
from handhold.robots.description import GAIT_CELL, Walking
from handhold.robots.qp import QpSolver

ON_TWO_FEET = (Phase.STANDING, Phase.STARTING, Phase.DOUBLE, Phase.ENDING)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Felt:
    """What is measured; feet are left before right.

    Attributes:
        poses: Of the soles in world, shape ``(2, 4, 4)``, homogeneous.
        forces: Normal forces on them as parts of the robot's weight, shape ``(2,)`` [-].
        com: Centre of mass seen from above, shape ``(2,)`` [m]; None to walk by the plan alone.
        velocity: Its velocity, shape ``(2,)`` [m/s]; None likewise.
        ground: What is known of the ground; None to take it for as high as the other foot stands.
    """

    poses: np.ndarray
    forces: np.ndarray
    com: np.ndarray | None = None
    velocity: np.ndarray | None = None
    ground: GroundMap | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GaitSample:
    """What the gait asks of the robot now; feet are left before right.

    Attributes:
        phase: What the feet do.
        pendulum: Centre of mass and ZMP seen from above.
        height: Height of the centre of mass [m].
        climb: Its rate [m/s].
        foot_poses: In world, shape ``(2, 4, 4)``, homogeneous.
        foot_velocities: Linear and angular, in world axes, shape ``(2, 6)``.
        foot_accelerations: Likewise.
        contacts: Which feet bear, shape ``(2,)``, bool.
        shares: Part of the load on each, shape ``(2,)`` [-].
        feasible: Whether the last program could hold the centre of mass without moving its state.
    """

    phase: Phase
    pendulum: PendulumState
    height: float
    climb: float
    foot_poses: np.ndarray
    foot_velocities: np.ndarray
    foot_accelerations: np.ndarray
    contacts: np.ndarray
    shares: np.ndarray
    feasible: bool


class Gait:
    """Walks; what it keeps from step to step is where the feet stand, the phase, the pendulum and the last plan.

    Attributes:
        phase: What the feet do.
        velocity: Velocity walked at now.
        steps_made: Footsteps so far.
        failures: Programs without any solution so far; the last plan goes on meanwhile.
        failures_in_a_row: How many of them since the last with one.
        infeasible: Programs so far whose initial state had to be moved for the constraints to hold.
        problem: What QP2 was last solved for; None before the first time.
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
    ) -> None:
        """Begin standing.

        Args:
            gait: How the robot walks.
            sole: Half lengths of a sole, shape ``(2,)`` [m].
            feet: Poses of the left and right sole in world, shape ``(2, 4, 4)``.
            com: Centre of mass, at rest, shape ``(3,)`` [m].
            solver: Solves QP2.
            parameters: How to plan; None for the defaults.
        """
        self._gait, self._parameters = gait, parameters or GaitParameters()
        self._timings = [
            gait.model_copy(update={"single_support": gait.single_support - shorter * GAIT_CELL})
            for shorter in range(self._parameters.hastes + 1)
        ]
        self._timing = gait
        self._sole = sole - gait.zmp_inset
        self.feet = feet.copy()
        ground = float(feet[:, 2, 3].mean())
        self._drop = 0.0
        self._standing_height = float(com[2]) - ground
        self._ground, self._climb = ground, 0.0
        self.omega = compute_natural_frequency(self._standing_height - gait.com_drop)
        p = self._parameters
        self._mpc = WalkingMpc(p.cells, p.steps, self.omega, solver, p.mpc)
        self._pendulum = PendulumState(com=com[:2].copy(), velocity=np.zeros(2), zmp=com[:2].copy())
        self.velocity = STILL
        self.phase = Phase.STANDING
        self._elapsed = 0.0
        self._support = RIGHT
        self._steps_left: int | None = None
        self._swing: SwingFoot | None = None
        self._target = np.zeros(6)
        self._solution: MpcSolution | None = None
        self._plan: FootstepPlan | None = None
        self.problem: tuple[PendulumState, Preview] | None = None
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
            self._solve()
        self._advance_pendulum(dt)
        self._advance_swing(felt, dt)
        self._advance_phase(felt, dt)
        self._follow_ground(dt)
        return self._sample()

    def list_footsteps(self) -> tuple[ComingStep, ...]:
        """List the footsteps that are still to come by the last plan, with the times until they come down."""
        solution, plan = self._solution, self._plan
        if solution is None or plan is None or self.phase in (Phase.STANDING, Phase.ENDING):
            return ()
        before = phase_duration(self.phase, self._timing) - self._elapsed
        first = before if self.phase is Phase.SINGLE else before + self._timing.single_support
        count = len(solution.footsteps) if self._steps_left is None else min(self._steps_left, len(solution.footsteps))
        steps = []
        for k in range(count):
            pose = np.eye(4)
            pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, float(plan.angles[k]))
            pose[:3, 3] = *solution.footsteps[k], self._ground
            side = "left" if plan.sides[k] == LEFT else "right"
            steps.append(ComingStep(side=side, pose=pose, delay=max(0.0, first + k * self._timing.step_duration)))
        return tuple(steps)

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
        part = max(0.0, 1.0 - self._parameters.tracked / max(error, 1e-9))
        if part == 0.0:
            return None
        return self._pendulum.com + part * com, self._pendulum.velocity + part * velocity

    def _decide(self, wanted: WalkingVelocity) -> None:
        """Begin to walk, or count the steps that are left."""
        if not wanted.is_zero:
            if self.phase is not Phase.ENDING:
                self._steps_left = None
            if self.phase is Phase.STANDING:
                # The foot on the side one walks or turns to goes first.
                sideways = wanted.sideways + self._gait.spacing * wanted.turning
                self._support = LEFT if sideways < 0.0 else RIGHT
                self._begin(Phase.STARTING)
            return
        if self._steps_left is None and self.phase in (Phase.SINGLE, Phase.DOUBLE, Phase.STARTING):
            late = self.phase is Phase.SINGLE and self._elapsed > self._parameters.undecided * self._timing.single_support
            fast = abs(self.velocity.forward) * self._gait.step_duration > self._parameters.brisk
            self._steps_left = 1 + max(late, fast)
            self._since_solution = math.inf

    def _begin(self, phase: Phase) -> None:
        self.phase, self._elapsed = phase, 0.0
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

    def _solve(self) -> None:
        """Solve QP2; where no footsteps hold the pendulum, see whether quicker ones would."""
        tried = [self._try(timing) for timing in self._list_timings()[:1]]
        if not tried[0][1].feasible:
            tried += [self._try(timing) for timing in self._list_timings()[1:]]
        timing, solution, plan = min(tried, key=lambda one: _rate(one[1]))
        self._since_solution = 0.0
        if not solution.solved:
            self.failures += 1
            self.failures_in_a_row += 1
            return
        self.failures_in_a_row = 0
        self.infeasible += not solution.feasible
        self._pendulum = self._pendulum.shift_dcm(solution.dcm_shift, self.omega)
        self._solution, self._plan, self._timing = solution, plan, timing

    def _list_timings(self) -> list[Walking]:
        """Return the timings that are still possible, the usual one first: a swing under way only gets shorter."""
        if self.phase is not Phase.SINGLE:
            return self._timings
        least, present = self._elapsed + self._parameters.shortest, self._timing
        shorter = [t for t in self._timings if least <= t.single_support < present.single_support]
        return [present, *shorter]

    def _try(self, gait: Walking) -> tuple[Walking, MpcSolution, FootstepPlan]:
        p = self._parameters
        elapsed = min(self._elapsed, phase_duration(self.phase, gait) - p.period)
        durations = list_cells(elapsed, p.cells + p.beyond)
        segments = list_segments(self.phase, elapsed, self._steps_left, float(durations.sum()), gait)
        placed = self._placed()
        count = max(p.steps, max(segment.feet[1] for segment in segments) - 1)
        last = None if self._steps_left is None else self._steps_left - 1
        plan = plan_footsteps(self.velocity, self._support, float(placed.angles[1]), count, gait, last=last)
        plan = self._freeze(plan, placed, gait)
        preview = build_preview(segments, durations, (p.cells, p.steps), placed, plan, self.omega, gait)
        self.problem = (self._pendulum, preview)
        return gait, self._mpc.solve(*self.problem), plan

    def _freeze(self, plan: FootstepPlan, placed: PlacedFeet, gait: Walking) -> FootstepPlan:
        """Return the plan, with the footstep that is about to be made where it already is planned."""
        if self.phase is not Phase.SINGLE or self._elapsed < gait.single_support - self._parameters.frozen_for:
            return plan
        angle = placed.angles[1]
        c, s = math.cos(angle), math.sin(angle)
        displacement = np.array([[c, s], [-s, c]]) @ (self._target[:2] - placed.positions[1])
        wanted, lower, upper = plan.wanted.copy(), plan.lower.copy(), plan.upper.copy()
        # Bounds that are equal would be an equality, which solvers treat apart.
        wanted[0], lower[0], upper[0] = displacement, displacement - 1e-6, displacement + 1e-6
        angles = plan.angles + (self._target[2] - plan.angles[0])
        return replace(plan, wanted=wanted, lower=lower, upper=upper, angles=angles)

    def _advance_pendulum(self, dt: float) -> None:
        velocities = np.zeros((1, 2)) if self._solution is None else self._solution.zmp_velocities
        self._pendulum = self._pendulum.advance(velocities[0], dt, self.omega)
        self._since_solution += dt

    def _advance_swing(self, felt: Felt, dt: float) -> None:
        if self.phase is not Phase.SINGLE or self._solution is None or self._plan is None:
            return
        foot, p, duration = self._index(-self._support), self._parameters, self._timing.single_support
        if self._swing is None:
            return
        if self._elapsed < duration - p.frozen_for:
            self._target[:2], self._target[2] = self._solution.footsteps[0], self._plan.angles[0]
            self._target[3:] = self._find_foothold(felt)
        if self._elapsed > p.touch_after * duration and felt.forces[foot] > p.touch_share:
            self.feet[foot] = felt.poses[foot]
            self._swing = None
            return
        self.missed = bool(self._swing.position[5] < self._target[5] - p.deepest)
        if not self.missed:
            self._swing = self._swing.advance(self._target, self._elapsed, duration, dt)
        self.feet[foot] = self._swing.pose

    def _find_foothold(self, felt: Felt) -> tuple[float, float, float]:
        """Return roll, pitch and height with which the foot in the air is to stand."""
        height = float(self.feet[self._index(self._support), 2, 3])
        if felt.ground is None:
            return 0.0, 0.0, height
        foothold = felt.ground.find_foothold(self._target[:2], float(self._target[2]), height)
        return foothold.roll, foothold.pitch, foothold.height

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
            self._swing = SwingFoot.lift(self.feet[foot], self._gait.step_height)
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
        p, bearing = self._parameters, self._contacts()
        part = dt / (p.ground_filter + dt)
        ground = float(self.feet[bearing, 2, 3].mean())
        drop = 0.0 if self.still else self._gait.com_drop
        before = self._ground - self._drop
        self._ground += part * (ground - self._ground)
        self._drop += part * (drop - self._drop)
        self._climb = (self._ground - self._drop - before) / dt

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
            height=self._standing_height + self._ground - self._drop,
            climb=self._climb,
            foot_poses=self.feet.copy(),
            foot_velocities=velocities,
            foot_accelerations=accelerations,
            contacts=self._contacts(),
            shares=self._share(),
            feasible=self._solution is None or self._solution.feasible,
        )


def _rate(solution: MpcSolution) -> float:
    """Return how much a solution leaves undone [m]; the first of two that leave nothing is taken."""
    return float(np.linalg.norm(solution.dcm_shift)) if solution.solved else math.inf


def blend_poses(first: np.ndarray, second: np.ndarray, part: float) -> np.ndarray:
    """Return the pose a part of the way from one to another that is near it; homogeneous, shape ``(4, 4)``."""
    blended = first + part * (second - first)
    # Two steps of Newton's iteration make a rotation of what is almost one.
    for _ in range(2):
        R = blended[:3, :3]
        blended[:3, :3] = R @ (1.5 * np.eye(3) - 0.5 * R.T @ R)
    return blended
