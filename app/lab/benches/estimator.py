"""``bench estimator``: a robot wanders, braces, walks and is pushed on what it estimates; how far that is from the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.deviation import Deviation
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_square import WALK_SQUARE
from handhold.app.lab.scenarios.walks import walks
from handhold.app.lab.scenarios.wander import WANDER
from handhold.app.session.commit import current_commit
from handhold.app.session.config import REAL
from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.sensed_robot import SensedRobot

DURATION = 330.0
"""For how long it wanders, and braces meanwhile [s]; it hardly steps."""

SQUARES = 4
"""How often it walks around a square then, each time from anew; all in all that is ten minutes of a Talos."""

SETTLING = 5.0
"""Time after which errors count [s]: a robot is put down, and begins."""

PUSH_EVERY, PUSH_TIME, PUSH = 10.0, 0.2, 0.04
"""Time from one push of the base to the next, how long each lasts [s], and how strong it is, as a part of the weight."""

STRIDE, MIN_WAY = 1.0, 1.0
"""Time between two places of which the way is made up [s], some two steps: what the base sways in between is no way. And of
which way what a robot is off is a part at least [m]."""

MUSTS = (("velocity_error", "m/s", 0.05), ("drift", "%", 2.0), ("tilt_error", "deg", 0.5))
"""Figures that have a bound, root mean squares but for the drift, the largest part of the way at any time; with units."""

BASE = 1
"""Pinocchio's id of the joint that is the base."""

UPDATES, KERNEL_EVERY = 4000, 50


def run_estimator_bench(engine: str, robot: str, duration: float = DURATION, squares: int = SQUARES) -> Outcome:
    """Let a robot wander with real sensors for a duration [s], and walk around squares, and hold its base against the truth.

    Raises:
        RobotError: The robot cannot be had.
    """
    model = load_model(robot)
    followed, traces = Follower(np.random.default_rng(0)), []
    for scenario, seed in _list_scenes(model, duration, squares):
        followed.begin()
        deviation = Deviation(sensors=REAL)
        traces.append(play(scenario, model, engine, seed, disturb=followed.disturb, deviation=deviation))
    return _describe(model, engine, followed, traces)


def _list_scenes(model: RobotModel, duration: float, squares: int) -> list[tuple[Scenario, int]]:
    """List what is played, each with its seed; who does not walk wanders only."""
    walked = squares if not walks(model) else 0
    return [(replace(WANDER, duration=duration), 0), *((WALK_SQUARE, seed) for seed in range(walked))]


def _describe(model: RobotModel, engine: str, followed: Follower, traces: Sequence[Trace]) -> Outcome:
    updates = time_updates(model)
    return Outcome(
        name="estimator",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=sum(trace.times[-1] for trace in traces),
        fell=any(trace.fell for trace in traces),
        figures=[
            *followed.to_figures(),
            Figure("missed_waits", float(sum(len(trace.missed) for trace in traces)), "-", must=0.0),
            Figure("damped", float(any(trace.damped for trace in traces)), "-", must=0.0),
            Figure("update_kernels", float(np.median(updates)), "-", must=0.5),
            Figure("update_p99_kernels", float(np.percentile(updates, 99)), "-"),
        ],
        extra={"modes": sorted({mode for trace in traces for mode in trace.modes})},
    )


@dataclass(slots=True)
class _Run:
    """Where a robot was and thought it was, shape ``(2, 3)`` each [m], and how often a foot was taken to have slipped."""

    places: list[np.ndarray] = field(default_factory=list)
    slips: int = 0

    @property
    def ways(self) -> np.ndarray:
        """Length of the way on the ground to each place, shape ``(k,)`` [m]."""
        lengths = np.linalg.norm(np.diff([true[:2] for true, _ in self.places], axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(lengths)])

    @property
    def errors(self) -> np.ndarray:
        """By how much what was estimated went another way since errors began to count, shape ``(k, 3)`` [m]."""
        errors = np.array([estimated - true for true, estimated in self.places])
        return np.asarray(errors - errors[0])

    @property
    def drift(self) -> float:
        """Largest part of its way that it ever was off by: where a way closes, errors cancel [-]."""
        return float((np.linalg.norm(self.errors, axis=1) / np.maximum(self.ways, MIN_WAY)).max())


class Follower:
    """Pushes a robot's base now and then, and keeps how far what it estimates is from how it is."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._velocities: list[float] = []
        self._tilts: list[float] = []
        self._runs: list[_Run] = []

    def begin(self) -> None:
        """Begin to follow a robot that starts anew."""
        self._force, self._next_push, self._next_place = np.zeros(3), PUSH_EVERY, SETTLING
        self._runs.append(_Run())

    def disturb(self, body: SimulatedRobot, state: RobotState) -> np.ndarray | None:
        """Push the base, or do not, and compare; see ``Disturbance``."""
        if state.time > SETTLING:
            self._compare(body.truth, state)
            self._runs[-1].slips = cast("SensedRobot", body).estimator.slips
        if state.time >= self._next_push + PUSH_TIME:
            self._next_push += PUSH_EVERY
        if state.time < self._next_push:
            self._force = PUSH * body.model.weight * _draw_direction(self._random)
            return None
        body.push(self._force, _find_base_link(body.model))
        return self._force

    def _compare(self, truth: RobotState, state: RobotState) -> None:
        true, estimated = pin.XYZQUATToSE3(truth.q[:7]), pin.XYZQUATToSE3(state.q[:7])
        self._velocities.append(float(np.sum((state.v[:3] - truth.v[:3]) ** 2)))
        self._tilts.append(float(np.linalg.norm(np.cross(estimated.rotation[2], true.rotation[2]))))
        if state.time >= self._next_place:
            self._next_place += STRIDE
            self._runs[-1].places.append(np.array([true.translation, estimated.translation]))

    def to_figures(self) -> list[Figure]:
        """Return what came of it; the drift is that of the run that drifted most.

        Where a robot fell before errors count, nothing is known, and nothing holds.
        """
        runs = self._runs
        if not all(len(run.places) > 1 for run in runs):
            return [Figure(name, math.inf, unit, must=must) for name, unit, must in MUSTS]
        drift = max(run.drift for run in runs)
        tilt = math.degrees(math.sqrt(float(np.mean(np.square(self._tilts)))))
        values = (math.sqrt(float(np.mean(self._velocities))), 100.0 * drift, tilt)
        return [
            *(Figure(name, value, unit, must=must) for (name, unit, must), value in zip(MUSTS, values, strict=True)),
            Figure("way", float(sum(run.ways[-1] for run in runs)), "m", larger_is_better=True),
            Figure("height_error", max(float(np.abs(run.errors[:, 2]).max()) for run in runs), "m"),
            Figure("slips", float(sum(run.slips for run in runs)), "-"),
        ]


def _find_base_link(model: RobotModel) -> str:
    links = (frame for frame in model.pinocchio.frames if frame.type == pin.FrameType.BODY)
    return str(next(link.name for link in links if link.parentJoint == BASE))


def _draw_direction(random: np.random.Generator) -> np.ndarray:
    angle = float(random.uniform(0.0, 2.0 * math.pi))
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def time_updates(model: RobotModel) -> np.ndarray:
    """Time updates of the estimator of a robot that stands, shape ``(updates,)`` [kernels]."""
    estimator, kernel, stopwatch = BaseEstimator(model), KernelClock(), Stopwatch()
    estimator.reset(model.q_nominal)
    sample = InertialSample(0.0, np.zeros(3), np.array([0.0, 0.0, GRAVITY]))
    wrenches = np.zeros((len(model.effectors), 6))
    wrenches[[effector.standing for effector in model.effectors], 2] = model.weight
    for k in range(UPDATES):
        stopwatch.start()
        estimator.update(sample, model.q_nominal[7:], wrenches, 1e-3)
        stopwatch.mark("update")
        if k % KERNEL_EVERY == 0:
            kernel.tick()
    return np.array(stopwatch.stages["update"][KERNEL_EVERY:]) / 1e3 / kernel.microseconds
