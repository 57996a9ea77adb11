"""``walk-turn``: a minute turning in place each way, a minute to each side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.figures import Figure
from handhold.app.scenarios.scenario import Operator, Scenario
from handhold.app.scenarios.score import ScoredOperator, wait
from handhold.app.scenarios.trace import Trace
from handhold.app.scenarios.walk_measures import STARTING, list_stretches, measure_speed, measure_turning, measure_walk
from handhold.app.scenarios.walk_plot import plot_walk
from handhold.app.scenarios.walks import begin_walking, disturb_gently, gait_of, steer, stop, walks
from handhold.robots.model import RobotModel

HELD = 60.0
"""Time for which each direction is held, beside its start [s]."""


def script_walk_turn(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: turn to the left and to the right, walk to the left and to the right."""
    gait = gait_of(model)
    steps = [*begin_walking(model, random)]
    for sign in (1.0, -1.0):
        steps += [steer(gait, turn=sign * gait.turning_speed), wait(HELD + STARTING), *stop()]
    for sign in (1.0, -1.0):
        steps += [steer(gait, left=sign * gait.sideways_speed), wait(HELD + STARTING), *stop()]
    return ScoredOperator(steps)


def measure_walk_turn(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the slower of both directions of each kind."""
    stretches = list_stretches(trace)
    turning = [measure_turning(trace, stretch) for stretch in stretches[:2]]
    sideways = [measure_speed(trace, stretch) for stretch in stretches[2:]]
    return [
        Figure("turn_speed", min(turning, default=float("nan")), "rad/s", must=0.30, larger_is_better=True),
        Figure("side_speed", min(sideways, default=float("nan")), "m/s", must=0.10, larger_is_better=True),
        *measure_walk(model, trace),
    ]


WALK_TURN = Scenario(
    name="walk-turn",
    title="a minute turning each way in place, a minute walking to each side",
    world="flat",
    duration=300.0,
    script=script_walk_turn,
    measure=measure_walk_turn,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
