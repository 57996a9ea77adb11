"""A gait that walks on nothing but its own plan, for the tests of walking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.gait_sample import GaitMeasurement, GaitSample
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.mpc import MpcParameters
from handhold.retarget.walking.parameters import GaitParameters
from handhold.robots.description import Walking
from handhold.robots.qp import DaqpSolver

DT = 2e-3
SOLE = np.array([0.10, 0.065])
SWING_MOMENT = 5e-3  # [s^2] Talos' leg


def stand() -> np.ndarray:
    """Return the poses of two feet that stand level."""
    feet = np.tile(np.eye(4), (2, 1, 1))
    feet[:, 1, 3] = 0.085, -0.085
    return feet


def make_gait(walking: Walking, *, mpc: MpcParameters | None = None, cells: int = 20) -> Gait:
    parameters = replace(GaitParameters(), mpc=mpc or MpcParameters(), cells=cells)
    return Gait(walking, SOLE, stand(), np.array([0.0, 0.0, 0.88]), DaqpSolver(), parameters, SWING_MOMENT)


def walk(
    gait: Gait,
    command: Callable[[float], WalkingVelocity],
    duration: float,
    *,
    ground: Callable[[np.ndarray], float] = lambda _point: 0.0,
    known: GroundMap | None = None,
) -> Iterator[GaitSample]:
    """Yield what the gait asks for while feet and ground are as it thinks, or as high as a function of the place says.

    What is known of the ground may be something else.
    """
    load_ratios = np.full(2, 0.5)
    for k in range(round(duration / DT)):
        heights = np.array([ground(pose[:2, 3]) for pose in gait.feet])
        # A foot that has just come down presses a little before it is given its load ratio.
        forces = np.where(gait.feet[:, 2, 3] <= heights + 1e-4, 0.02 + load_ratios, 0.0)
        sample = gait.step(command(k * DT), GaitMeasurement(poses=gait.feet.copy(), forces=forces, ground=known), DT)
        load_ratios = sample.load_ratios
        yield sample


def record_problems(walking: Walking, seed: int, *, duration: float = 6.0, push: float = 0.0) -> Iterator[tuple]:
    """Yield what QP2 is solved for on a walk at a random velocity, with random pushes of so much speed [m/s] now and then."""
    random = np.random.default_rng(seed)
    velocity = WalkingVelocity(
        forward=random.uniform(-0.1, 0.4), sideways=random.uniform(-0.1, 0.1), turning=random.uniform(-0.3, 0.3)
    )
    gait, last = make_gait(walking), None
    for k, _ in enumerate(walk(gait, lambda _t: velocity, duration)):
        if gait.problem is not last:
            last = gait.problem
            yield last
        if push and k % 400 == 399:
            gait.push(gait.pendulum.com, gait.pendulum.velocity + push * random.normal(size=2))
