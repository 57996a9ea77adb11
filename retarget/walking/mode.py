"""Walking mode: sticks to velocity, velocity to footsteps, and the whole body after them."""

from __future__ import annotations

import math

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import ComingPose, ComingStep, NoSuchSwitch, StabilitySight, Switch
from handhold.retarget.walking.carried_hands import CarriedHands
from handhold.retarget.walking.entry import (
    CannotWalk,
    find_obstacle_to_walk,
    find_walking_feet,
    foresee_walk,
    make_body_frame,
    mean_yaw,
)
from handhold.retarget.walking.foot_forces import FootForces
from handhold.retarget.walking.footsteps import STILL, WalkingVelocity, scale_command
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.gait_sample import Felt
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
"""Iterations after which a program is given up: QP2's initial state is moved then, the posture rests for a period.

More than any of QP2 that has a solution took (``bench walking``), and than any of the postures' in the acceptance.
"""

REST_SPEED = 0.01
"""Speed of centre of mass [m/s] and joints [rad/s] under which a robot that stands is at rest."""

TELL_EVERY = 0.04
"""Time between two lists of the footsteps to come [s]."""

TURN_FILTER = 0.3
"""Time constant with which base and trunk turn after the feet [s]."""


class WalkingMode:
    """Drives the gait at its own period and tells the controller what the whole body does.

    Attributes:
        gait: Phases, footsteps and centre of mass.
        failures: Quadratic programs without a solution so far.
        failures_in_a_row: How many of them since the last that had one, of the gait's or of the posture's.
        active: Names of the constraints that hold the reference back now.
    """

    name = "walking"
    title = "Walking"

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
        self.failures = 0
        self.failures_in_a_row = 0
        self.active: tuple[str, ...] = ()

    @property
    def hands(self) -> tuple[int | None, int | None]:
        """The effectors that the operator's left and right hand command: the hands themselves, never the feet."""
        return self._model.effector_of_hand("left"), self._model.effector_of_hand("right")

    @property
    def restarted(self) -> frozenset[int]:
        """Effectors whose clutch must begin anew: none, a walking robot takes its hands along."""
        return frozenset()

    @property
    def busy(self) -> bool:
        """Whether a motion that a button began is under way: no button begins one here."""
        return False

    @property
    def hold_reason(self) -> str:
        """Why the robot must hold, in words; empty where nothing is wrong."""
        return "a foot finds no ground" if self.gait.missed else ""

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        stopped = () if self._limit.free == (1.0, 1.0) else ("the ground that way is too high or too low to step on",)
        return (*stopped, "slower, because the ground ahead goes up or down") if self._limit.slowed else stopped

    @property
    def refused(self) -> int:
        """Commands of the operator refused so far."""
        return 0

    @property
    def coming(self) -> ComingPose | None:
        """The pose that was asked to be seen in advance: none here."""
        return None

    @property
    def footsteps(self) -> tuple[ComingStep, ...]:
        """Footsteps to come, the next one first."""
        return self._footsteps

    @property
    def coming_stability(self) -> StabilitySight | None:
        """Where the centre of mass could be, did a hand bear that comes near a surface: not told."""
        return None

    @property
    def stability(self) -> StabilitySight | None:
        """Where the centre of mass may be: not told while it moves; what holds it is in the reference."""
        return None

    @property
    def stepping(self) -> bool:
        """Whether the robot takes footsteps, and stands otherwise when it has stopped."""
        return bool(self._footsteps)

    @property
    def unrest(self) -> str:
        """Why the robot does not come to rest by itself: a foot that has found no ground."""
        return f"{self.hold_reason}: put something under it" if self.hold_reason else ""

    def leave(self) -> None:
        """Come to rest for another mode: within two footsteps as in any hold, and hands stay where they have come to.

        Drawn at a target out of their reach, or back to the posture that the walk began in, arms would creep for long.
        """
        self._hands.stay(self._posture.kinematics.poses, self._body())
        self._posture.stay()

    @property
    def settled(self) -> bool:
        """Whether the robot stands on both feet, and its posture is at rest."""
        slow = float(np.linalg.norm(self.gait.pendulum.velocity)) < REST_SPEED
        return self.gait.still and slow and bool(np.abs(self._posture.v).max() < REST_SPEED)

    def carry(self, effector: int, /) -> np.ndarray | None:
        """Return the way that the body has taken a hand along since its clutch closed; None while it is open."""
        return self._hands.compute_way(effector, self._body()) if self._hands.is_held(effector) else None

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What the operator may turn on and off: nothing here."""
        return ()

    def switch(self, name: str) -> None:
        """Turn over none: there is no switch here.

        Raises:
            NoSuchSwitch: Always.
        """
        raise NoSuchSwitch(self.name, name)

    def describe_contact(self, effector: int) -> str:
        """Return the state of an effector's contact in a word."""
        if effector in self._feet:
            return "contact" if self._sample.contacts[self._feet.index(effector)] else "free"
        return "free"

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the robot from walking as it stands: loaded hands, feet that do not bear, stand level or near."""
        return find_obstacle_to_walk(
            self._model, reference.effector_poses, reference.contacts, reference.position_com_in_world
        )

    def foresee(self, reference: Reference, /) -> ComingPose:
        """Return the posture that the robot walks in, on the feet it stands on."""
        obstacle = self.find_obstacle(reference)
        q = reference.q
        if not obstacle:
            q = foresee_walk(self._model, q, reference.position_com_in_world, self._solver)
        return ComingPose(title=f"{self.title}: ready to step", q=q, feasible=not obstacle, reason=obstacle)

    def prepare(self, _before: Reference, /) -> bool:
        """Be ready at once: taking charge takes a few milliseconds."""
        return True

    def enter(self, state: RobotState, before: Reference | None = None, /) -> Reference:
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
        self._hands = CarriedHands()
        self._pending, self._forces = 0.0, FootForces()
        self._footsteps: tuple[ComingStep, ...] = ()
        self._told_steps = 0.0
        self._limit = SpeedLimit(self._walking)
        self.failures_in_a_row, self.active = 0, ()
        self._builder = ReferenceBuilder(model, self._feet, self.gait.omega)
        self._update_forces(state, np.zeros(2, dtype=bool), 0.0)
        self._sample = self.gait.step(STILL, self._feel(state), self._period)
        self._reference = self._builder.build(state.time, self._sample, self._posture)
        return self._reference

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Step the gait when its period is up; with ``hold`` the robot stops within two footsteps."""
        self._pending += dt
        self._update_forces(state, self.gait.untouched, dt)
        if self._pending < self._period - 0.5 * dt:
            return self._reference
        elapsed, self._pending = self._pending, 0.0
        velocity = STILL if hold else scale_command(command.com_velocity, command.yaw_rate, self._walking)
        self._carry(command, hold=hold)
        self._see_ground(surfaces)
        return self.follow(self._limit.limit(velocity, self._ground, self.gait, elapsed), state, elapsed)

    def follow(self, velocity: WalkingVelocity, state: RobotState, dt: float) -> Reference:
        """Take one step of the mode's period at a wanted velocity, and return its reference."""
        self._measured.update(state.q)
        failures = self.gait.failures + self._posture.failures
        self._sample = self.gait.step(velocity, self._feel(state), dt)
        self._tell_steps(dt)
        self._turn(dt)
        self._posture.step(self._aim(), dt)
        self.failures += self.gait.failures + self._posture.failures - failures
        self.failures_in_a_row = max(self.gait.failures_in_a_row, self._posture.failures_in_a_row)
        self.active = () if self._sample.feasible else ("stability",)
        self._reference = self._builder.build(state.time, self._sample, self._posture)
        return self._reference

    def _see_ground(self, surfaces: tuple[Surface, ...]) -> None:
        """Take over what is known of the ground, when it is something new."""
        if surfaces is not self._surfaces:
            self._surfaces, self._ground = surfaces, GroundMap(surfaces, self._sole)

    def _tell_steps(self, dt: float) -> None:
        """List the coming footsteps as often as the eye needs them."""
        self._told_steps -= dt
        if self._told_steps <= 0.0:
            self._footsteps, self._told_steps = self.gait.list_footsteps(), TELL_EVERY

    def _update_forces(self, state: RobotState, untouched: np.ndarray, dt: float) -> None:
        self._forces.update(state.contact_wrenches[list(self._feet), 2] / self._model.weight, untouched, dt)

    def _feel(self, state: RobotState) -> Felt:
        forces, com = self._forces, self._measured.position_com_in_world
        felt = Felt(
            poses=self._measured.poses[list(self._feet)],
            forces=forces.peaks,
            noise=forces.noise,
            com=com[:2],
            velocity=(self._measured.jacobian_com @ state.v)[:2],
            ground=self._ground,
        )
        forces.clear()
        return felt

    def _turn(self, dt: float) -> None:
        difference = math.remainder(mean_yaw(self._sample.foot_poses) - self._yaw, 2.0 * math.pi)
        self._yaw_rate = difference / TURN_FILTER
        self._yaw += dt * self._yaw_rate

    def _carry(self, command: OperatorCommand, *, hold: bool) -> None:
        """Take over where the operator's hands want the robot's, relative to a walking body; with ``hold`` only who let go."""
        body = self._body()
        for effector, hand in zip(self.hands, (command.left, command.right), strict=True):
            if effector is not None and not (hold and hand.engaged):
                self._hands.follow(effector, hand, body)

    def _body(self) -> np.ndarray:
        return make_body_frame(self.gait.pendulum.com, self._yaw)

    def _aim(self) -> PostureTargets:
        sample, pendulum = self._sample, self._sample.pendulum
        return PostureTargets(
            com=np.array([*pendulum.com, sample.height]),
            com_velocity=np.array([*pendulum.velocity, sample.climb]),
            effectors=self._feet,
            poses=sample.foot_poses,
            velocities=sample.foot_velocities,
            yaw=self._yaw,
            yaw_rate=self._yaw_rate,
            hands=self._hands.place(self._body()),
        )
