"""A trial of motions: played in physics by the whole-body controller, in lockstep, and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.scenarios.scenario import Disturbance
from handhold.app.scenarios.walks import MOST_LEANT, disturb_gently
from handhold.app.standing import find_standing_posture
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.inverse_kinematics import PostureSolver, Wishes
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.performer import Performer
from handhold.retarget.motions.player import Player, Playing
from handhold.robots.controller import WholeBodyController
from handhold.robots.engines import make_robot
from handhold.robots.fall import has_fallen
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.worlds import load_world

PERIOD, REFERENCE_EVERY = 1e-3, 2
"""Control period [s], and how many of them a reference lasts, as in a session."""

LANDING, LINGERING = 0.5, 1.0
"""Times that the robot stands before the first motion and after each [s]."""

PAUSE = 1.0
"""How long a pause lasts [s]."""

MOST_COM_ERROR, MOST_SLIP, MOST_LANDING_ERROR = 0.03, 0.015, 0.015
"""What centre of mass, a foot that bears, and a foot that lands may miss their places by [m]: a slip and a loss beyond."""


MOST_TURNED = 0.15
"""How far joints between base and hands are turned at random before a motion [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """How motions are tried.

    Attributes:
        engine: Name of the physics engine.
        world: Name or file of the world; None for that of the motions.
        standing: Whether the robot begins in its standing posture, in place of the first motion's first.
        seed: Seed of where the robot stands at first, and of small pushes; None for neither.
        pause_at: When each motion is paused for a while, by its own time [s]; None for never.
        back_at: When each motion is called off and runs back, likewise.
    """

    engine: str
    world: str | None = None
    standing: bool = False
    seed: int | None = None
    pause_at: float | None = None
    back_at: float | None = None


@dataclass(slots=True)
class _Measures:
    """The worst that was seen."""

    com_error: float = 0.0
    joint_error: float = 0.0
    slip: float = 0.0
    landing_error: float = 0.0
    torque_share: float = 0.0
    missed: int = 0
    fell: bool = False
    ticks: int = 0
    # Where each foot was when it began to bear.
    landed: dict[int, np.ndarray] = field(default_factory=dict)


def try_motions(motions: Sequence[CheckedMotion], model: RobotModel, plan: TrialPlan) -> Outcome:
    """Play motions one after the other in the world of the first, and measure how it goes.

    Raises:
        RobotError: The world or the engine cannot be had.
        CannotStart: A motion cannot begin where the one before ended.
    """
    body = make_robot(plan.engine, model, load_world(plan.world or _find_world(motions)))
    try:
        trial = _Trial(body, model, motions, plan)
        for motion in motions:
            trial.play(motion)
        return trial.describe()
    finally:
        body.close()


def _leave_alone(_body: SimulatedRobot, _state: RobotState) -> None:
    """Push nothing."""


def stand_at_random(model: RobotModel, q: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return a configuration on the same feet that leans, and has its arms elsewhere, as an operator leaves a robot."""
    solver, base = PostureSolver(model), pin.XYZQUATToSE3(q[:7]).homogeneous
    poses = model.effector_poses(q)
    feet = [place for place, effector in enumerate(model.effectors) if effector.standing]
    com = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q)[:2].copy()
    angle, lean = random.uniform(-np.pi, np.pi), random.uniform(0.0, MOST_LEANT)
    joints = q[7:].copy()
    for side in ("left", "right"):
        hand = model.effector_of_hand(side)
        if hand is not None:
            supports = model.pinocchio.supports[model.effector_joints[hand]].tolist()
            arm = [model.pinocchio.joints[j].idx_v - 6 for j in supports if j > 1]
            joints[arm] += random.uniform(-MOST_TURNED, MOST_TURNED, len(arm))
    wishes = Wishes(
        effectors={foot: poses[foot] for foot in feet},
        com=com + lean * np.array([np.cos(angle), np.sin(angle)]),
        base=base,
        base_weights=(30.0, 30.0),
        joints=np.clip(joints, model.lower, model.upper),
        joint_weights=np.ones(model.n),
    )
    return solver.solve(q, wishes)


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
        if self._back_at is not None and player.place >= self._back_at:
            self._back_at = None
            performer.run_back()
        elif self._pause_at is not None and player.place >= self._pause_at:
            self._pause_at, self._left = None, PAUSE
            performer.pause()
        elif self._left is not None and player.doing is Playing.RESTING:
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
        self._feet = [place for place, effector in enumerate(model.effectors) if effector.is_foot]
        first = compute_body_state(motions[0].motion.sample(0.0), pin.SE3.Identity()).q
        start = find_standing_posture(model) if plan.standing else first
        self._disturb: Disturbance = _leave_alone
        if plan.seed is not None:
            random = np.random.default_rng(plan.seed)
            start, self._disturb = stand_at_random(model, start, random), disturb_gently(model, random)
        self._state: RobotState = body.reset(start)
        self._reference: Reference = self._performer.enter(self._state, self._state.q)
        self._seen = _Measures()
        self._wait(LANDING)

    def play(self, checked: CheckedMotion) -> None:
        """Play one motion to its end, and stand for a while."""
        if self._seen.fell:
            return
        self._performer.start(checked, self._state)
        player = self._performer.player
        assert player is not None
        script = _Script(self._plan)
        while not (player.finished or self._seen.fell):
            script.follow(self._performer, player)
            self._step()
        self._wait(LINGERING)

    def _wait(self, seconds: float) -> None:
        for _ in range(round(seconds / PERIOD)):
            if self._seen.fell:
                return
            self._step()

    def _step(self) -> None:
        seen = self._seen
        if seen.ticks % REFERENCE_EVERY == 0:
            self._reference = self._performer.step(self._state, REFERENCE_EVERY * PERIOD)
        command = self._controller.track(self._reference, self._state)
        if seen.ticks * PERIOD >= LANDING:
            self._measure()
        self._body.send(command)
        self._disturb(self._body, self._state)
        self._body.advance(PERIOD)
        self._state = self._body.read()
        seen.fell = has_fallen(self._model, self._state)
        seen.missed = max(seen.missed, len(self._performer.missed))
        seen.ticks += 1

    def _measure(self) -> None:
        seen, state, reference = self._seen, self._state, self._reference
        self._kinematics.update(state.q)
        off = self._controller.position_com_in_world - reference.position_com_in_world
        seen.com_error = max(seen.com_error, float(np.linalg.norm(off)))
        seen.joint_error = max(seen.joint_error, float(np.abs(state.q[7:] - reference.q[7:]).max()))
        shares = np.abs(state.joint_torques) / self._model.motor_torques
        seen.torque_share = max(seen.torque_share, float(shares.max()))
        for foot in self._feet:
            self._measure_foot(foot)

    def _measure_foot(self, foot: int) -> None:
        seen, place = self._seen, self._kinematics.poses[foot, :3, 3]
        if not self._reference.contacts[foot]:
            seen.landed.pop(foot, None)
            return
        if foot not in seen.landed:
            seen.landed[foot] = place.copy()
            missed = float(np.linalg.norm(place - self._performer.planned_poses[foot, :3, 3]))
            seen.landing_error = max(seen.landing_error, missed)
        seen.slip = max(seen.slip, float(np.linalg.norm(place - seen.landed[foot])))

    def describe(self) -> Outcome:
        """Return what was measured."""
        seen = self._seen
        figures = (
            Figure("com_error", seen.com_error, "m", must=MOST_COM_ERROR, aim=0.5 * MOST_COM_ERROR),
            Figure("joint_error", seen.joint_error, "rad"),
            Figure("landing_error", seen.landing_error, "m", must=MOST_LANDING_ERROR),
            Figure("slip", seen.slip, "m", must=MOST_SLIP),
            Figure("torque_share", seen.torque_share, "-", must=1.0),
            Figure("missed_contacts", float(seen.missed), "-", must=0.0),
            Figure("qp_failures", float(self._controller.failures), "-", must=0.0),
        )
        return Outcome(
            name=" ".join(each.motion.name for each in self._motions),
            robot=self._model.description.name,
            engine=self._plan.engine,
            seed=self._plan.seed or 0,
            commit=current_commit(),
            duration_s=seen.ticks * PERIOD,
            fell=seen.fell,
            figures=figures,
        )
