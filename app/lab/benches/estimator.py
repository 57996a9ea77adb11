"""``bench estimator``: a robot wanders on what it measures and estimates, and is pushed; how far that is from the truth."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.deviation import Deviation
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.wander import WANDER
from handhold.app.session.commit import current_commit
from handhold.app.session.config import REAL
from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.model import GRAVITY, RobotModel, load_model
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.sensed_robot import SensedRobot

DURATION = 600.0
"""Simulated time [s]."""

SETTLING = 5.0
"""Time after which errors count [s]: a robot is put down, and begins."""

PUSH_EVERY, PUSH_TIME, PUSH = 10.0, 0.2, 0.04
"""Time from one push of the base to the next, how long each lasts [s], and how strong it is, as a part of the weight."""

STRIDE = 0.1
"""Time between two places of which the way is made up [s]: what the base sways in between is no way."""

MUSTS = (("velocity_error", "m/s", 0.05), ("drift", "%", 2.0), ("tilt_error", "deg", 0.5))
"""Figures that have a bound, root mean squares but for the drift, which is a part of the way; their units and bounds."""

BASE = 1
"""Pinocchio's id of the joint that is the base."""

UPDATES, KERNEL_EVERY = 4000, 50


def run_estimator_bench(engine: str, robot: str, duration: float = DURATION) -> Outcome:
    """Let a robot wander with real sensors for a duration [s], and hold its base against where it is estimated to be.

    Raises:
        RobotError: The robot cannot be had.
    """
    model = load_model(robot)
    followed = Follower(np.random.default_rng(0))
    trace = play(
        replace(WANDER, duration=duration), model, engine, 0, disturb=followed.disturb, deviation=Deviation(sensors=REAL)
    )
    updates = time_updates(model)
    return Outcome(
        name="estimator",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=trace.times[-1],
        fell=trace.fell,
        figures=[
            *followed.to_figures(),
            Figure("update_kernels", float(np.median(updates)), "-", must=0.5),
            Figure("update_p99_kernels", float(np.percentile(updates, 99)), "-"),
        ],
        extra={"modes": sorted(set(trace.modes))},
    )


class Follower:
    """Pushes a robot's base now and then, and keeps how far what it estimates is from how it is."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._force, self._next_push, self._next_place = np.zeros(3), PUSH_EVERY, SETTLING
        self._velocities: list[float] = []
        self._tilts: list[float] = []
        self._places: list[tuple[np.ndarray, np.ndarray]] = []
        self._slips = 0

    def disturb(self, body: SimulatedRobot, state: RobotState) -> np.ndarray | None:
        """Push the base, or do not, and compare; see ``Disturbance``."""
        if state.time > SETTLING:
            self._compare(body.truth, state)
            self._slips = cast("SensedRobot", body).estimator.slips
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
            self._places.append((true.translation, estimated.translation))

    def to_figures(self) -> list[Figure]:
        """Return what came of it; a position is off by the drift since errors began to count.

        Where the robot fell before, nothing is known, and nothing holds.
        """
        if not self._places:
            return [Figure(name, math.inf, unit, must=must) for name, unit, must in MUSTS]
        true, estimated = (np.array(places) for places in zip(*self._places, strict=True))
        way = float(np.linalg.norm(np.diff(true[:, :2], axis=0), axis=1).sum())
        drift = float(np.linalg.norm((estimated[-1] - estimated[0]) - (true[-1] - true[0])))
        tilt = math.degrees(math.sqrt(float(np.mean(np.square(self._tilts)))))
        values = (math.sqrt(float(np.mean(self._velocities))), 100.0 * drift / max(way, 1e-9), tilt)
        return [
            *(Figure(name, value, unit, must=must) for (name, unit, must), value in zip(MUSTS, values, strict=True)),
            Figure("way", way, "m", larger_is_better=True),
            Figure("height_error", float(abs((estimated - true)[:, 2] - (estimated - true)[0, 2]).max()), "m"),
            Figure("slips", float(self._slips), "-"),
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
