"""The gait: a stepped machine of phases that turns a velocity into a centre of mass, feet and their load ratios."""

from __future__ import annotations

import numpy as np

from handhold.retarget.mode_report import Footstep
from handhold.retarget.walking.current_plan import CurrentPlan
from handhold.retarget.walking.foot_swing import FootSwing
from handhold.retarget.walking.footsteps import LEFT, RIGHT, ZERO_VELOCITY, WalkingVelocity
from handhold.retarget.walking.gait_feet import GaitFeet
from handhold.retarget.walking.gait_sample import GaitMeasurement, GaitSample
from handhold.retarget.walking.height import ComHeightFilter
from handhold.retarget.walking.load_transfer import compute_load_ratios
from handhold.retarget.walking.mpc import Preview
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState, compute_natural_frequency
from handhold.retarget.walking.plan_choice import PlanChoice
from handhold.retarget.walking.push_recovery import find_pushed_state
from handhold.retarget.walking.step_planner import GaitState, StepPlanner
from handhold.retarget.walking.stride import Stance
from handhold.retarget.walking.timing import Phase, phase_duration
from handhold.retarget.walking.walking_line import WalkingLine
from handhold.robots.description import Walking
from handhold.robots.qp import QpSolver


class Gait:
    """Walks; what it keeps from step to step is where the feet are, the phase, the pendulum and the last plan.

    Attributes:
        phase: What the feet do.
        elapsed: How long they have done it [s].
        velocity: Velocity walked at now.
        omega: Natural frequency of the pendulum [1/s].
        pendulum: The present state of the pendulum.
        steps_made: Footsteps so far.
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
        self._feet = GaitFeet(feet, RIGHT, sole, gait.zmp_inset)
        ground = float(feet[:, 2, 3].mean())
        height = float(com[2]) - ground
        self._height = ComHeightFilter(height, ground, gait.com_drop, self._parameters.ground_filter)
        self.omega = compute_natural_frequency(height - gait.com_drop)
        self._planner = StepPlanner(gait, self.omega, solver, self._parameters, swing_moment)
        self._choice = PlanChoice(gait, self._planner, self._parameters)
        self._current = CurrentPlan(gait)
        self.pendulum = PendulumState(com=com[:2].copy(), velocity=np.zeros(2), zmp=com[:2].copy())
        self._line = WalkingLine(com[:2], self._parameters.line_filter)
        self.velocity, self._stop = ZERO_VELOCITY, True
        self.phase, self.elapsed = Phase.STANDING, 0.0
        # Whether the phase should be over, and goes on because the foot in the air still looks for the ground.
        self._waits = False
        # Footsteps still to come; None for any number.
        self._steps_left: int | None = None
        self._swing: FootSwing | None = None
        self.steps_made = 0

    @property
    def feet(self) -> np.ndarray:
        """Poses of the left and right sole in world, shape ``(2, 4, 4)``."""
        return self._feet.poses

    @property
    def at_rest(self) -> bool:
        """Whether the robot stands and no footstep is to come."""
        return self.phase is Phase.STANDING and self.velocity.is_zero

    @property
    def missed(self) -> bool:
        """Whether the foot in the air found no ground where it may look for it."""
        return self._swing is not None and self._swing.missed

    @property
    def failures(self) -> int:
        """Programs without any solution so far; the last plan goes on meanwhile."""
        return self._current.failures

    @property
    def failures_in_a_row(self) -> int:
        """How many of them since the last with one."""
        return self._current.failures_in_a_row

    @property
    def infeasible(self) -> int:
        """Programs so far whose initial state had to be moved for the constraints to hold."""
        return self._current.infeasible

    @property
    def untouched(self) -> np.ndarray:
        """Which feet are in the air where no touch counts yet, shape ``(2,)``, bool: what is measured of them is noise."""
        in_air = ~self._contacts
        early = self.elapsed <= self._parameters.touch_phase * self._current.timing.single_support
        return in_air if early else np.zeros_like(in_air)

    @property
    def problem(self) -> tuple[PendulumState, Preview] | None:
        """What QP2 was last solved for; None before the first time."""
        return self._planner.problem

    @property
    def ground_height(self) -> float:
        """Height of the ground under the feet in contact [m]."""
        return self._feet.compute_height(self._contacts)

    @property
    def _contacts(self) -> np.ndarray:
        return self._feet.list_contacts(swings=self._swing is not None)

    def list_footsteps(self) -> tuple[Footstep, ...]:
        """List the footsteps that are still to come by the last plan, with the times until they come down."""
        return self._current.list_footsteps(self.phase, self.elapsed, self._steps_left, self._height.ground)

    def get_stance(self) -> tuple[Stance, float]:
        """Return where the robot stands, on the foot that supports or that the load goes to, and the side of that one."""
        feet, placed = self._feet, self._feet.placed
        lateral = 0.5 * self._gait.spacing * feet.support
        stance = Stance(
            support=placed.positions[1],
            angle=float(placed.angles[1]),
            height=float(feet.support_pose[2, 3]),
            lift_off_height=float(feet.swing_pose[2, 3]) if self._swing is None else self._swing.foot.start,
            lateral_offset=self._line.find_lateral_offset(placed, lateral, self.velocity.direction),
        )
        return stance, feet.support

    def push(self, com: np.ndarray, velocity: np.ndarray) -> None:
        """Take the centre of mass for where it is measured, shape ``(2,)`` [m] and [m/s]: the next plan starts there."""
        self.pendulum = PendulumState(com=com, velocity=velocity, zmp=self.pendulum.zmp)

    def step(self, desired: WalkingVelocity, measured: GaitMeasurement, dt: float) -> GaitSample:
        """Go on by ``dt``.

        Args:
            desired: Velocity asked for; nothing to stop.
            measured: What is measured of the feet and the centre of mass.
            dt: Time [s].
        """
        self.velocity = self.velocity.approach(desired, self._gait, dt)
        self._start_or_stop(desired)
        self._feet.follow(measured.poses, self._contacts, dt / (self._parameters.follow + dt))
        self._plan(measured, dt)
        self.pendulum = self.pendulum.advance(self._current.find_zmp_velocity(), dt, self.omega)
        self._current.advance(dt)
        self._line.follow(self.pendulum.com, self._feet.heading, self.velocity.direction, dt)
        self._advance_swing(measured, dt)
        self._advance_phase(measured, dt)
        self._height.follow(self.ground_height, dt, at_rest=self.at_rest)
        return self._sample()

    def _start_or_stop(self, desired: WalkingVelocity) -> None:
        """Begin to walk; or plan at once where the operator's command starts or ends."""
        stop = desired.is_zero
        if self.phase is Phase.STANDING and not stop:
            # The foot on the side one walks or turns to goes first.
            sideways = desired.sideways + self._gait.spacing * desired.turning
            self._feet.support = LEFT if sideways < 0.0 else RIGHT
            self._begin(Phase.STARTING)
        elif stop is not self._stop:
            self._current.request()
        self._stop = stop

    def _begin(self, phase: Phase) -> None:
        self.phase, self.elapsed, self._waits = phase, 0.0, False
        if phase is not Phase.SINGLE:
            self._current.forget_foothold()
        self._current.request()

    def _plan(self, measured: GaitMeasurement, dt: float) -> None:
        """Plan anew when it is time, under a push from what is measured; without any solution the last plan goes on."""
        tolerance = self._parameters.tracking_ratio * self._gait.zmp_inset
        pushed = find_pushed_state(self.pendulum, measured, self.omega, tolerance)
        if not self._current.is_due(self._parameters.period if pushed is None else self._parameters.pushed_period, dt):
            return
        self.pendulum = pushed or self.pendulum
        plan = self._choice.choose(self._observe(measured), self._current.timing, stop=self._stop)
        self._current.update(plan)
        if plan is not None:
            self._steps_left = plan.steps_left
            self.pendulum = self.pendulum.shift_dcm(plan.solution.dcm_shift, self.omega)

    def _observe(self, measured: GaitMeasurement) -> GaitState:
        """Return where the gait is."""
        feet, swing = self._feet, self._swing
        return GaitState(
            phase=self.phase,
            elapsed=self.elapsed,
            waits=self._waits,
            steps_left=self._steps_left,
            velocity=self.velocity,
            support=feet.support,
            placed=feet.place_on(measured.ground, self._contacts),
            target=np.zeros(6) if swing is None else swing.target,
            pendulum=self.pendulum,
            stance=self.get_stance()[0],
            ground=measured.ground,
            inset=self._gait.zmp_inset,
            chosen=self._current.foothold,
            swing=None if swing is None else swing.foot,
            aimed=swing is not None and swing.is_aimed,
        )

    def _advance_swing(self, measured: GaitMeasurement, dt: float) -> None:
        plan, swing, feet = self._current.plan, self._swing, self._feet
        if swing is None or plan is None:
            return
        if swing.advance(plan, measured, feet.support_pose, self.elapsed, dt):
            self._swing = None
            feet.move_swing_foot(measured.poses[feet.swing_index])
        else:
            feet.move_swing_foot(swing.foot.pose)

    def _advance_phase(self, measured: GaitMeasurement, dt: float) -> None:
        self.elapsed += dt
        if self.elapsed < phase_duration(self.phase, self._current.timing) - 0.5 * dt:
            return
        if self.phase in (Phase.STARTING, Phase.DOUBLE):
            self._lift_foot(measured)
        elif self.phase is Phase.SINGLE and self._swing is not None:
            self._wait_for_touch(dt)
        elif self.phase is Phase.SINGLE:
            self._end_step()
        elif self.phase is Phase.ENDING:
            self._steps_left = None
            self._begin(Phase.STANDING)

    def _lift_foot(self, measured: GaitMeasurement) -> None:
        feet = self._feet
        if measured.forces[feet.swing_index] > self._parameters.lift_off_ratio:
            # Balance needs both feet still: shift the weight once more, from wherever it is.
            self._begin(Phase.STARTING)
            return
        self._swing = FootSwing(feet.swing_index, feet.swing_pose, self._gait.step_height, self._parameters)
        self._begin(Phase.SINGLE)

    def _wait_for_touch(self, dt: float) -> None:
        self.elapsed -= dt
        if not self._waits:
            # By the last plan the load would go over from now on.
            self._waits = True
            self._current.request()

    def _end_step(self) -> None:
        """Go on to both feet."""
        self.steps_made += 1
        self._feet.swap()
        if self._steps_left is None:
            self._begin(Phase.DOUBLE)
            return
        self._steps_left -= 1
        if self._steps_left == 0 and not self._feet.is_level(self._parameters.level):
            self._steps_left = 1
        self._begin(Phase.ENDING if self._steps_left == 0 else Phase.DOUBLE)

    def _sample(self) -> GaitSample:
        velocities, accelerations = np.zeros((2, 6)), np.zeros((2, 6))
        if self._swing is not None:
            foot, state = self._feet.swing_index, self._swing.foot
            velocities[foot], accelerations[foot] = state.motion, state.motion_rate
        return GaitSample(
            phase=self.phase,
            pendulum=self.pendulum,
            height=self._height.height,
            height_rate=self._height.height_rate,
            foot_poses=self._feet.poses.copy(),
            foot_velocities=velocities,
            foot_accelerations=accelerations,
            contacts=self._contacts,
            load_ratios=compute_load_ratios(self.phase, self.elapsed, self._feet, self.pendulum.zmp, self._gait),
            feasible=self._current.feasible,
        )
