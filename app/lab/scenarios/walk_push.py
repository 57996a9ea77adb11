"""``walk-push``: pushes from all sides at all moments of a step, while the robot walks at 0.3 m/s.

The scenario pushes with what must be survived; its study searches the largest push that is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.impulses import PUSHING, WATCHING
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, gait_of, steer, stop, walks
from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot

SPEED = 0.3
"""Speed at which the robot walks, or its largest where that is less [m/s]."""

DIRECTIONS, PHASES = 12, 8
"""Directions of the pushes, and moments of two steps at which they begin."""

MUST, AIM = 0.01, 0.03
"""Impulse of a push that must be survived, and that should be [m g s]."""

FIRST = 14.0
"""When the first push begins, when the robot has long been walking [s]."""

BETWEEN = 4
"""Pairs of steps from one push to the next, beside what it takes to come at another moment."""


def script_walk_push(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk straight on while the robot is pushed, and stop."""
    gait = gait_of(model)
    last = list_pushes(model)[-1][0]
    return ScoredOperator(
        [*begin_walking(model, random), steer(gait, forward=min(SPEED, gait.speed)), wait(last - FIRST + 10.0), *stop()]
    )


def list_pushes(model: RobotModel) -> list[tuple[float, float]]:
    """List when each push begins, by the robot's clock [s], and where it goes [rad]: always elsewhere, at another moment."""
    pair = 2.0 * gait_of(model).step_duration
    return [
        (FIRST + k * BETWEEN * pair + (k % PHASES) / PHASES * pair, 2.0 * math.pi * k / DIRECTIONS) for k in range(DIRECTIONS)
    ]


def make_force(model: RobotModel, impulse: float, angle: float) -> np.ndarray:
    """Return the force of a push with an impulse [m g s] to a side [rad], shape ``(3,)`` [N]."""
    size = impulse * model.mass * GRAVITY / PUSHING
    return np.array([size * math.cos(angle), size * math.sin(angle), 0.0])


def push_all_around(model: RobotModel, _random: np.random.Generator) -> Disturbance:
    """Push the base with what must be survived."""
    pushes, frame = list_pushes(model), model.pinocchio.names[1]

    def disturb(body: SimulatedRobot, state: RobotState) -> None:
        for begin, angle in pushes:
            if begin <= state.time < begin + PUSHING:
                body.push(make_force(model, MUST, angle), frame)

    return disturb


def measure_walk_push(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk and how many pushes it withstood."""
    over = [begin for begin, _ in list_pushes(model) if begin + WATCHING <= trace.times[-1]]
    return [
        Figure("pushes", float(len(over)), "-", must=float(DIRECTIONS), larger_is_better=True),
        *measure_walk(model, trace),
    ]


WALK_PUSH = Scenario(
    name="walk-push",
    title=f"pushes of {MUST} m g s for {PUSHING} s on the base from {DIRECTIONS} sides, at moments all over a step",
    world="flat",
    duration=150.0,
    script=script_walk_push,
    measure=measure_walk_push,
    needs=(walks,),
    disturb=push_all_around,
    draw=plot_walk,
)
