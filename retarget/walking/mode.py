"""Walking mode: sticks to velocity, velocity to footsteps, and the whole body after them."""

from __future__ import annotations

import math

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ContactState, Footstep, ModeReport, Preview
from handhold.retarget.walking.body_room import HAND_CLEARANCE, TRUNK_CLEARANCE, BodyClearance, UprightFaces
from handhold.retarget.walking.carried_hands import HandTargets
from handhold.retarget.walking.entry import (
    CannotWalk,
    find_obstacle_to_walk,
    find_walking_feet,
    make_body_frame,
    mean_yaw,
    preview_walk,
)
from handhold.retarget.walking.foot_forces import FootForces
from handhold.retarget.walking.footsteps import ZERO_VELOCITY, WalkingVelocity, scale_command
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.gait_sample import GaitMeasurement
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.posture import PostureFollower, PostureParameters, PostureTargets
from handhold.retarget.walking.reference_builder import ReferenceBuilder
from handhold.retarget.walking.speed_limit import SpeedLimit
from handhold.retarget.walking.swing_moment import compute_swing_moment
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""The mode's own period [s]; the controller goes on from its velocity in between."""

MPC_ITERATIONS = 80
"""Iterations after which a program has failed: QP2's initial state is moved then, the posture rests for a period.

More than any of QP2 that has a solution took (``bench walking``), and than any of the postures' in the acceptance.
"""

REST_SPEED = 0.01
"""Speed of centre of mass [m/s] and joints [rad/s] under which a robot that stands is at rest."""

REPORT_PERIOD = 0.04
"""Time between two lists of the footsteps to come [s]."""

TURN_FILTER = 0.3
"""Time constant with which base and trunk turn after the feet [s]."""


class WalkingMode:
    """Drives the gait at its own period and commands the whole body.

    Attributes:
        gait: Phases, footsteps and centre of mass.
        failures: Quadratic programs without a solution so far.
    """

    profile = ModeProfile(
        name="walking",
        title="Walking",
        hints=ModeHints(left_stick="walk", right_stick="turn", secondary="motions; walking stops"),
        secondary_request="mode:motions",
        walks=True,
    )

    def __init__(
        self,
        model: RobotModel,
        solver: QpSolver,
        *,
        parameters: GaitParameters | None = None,
        posture: PostureParameters | None = None,
        period: float = PERIOD,
    ) -> None:
        """Prepare to walk.

        Raises:
            CannotWalk: The robot's description does not say how it walks, or on which two feet.
        """
        self._model, self._solver = model, solver
        self._parameters, self._posture_parameters = parameters, posture
        self._period, self._pending = period, 0.0
        self._walking, self._feet = find_walking_feet(model)
        self._sole = np.array(model.effectors[self._feet[0]].half_lengths)
        self._swing_moment = compute_swing_moment(model, self._feet[0])
        self._measured = EffectorKinematics(model)
        self._surfaces: tuple[Surface, ...] = ()
        self._ground: GroundMap | None = None
        self._upright = UprightFaces(())
        # the hands themselves, never the feet
        self._hand_effectors = model.effector_of_hand("left"), model.effector_of_hand("right")
        self.failures = self._failures_in_a_row = 0

    def describe(self) -> ModeOutput:
        """Return what there is to know of the mode now."""
        active = () if self._sample.feasible else ("stability",)
        return ModeOutput(
            reference=self._reference,
            status=self._describe_status(),
            report=ModeReport(active_constraints=active, footsteps=self._footsteps),
        )

    def _describe_status(self) -> ModeStatus:
        body = self._body()
        hands = [hand for hand in self._hand_effectors if hand is not None and self._hands.is_held(hand)]
        hold_reason = "a foot finds no ground" if self.gait.missed else ""
        return ModeStatus(
            hands=self._hand_effectors,
            hand_offsets={hand: self._hands.compute_offset(hand, body) for hand in hands},
            contacts=self._find_contacts(),
            stepping=bool(self._footsteps),
            at_rest=self._is_at_rest(),
            hold_reason=hold_reason,
            rest_obstacle=f"{hold_reason}: put something under it" if hold_reason else "",
            messages=self._find_messages(),
            failures=self.failures,
            failures_in_a_row=self._failures_in_a_row,
        )

    def _find_messages(self) -> tuple[str, ...]:
        barred = "a wall or an edge that way is in the way of the hands or the body"
        why = barred if self._limit.barred else "the ground that way is too high or too low to step on"
        stopped = () if self._limit.free == (1.0, 1.0) else (why,)
        return (*stopped, "slower, because the ground ahead goes up or down") if self._limit.slowed else stopped

    def _is_at_rest(self) -> bool:
        """Return whether the robot stands on both feet, and its posture is at rest."""
        slow = float(np.linalg.norm(self.gait.pendulum.velocity)) < REST_SPEED
        return self.gait.at_rest and slow and bool(np.abs(self._posture.v).max() < REST_SPEED)

    def _find_contacts(self) -> tuple[ContactState, ...]:
        contacts = [ContactState.FREE] * len(self._model.effectors)
        for foot, in_contact in zip(self._feet, self._sample.contacts, strict=True):
            contacts[foot] = ContactState.LOADED if in_contact else ContactState.FREE
        return tuple(contacts)

    def leave(self) -> None:
        """Come to rest for another mode: within two footsteps as in any hold, and hands stay where they have come to.

        Drawn at a target out of their reach, or back to the posture that the walk began in, arms would creep for long.
        """
        self._hands.freeze(self._posture.kinematics.poses, self._body())
        self._posture.freeze()

    def toggle(self, name: str) -> ModeOutput:
        """Turn over none: there is no toggle here.

        Raises:
            NoSuchToggle: Always.
        """
        raise NoSuchToggle(self.profile.name, name)

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the robot from walking as it stands: loaded hands, feet that are not loaded, level or near."""
        return find_obstacle_to_walk(
            self._model, reference.effector_poses, reference.contacts, reference.position_com_in_world
        )

    def preview(self, reference: Reference, /) -> Preview:
        """Return the posture that the robot walks in, on the feet it stands on."""
        obstacle = self.find_obstacle(reference)
        q = reference.q
        if not obstacle:
            q = preview_walk(self._model, q, reference.position_com_in_world, self._solver)
        return Preview(title=f"{self.profile.title}: ready to step", q=q, feasible=not obstacle, reason=obstacle)

    def prepare(self, _before: Reference, /) -> bool:
        """Be ready at once: taking charge takes a few milliseconds."""
        return True

    def enter(self, state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        """Take charge of a robot that stands on both feet; the first reference is its present posture.

        Raises:
            CannotWalk: It does not stand as one that could begin to walk.
        """
        model = self._model
        self._measured.update(state.q)
        poses = self._measured.poses.copy()
        self._posture = PostureFollower(model, state.q if before is None else before.q, self._solver, self._posture_parameters)
        com = self._posture.kinematics.position_com_in_world.copy()
        contacts = np.isin(np.arange(len(model.effectors)), self._feet) if before is None else before.contacts
        if obstacle := find_obstacle_to_walk(model, poses, contacts, com):
            raise CannotWalk(model.description.source, "the robot cannot begin to walk as it stands", obstacle)
        feet = poses[list(self._feet)]
        self.gait = Gait(self._walking, self._sole, feet, com, self._solver, self._parameters, self._swing_moment)
        self._yaw, self._yaw_rate = mean_yaw(feet), 0.0
        self._hands = HandTargets()
        self._pending, self._forces = 0.0, FootForces()
        self._footsteps: tuple[Footstep, ...] = ()
        self._until_report = 0.0
        self._limit = SpeedLimit(self._walking)
        self._failures_in_a_row = 0
        self._builder = ReferenceBuilder(model, self._feet, self.gait.omega, self._swing_moment)
        self._update_forces(state, np.zeros(2, dtype=bool), 0.0)
        self._sample = self.gait.step(ZERO_VELOCITY, self._measure(state), self._period)
        self._reference = self._builder.build(state.time, self._sample, self._posture)
        self._output = self.describe()
        return self._output

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Step the gait when its period is up; with ``hold`` the robot stops within two footsteps."""
        self._pending += dt
        self._update_forces(state, self.gait.untouched, dt)
        if self._pending < self._period - 0.5 * dt:
            return self._output
        elapsed, self._pending = self._pending, 0.0
        velocity = ZERO_VELOCITY if hold else scale_command(command.com_velocity, command.yaw_rate, self._walking)
        self._update_hands(command, hold=hold)
        self._update_ground(surfaces)
        self.follow(self._limit.limit(velocity, self._ground, self.gait, elapsed, self._find_body()), state, elapsed)
        self._output = self.describe()
        return self._output

    def follow(self, velocity: WalkingVelocity, state: RobotState, dt: float) -> Reference:
        """Take one step of the mode's period at a desired velocity, and return its reference."""
        self._measured.update(state.q)
        failures = self.gait.failures + self._posture.failures
        self._sample = self.gait.step(velocity, self._measure(state), dt)
        self._report_footsteps(dt)
        self._turn(dt)
        self._posture.step(self._aim(), dt)
        self.failures += self.gait.failures + self._posture.failures - failures
        self._failures_in_a_row = max(self.gait.failures_in_a_row, self._posture.failures_in_a_row)
        self._reference = self._builder.build(state.time, self._sample, self._posture)
        return self._reference

    def _update_ground(self, surfaces: tuple[Surface, ...]) -> None:
        """Take over what is known of the ground, when it is something new."""
        if surfaces is not self._surfaces:
            self._surfaces, self._ground = surfaces, GroundMap(surfaces, self._sole)
            self._upright = UprightFaces(surfaces)

    def _find_body(self) -> BodyClearance:
        """Return the hands and the trunk, with the distance that each keeps from what stands upright."""
        hands = [hand for hand in self._hand_effectors if hand is not None]
        kinematics = self._posture.kinematics
        points = np.vstack([kinematics.poses[hands, :3, 3], kinematics.position_com_in_world])
        radii = [self._model.effectors[hand].radius + HAND_CLEARANCE for hand in hands]
        return BodyClearance(faces=self._upright, points=points, clearances=np.array([*radii, TRUNK_CLEARANCE]))

    def _report_footsteps(self, dt: float) -> None:
        """List the upcoming footsteps as often as the eye needs them."""
        self._until_report -= dt
        if self._until_report <= 0.0:
            self._footsteps, self._until_report = self.gait.list_footsteps(), REPORT_PERIOD

    def _update_forces(self, state: RobotState, untouched: np.ndarray, dt: float) -> None:
        self._forces.update(state.contact_wrenches[list(self._feet), 2] / self._model.weight, untouched, dt)

    def _measure(self, state: RobotState) -> GaitMeasurement:
        forces, com = self._forces, self._measured.position_com_in_world
        measured = GaitMeasurement(
            poses=self._measured.poses[list(self._feet)],
            forces=forces.peaks,
            noise=forces.noise,
            com=com[:2],
            velocity=(self._measured.jacobian_com @ state.v)[:2],
            ground=self._ground,
        )
        forces.clear()
        return measured

    def _turn(self, dt: float) -> None:
        difference = math.remainder(mean_yaw(self._sample.foot_poses) - self._yaw, 2.0 * math.pi)
        self._yaw_rate = difference / TURN_FILTER
        self._yaw += dt * self._yaw_rate

    def _update_hands(self, command: OperatorCommand, *, hold: bool) -> None:
        """Take over the operator's targets of the hands, relative to a walking body; with ``hold`` only who let go."""
        body = self._body()
        for effector, hand in zip(self._hand_effectors, (command.left, command.right), strict=True):
            if effector is not None and not (hold and hand.engaged):
                self._hands.follow(effector, hand, body)

    def _body(self) -> np.ndarray:
        return make_body_frame(self.gait.pendulum.com, self._yaw)

    def _aim(self) -> PostureTargets:
        sample, pendulum = self._sample, self._sample.pendulum
        return PostureTargets(
            com=np.array([*pendulum.com, sample.height]),
            com_velocity=np.array([*pendulum.velocity, sample.height_rate]),
            effectors=self._feet,
            poses=sample.foot_poses,
            velocities=sample.foot_velocities,
            yaw=self._yaw,
            yaw_rate=self._yaw_rate,
            hands=self._hands.compute_targets(self._body()),
        )
