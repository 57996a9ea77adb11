"""A trial of motions: played in physics by the whole-body controller, in lockstep, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.body import SENSORS_STREAM
from handhold.app.lab.scenarios.scenario import Disturbance
from handhold.app.lab.scenarios.walks import MAX_LEAN, disturb_gently
from handhold.app.session.commit import current_commit
from handhold.app.session.config import IDEAL, REAL
from handhold.retarget.motions.authoring.inverse_kinematics import PostureSolver, PostureTargets
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.performer import Performer
from handhold.retarget.motions.player import Player, PlayPhase
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.estimation.fall import has_fallen
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.sensed_robot import SensedRobot
from handhold.robots.worlds import load_world

PERIOD, REFERENCE_EVERY = 1e-3, 2
"""Control period [s], and how many of them a reference lasts, as in a session."""

LANDING, LINGERING = 0.5, 1.0
"""Times that the robot stands before the first motion and after each [s]."""

PAUSE = 1.0
"""How long a pause lasts [s]."""

MAX_COM_ERROR, MAX_SLIP, MAX_LANDING_ERROR = 0.03, 0.015, 0.015
"""Maximum errors of the centre of mass, of a foot in contact, and of a foot that lands [m]: a slip and a loss beyond."""


MAX_JOINT_OFFSET = 0.15
"""How far joints between base and hands are turned at random before a motion [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """How motions are tried.

    Attributes:
        engine: Name of the physics engine.
        world: Name or file of the world; None for that of the motions.
        standing: Whether the robot begins in its standing posture, in place of the first motion's first.
        start: Configuration that it begins in, in place of either, shape ``(nq,)``; None for none.
        seed: Seed of where the robot stands at first, and of small pushes; None for neither.
        pause_at: When each motion is paused for a while, by its own time [s]; None for never.
        back_at: When each motion is called off and runs back, likewise.
        sensors: Of the robot, as in ``Deviation``.
    """

    engine: str
    world: str | None = None
    standing: bool = False
    start: np.ndarray | None = None
    seed: int | None = None
    pause_at: float | None = None
    back_at: float | None = None
    sensors: str = IDEAL


@dataclass(slots=True)
class _Measures:
    """The largest errors so far."""

    com_error: float = 0.0
    joint_error: float = 0.0
    slip: float = 0.0
    landing_error: float = 0.0
    torque_ratio: float = 0.0
    missed: int = 0
    fell: bool = False
    ticks: int = 0
    # Position of each foot at touchdown.
    landed: dict[int, np.ndarray] = field(default_factory=dict)


def try_motions(motions: Sequence[CheckedMotion], model: RobotModel, plan: TrialPlan) -> Outcome:
    """Play motions one after the other in the world of the first, and measure how it goes.

    Raises:
        RobotError: The world or the engine cannot be had, or the robot cannot find where its base is.
        CannotStart: A motion cannot begin where the one before ended.
    """
    body = make_robot(plan.engine, model, load_world(plan.world or _find_world(motions)))
    if plan.sensors == REAL:
        body = SensedRobot(body, np.random.default_rng((plan.seed or 0, SENSORS_STREAM)))
    try:
        trial = _Trial(body, model, motions, plan)
        for motion in motions:
            trial.play(motion)
        return trial.describe()
    finally:
        body.close()


def _do_not_disturb(_body: SimulatedRobot, _state: RobotState) -> None:
    """Push nothing."""


def draw_start_posture(model: RobotModel, q: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a configuration on the same feet that leans, and has its arms elsewhere, as an operator leaves a robot."""
    solver, base = PostureSolver(model), pin.XYZQUATToSE3(q[:7]).homogeneous
    poses = model.effector_poses(q)
    feet = [index for index, effector in enumerate(model.effectors) if effector.standing]
    com = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q)[:2].copy()
    angle, lean = random.uniform(-np.pi, np.pi), random.uniform(0.0, MAX_LEAN)
    joints = q[7:].copy()
    for side in ("left", "right"):
        hand = model.effector_of_hand(side)
        if hand is not None:
            supports = model.pinocchio.supports[model.effector_joints[hand]].tolist()
            arm = [model.pinocchio.joints[j].idx_v - 6 for j in supports if j > 1]
            joints[arm] += random.uniform(-MAX_JOINT_OFFSET, MAX_JOINT_OFFSET, len(arm))
    targets = PostureTargets(
        effectors={foot: poses[foot] for foot in feet},
        com=com + lean * np.array([np.cos(angle), np.sin(angle)]),
        base=base,
        base_weights=(30.0, 30.0),
        joints=np.clip(joints, model.lower, model.upper),
        joint_weights=np.ones(model.n),
    )
    return solver.solve(q, targets)


def _find_world(motions: Sequence[CheckedMotion]) -> str:
    """Return the world in which motions take place; what needs nothing there takes place in any."""
    worlds = {each.motion.world for each in motions} - {"flat"}
    if len(worlds) > 1:
        raise AppError(f"these motions take place in different worlds ({', '.join(sorted(worlds))}); play them one by one")
    return next(iter(worlds), "flat")


class _Script:
    """What an operator does while a motion plays."""

    def __init__(self, plan: TrialPlan) -> None:
        self._pause_at, self._back_at = plan.pause_at, plan.back_at
        # How long the pause still lasts, once it has begun.
        self._left: float | None = None

    def follow(self, performer: Performer, player: Player) -> None:
        """Pause, go on or run back where it is time."""
        if self._back_at is not None and player.path_time >= self._back_at:
            self._back_at = None
            performer.run_back()
        elif self._pause_at is not None and player.path_time >= self._pause_at:
            self._pause_at, self._left = None, PAUSE
            performer.pause()
        elif self._left is not None and player.phase is PlayPhase.AT_REST:
            self._left -= PERIOD
            if self._left <= 0.0:
                self._left = None
                performer.go_on()


class _Trial:
    """One robot, its controller and what plays motions."""

    def __init__(self, body: SimulatedRobot, model: RobotModel, motions: Sequence[CheckedMotion], plan: TrialPlan) -> None:
        self._body, self._model, self._motions, self._plan = body, model, motions, plan
        self._controller, self._performer = WholeBodyController(model, DaqpSolver()), Performer(model)
        self._kinematics = EffectorKinematics(model)
        self._feet = [index for index, effector in enumerate(model.effectors) if effector.is_foot]
        first = compute_body_state(motions[0].motion.sample(0.0), pin.SE3.Identity()).q
        start = plan.start if plan.start is not None else find_standing_posture(model) if plan.standing else first
        self._disturb: Disturbance = _do_not_disturb
        if plan.seed is not None:
            random = np.random.default_rng(plan.seed)
            start, self._disturb = draw_start_posture(model, start, random), disturb_gently(model, random)
        self._state: RobotState = body.reset(start)
        self._reference: Reference = self._performer.enter(self._state, self._state.q)
        self._measures = _Measures()
        self._wait(LANDING)

    def play(self, checked: CheckedMotion) -> None:
        """Play one motion to its end, and stand for a while."""
        if self._measures.fell:
            return
        self._performer.start(checked, self._state)
        player = self._performer.player
        assert player is not None
        script = _Script(self._plan)
        while not (player.finished or self._measures.fell):
            script.follow(self._performer, player)
            self._step()
        self._wait(LINGERING)

    def _wait(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            if self._measures.fell:
                return
            self._step()

    def _step(self) -> None:
        measures = self._measures
        if measures.ticks % REFERENCE_EVERY == 0:
            self._reference = self._performer.step(self._state, REFERENCE_EVERY * PERIOD)
        command = self._controller.track(self._reference, self._state)
        if measures.ticks * PERIOD >= LANDING:
            self._measure()
        self._body.send(command)
        self._disturb(self._body, self._state)
        self._body.advance(PERIOD)
        self._state = self._body.read()
        measures.fell = has_fallen(self._model, self._state if self._body.is_truthful else self._body.truth)
        measures.missed = max(measures.missed, len(self._performer.missed))
        measures.ticks += 1

    def _measure(self) -> None:
        measures, reference = self._measures, self._reference
        state = self._state if self._body.is_truthful else self._body.truth
        self._kinematics.update(state.q)
        off = self._controller.position_com_in_world - reference.position_com_in_world
        measures.com_error = max(measures.com_error, float(np.linalg.norm(off)))
        measures.joint_error = max(measures.joint_error, float(np.abs(state.q[7:] - reference.q[7:]).max()))
        ratios = np.abs(state.joint_torques) / self._model.motor_torques
        measures.torque_ratio = max(measures.torque_ratio, float(ratios.max()))
        for foot in self._feet:
            self._measure_foot(foot)

    def _measure_foot(self, foot: int) -> None:
        measures, position = self._measures, self._kinematics.poses[foot, :3, 3]
        if not self._reference.contacts[foot]:
            measures.landed.pop(foot, None)
            return
        if foot not in measures.landed:
            measures.landed[foot] = position.copy()
            missed = float(np.linalg.norm(position - self._performer.planned_poses[foot, :3, 3]))
            measures.landing_error = max(measures.landing_error, missed)
        measures.slip = max(measures.slip, float(np.linalg.norm(position - measures.landed[foot])))

    def describe(self) -> Outcome:
        """Return what was measured."""
        measures = self._measures
        figures = (
            Figure("com_error", measures.com_error, "m", must=MAX_COM_ERROR, aim=0.5 * MAX_COM_ERROR),
            Figure("joint_error", measures.joint_error, "rad"),
            Figure("landing_error", measures.landing_error, "m", must=MAX_LANDING_ERROR),
            Figure("slip", measures.slip, "m", must=MAX_SLIP),
            Figure("torque_share", measures.torque_ratio, "-", must=1.0),
            Figure("missed_contacts", float(measures.missed), "-", must=0.0),
            Figure("qp_failures", float(self._controller.failures), "-", must=0.0),
        )
        return Outcome(
            name=" ".join(each.motion.name for each in self._motions),
            robot=self._model.description.name,
            engine=self._plan.engine,
            seed=self._plan.seed or 0,
            commit=current_commit(),
            duration_s=measures.ticks * PERIOD,
            fell=measures.fell,
            figures=figures,
        )
