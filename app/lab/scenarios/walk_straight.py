"""``walk-straight``: a minute forward as fast as the robot goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import list_stretches, measure_speed, measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, require_speed, steer, stop, walks
from handhold.robots.model import RobotModel

WALKING = 63.0
"""Time for which the stick is pushed [s]: a minute, and the start."""


def script_walk_straight(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: change to walking, push the stick to its end, release it."""
    gait = gait_of(model)
    return ScoredOperator([*begin_walking(model, random), steer(gait, forward=gait.speed), wait(WALKING), *stop()])


def measure_walk_straight(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk and its speed."""
    speeds = [measure_speed(trace, stretch) for stretch in list_stretches(trace)]
    return [
        Figure(
            "walk_speed",
            min(speeds, default=float("nan")),
            "m/s",
            must=require_speed(0.30, gait_of(model).speed),
            aim=0.50,
            larger_is_better=True,
        ),
        *measure_walk(model, trace),
    ]


WALK_STRAIGHT = Scenario(
    name="walk-straight",
    title="a minute forward as fast as the robot goes",
    world="flat",
    duration=90.0,
    script=script_walk_straight,
    measure=measure_walk_straight,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
