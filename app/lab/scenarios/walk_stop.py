"""``walk-stop``: in every direction the sticks are released at a random moment of a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import list_stretches, measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, steer, stop, walks
from handhold.robots.model import RobotModel

MIN_STOPS = 6.0
"""Directions that are walked."""

MIN_WALK_TIME = 2.5
"""Minimum time of a walk [s]."""


def script_walk_stop(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: every direction, released at any moment of a step."""
    gait = gait_of(model)
    commands = [
        {"forward": gait.speed},
        {"forward": -gait.backward_speed},
        {"left": gait.sideways_speed},
        {"left": -gait.sideways_speed},
        {"turn": gait.turning_speed},
        {"forward": 0.5 * gait.speed, "turn": -gait.turning_speed},
    ]
    steps: list[Step] = [*begin_walking(model, random)]
    for command in commands:
        steps += [steer(gait, **command), wait(MIN_WALK_TIME + gait.step_duration * random.uniform(0.0, 2.0)), *stop()]
    return ScoredOperator(steps)


def measure_walk_stop(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walks and their ends."""
    stops = float(len(list_stretches(trace)))
    return [Figure("stops", stops, "-", must=MIN_STOPS, larger_is_better=True), *measure_walk(model, trace)]


WALK_STOP = Scenario(
    name="walk-stop",
    title="the sticks are let go at any moment of a step, in every direction",
    world="flat",
    duration=90.0,
    script=script_walk_stop,
    measure=measure_walk_stop,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
