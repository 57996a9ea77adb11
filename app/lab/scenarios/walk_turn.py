"""``walk-turn``: a minute turning in place, a minute to the side, each to the left or to the right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import STARTING, list_stretches, measure_speed, measure_turning, measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, require_speed, steer, stop, walks
from handhold.robots.model import RobotModel

HELD = 60.0
"""Time for which each direction is held, beside its start [s]."""


def script_walk_turn(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: turn one way, walk to one side; which is up to the die."""
    gait = gait_of(model)
    turn, side = random.choice([-1.0, 1.0], 2)
    turning = steer(gait, turn=float(turn) * gait.turning_speed), wait(HELD + STARTING), *stop()
    walking = steer(gait, left=float(side) * gait.sideways_speed), wait(HELD + STARTING), *stop()
    return ScoredOperator([*begin_walking(model, random), *turning, *walking])


def measure_walk_turn(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how fast it went."""
    gait, stretches = gait_of(model), list_stretches(trace)
    turn_must, side_must = require_speed(0.30, gait.turning_speed), require_speed(0.10, gait.sideways_speed)
    turning = [measure_turning(trace, stretch) for stretch in stretches[:1]]
    sideways = [measure_speed(trace, stretch) for stretch in stretches[1:]]
    return [
        Figure("turn_speed", min(turning, default=float("nan")), "rad/s", must=turn_must, larger_is_better=True),
        Figure("side_speed", min(sideways, default=float("nan")), "m/s", must=side_must, larger_is_better=True),
        *measure_walk(model, trace),
    ]


WALK_TURN = Scenario(
    name="walk-turn",
    title="a minute turning in place, a minute walking to the side, each to the left or to the right",
    world="flat",
    duration=180.0,
    script=script_walk_turn,
    measure=measure_walk_turn,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
