"""``walk-stop-and-go``: the sticks are pushed, turned round and let go at random, several times within a step or once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import count_touches, list_stretches, measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, release_sticks, steer, stop, walks
from handhold.robots.description import Walking
from handhold.robots.model import RobotModel

CHANGES = 60
"""How often the operator thinks better of it."""

HASTY, CALM = 0.15, 1.0
"""Mean times between two changes [s]: every other one is hasty, a step takes 0.8 s (Talos)."""

STEPS, STOPS = 12.0, 5.0
"""Minimum number of footsteps, and of releases of the sticks [-]."""

RELEASE_RATIO = 0.4
"""Ratio of the changes with which the sticks are released [-]."""


def script_walk_stop_and_go(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: no velocity lasts, and the robot stands at last."""
    return ScoredOperator([*begin_walking(model, random), *_change_often(gait_of(model), random), *stop()])


def _change_often(gait: Walking, random: np.random.Generator) -> Iterator[Step]:
    for _ in range(CHANGES):
        if random.random() < RELEASE_RATIO:
            yield release_sticks()
        else:
            forward = random.uniform(-gait.backward_speed, gait.speed)
            left = gait.sideways_speed * random.uniform(-1.0, 1.0)
            yield steer(gait, forward=forward, left=left, turn=gait.turning_speed * random.uniform(-1.0, 1.0))
        yield wait(random.exponential(random.choice((HASTY, CALM))))


def measure_walk_stop_and_go(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and that the robot did walk, and was told to stop."""
    stretches = list_stretches(trace)
    steps = count_touches(model, trace, stretches[0].begin, math.inf) if stretches else 0
    return [
        Figure("footsteps", float(steps), "-", must=STEPS, larger_is_better=True),
        Figure("stops", float(len(stretches)), "-", must=STOPS, larger_is_better=True),
        *measure_walk(model, trace),
    ]


WALK_STOP_AND_GO = Scenario(
    name="walk-stop-and-go",
    title="the sticks are pushed, turned round and let go at random",
    world="flat",
    duration=90.0,
    script=script_walk_stop_and_go,
    measure=measure_walk_stop_and_go,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
