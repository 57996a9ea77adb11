"""``bench estimator``: what the base's filter makes of a robot that wanders, by an inertial unit, encoders and feet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.wander import WANDER
from handhold.app.session.commit import current_commit
from handhold.robots.estimation.contact_aided_filter import ContactAidedFilter
from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.inertial_unit import InertialUnit

ENCODER_STEP = 2.0 * math.pi / 2**14
"""Resolution of the joints' encoders [rad]."""

FORCE_NOISE = 5.0
"""Standard deviation of every component of measured contact forces [N]."""

STANDING, LIFTED = 0.15, 0.05
"""Parts of the weight from which on a contact stands, and under which it stands no more [-]."""

SETTLING = 5.0
"""Time after which errors count [s]: biases are not known in the beginning."""

KERNEL_EVERY = 50


@dataclass(frozen=True, eq=False, slots=True)
class Followed:
    """Errors of what was estimated over time.

    Attributes:
        velocities: Of the base's velocity in its axes, shape ``(times, 3)`` [m/s].
        tilts: Angle of the vertical, shape ``(times,)`` [rad].
        drift: Distance of the base from where it is in the end, from where it was as errors began to count [m].
        way: How far it has gone since [m].
        slips: Contacts that were taken to have moved.
    """

    velocities: np.ndarray
    tilts: np.ndarray
    drift: float
    way: float
    slips: int


def run_estimator_bench(engine: str, robot: str) -> Outcome:
    """Let a robot wander on what the simulation knows of it, and follow its base by what it would measure.

    Raises:
        RobotError: The robot cannot be had.
    """
    model = load_model(robot)
    trace = play(WANDER, model, engine, 0)
    kernel, stopwatch = KernelClock(), Stopwatch()
    followed = follow(model, trace, np.random.default_rng(0), kernel, stopwatch)
    updates = np.array(stopwatch.stages["update"]) / 1e3 / kernel.microseconds
    return Outcome(
        name="estimator",
        robot=model.description.name,
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=trace.times[-1],
        fell=trace.fell,
        figures=[
            Figure("velocity_error", float(np.sqrt(np.mean(np.sum(followed.velocities**2, axis=1)))), "m/s", must=0.05),
            Figure("drift", 100.0 * followed.drift / max(followed.way, 1e-9), "%", must=2.0),
            Figure("tilt_error", math.degrees(float(np.sqrt(np.mean(followed.tilts**2)))), "deg", must=0.5),
            Figure("update_kernels", float(np.median(updates)), "-", must=0.5),
            Figure("update_p99_kernels", float(np.percentile(updates, 99)), "-"),
            Figure("way", followed.way, "m", larger_is_better=True),
            Figure("slips", float(followed.slips), "-"),
        ],
        extra={},
    )


def follow(
    model: RobotModel, trace: Trace, random: np.random.Generator, kernel: KernelClock, stopwatch: Stopwatch
) -> Followed:
    """Follow the base over a run of every cycle.

    Args:
        model: The robot.
        trace: The run.
        random: Draws biases and noise.
        kernel: Ticks meanwhile.
        stopwatch: Gets the times of ``update``.
    """
    sensors, estimate, kinematics = _Sensors(model, trace, random), *_begin(model, trace)
    velocities, tilts, places = [], [], []
    for k in range(1, len(trace.times)):
        dt = trace.times[k] - trace.times[k - 1]
        sample, standing, positions = sensors.measure(k, dt, kinematics)
        stopwatch.start()
        estimate.update(sample, standing, positions, dt)
        stopwatch.mark("update")
        if k % KERNEL_EVERY == 0:
            kernel.tick()
        if trace.times[k] - trace.times[0] < SETTLING:
            continue
        pose, moved = find_pose(trace.configurations[k]), trace.configurations[k][:3] - trace.configurations[k - 1][:3]
        velocities.append(estimate.rotation.T @ estimate.velocity - pose[:3, :3].T @ moved / dt)
        tilts.append(np.linalg.norm(np.cross(estimate.rotation[2], pose[2, :3])))
        places.append((estimate.position.copy(), pose[:3, 3]))
    ways = np.array([place for _, place in places])
    (first, was), (last, now) = places[0], places[-1]
    return Followed(
        velocities=np.array(velocities),
        tilts=np.array(tilts),
        drift=float(np.linalg.norm((last - first) - (now - was))),
        way=float(np.linalg.norm(np.diff(ways[::100, :2], axis=0), axis=1).sum()),
        slips=estimate.slips,
    )


def _begin(model: RobotModel, trace: Trace) -> tuple[ContactAidedFilter, EffectorKinematics]:
    estimate, pose = ContactAidedFilter(len(model.effectors)), find_pose(trace.configurations[0])
    estimate.reset(pose[:3, :3], np.zeros(3), pose[:3, 3])
    return estimate, EffectorKinematics(model)


def find_pose(q: np.ndarray) -> np.ndarray:
    """Return the pose of a configuration's base in world, shape ``(4, 4)``."""
    return np.asarray(pin.XYZQUATToSE3(q[:7]).homogeneous)


class _Sensors:
    """What a robot measures of a run: inertial unit, encoders, and which contacts stand."""

    def __init__(self, model: RobotModel, trace: Trace, random: np.random.Generator) -> None:
        self._model, self._trace, self._random = model, trace, random
        self._unit = InertialUnit(find_pose(trace.configurations[0]), InertialNoise(), random)
        self._standing = np.zeros(len(model.effectors), dtype=np.bool_)
        self._sensed = np.array([effector.sensed for effector in model.effectors])

    def measure(self, k: int, dt: float, kinematics: EffectorKinematics) -> tuple[InertialSample, np.ndarray, np.ndarray]:
        """Return the unit's sample, which contacts stand, and where the joints say that they are in the base's frame."""
        trace = self._trace
        q = trace.configurations[k].copy()
        sample = self._unit.measure(trace.times[k], find_pose(q), dt)
        q[:7] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
        q[7:] = ENCODER_STEP * np.round(q[7:] / ENCODER_STEP)
        kinematics.update(q)
        forces = trace.wrenches[k][:, 2] + FORCE_NOISE * self._random.normal(size=len(self._sensed))
        least = np.where(self._standing, LIFTED, STANDING) * self._model.weight
        self._standing = self._sensed & (forces > least)
        return sample, self._standing, np.ascontiguousarray(kinematics.poses[: len(self._sensed), :3, 3])
