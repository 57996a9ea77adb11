"""``walk-fickle``: the sticks are pushed, turned round and let go at random, many times within a step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.app.scenarios.scenario import Operator, Scenario
from handhold.app.scenarios.score import ScoredOperator, Step, wait
from handhold.app.scenarios.walk_measures import measure_walk
from handhold.app.scenarios.walk_plot import plot_walk
from handhold.app.scenarios.walks import begin_walking, disturb_gently, gait_of, let_go, steer, stop, walks
from handhold.robots.description import Walking
from handhold.robots.model import RobotModel

CHANGES = 50
"""How often the operator thinks better of it."""

BETWEEN = 0.6
"""Mean time between two changes [s]: less than a step takes."""

LET_GO = 0.4
"""Part of the changes with which the sticks are let go [-]."""


def script_walk_fickle(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: no velocity lasts, and the robot stands at last."""
    return ScoredOperator([*begin_walking(model, random), *_change_often(gait_of(model), random), *stop()])


def _change_often(gait: Walking, random: np.random.Generator) -> Iterator[Step]:
    for _ in range(CHANGES):
        if random.random() < LET_GO:
            yield let_go()
        else:
            forward = random.uniform(-gait.backward_speed, gait.speed)
            left = gait.sideways_speed * random.uniform(-1.0, 1.0)
            yield steer(gait, forward=forward, left=left, turn=gait.turning_speed * random.uniform(-1.0, 1.0))
        yield wait(random.exponential(BETWEEN))


WALK_FICKLE = Scenario(
    name="walk-fickle",
    title="the sticks are pushed, turned round and let go at random",
    world="flat",
    duration=90.0,
    script=script_walk_fickle,
    measure=measure_walk,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
