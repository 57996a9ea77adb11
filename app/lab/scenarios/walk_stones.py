"""``walk-stones``: over stones of 30 x 26 cm with drops between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_paths import follow_line, measure_footholds
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, stop, walks
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

WORLD = "walk_stones"

SPEED = 0.3
"""Speed at which the operator asks the robot to walk, or its largest where that is less [m/s]."""

BEYOND = 3.8
"""Where it stops: past the stones [m]."""

MAX_DURATION = 60.0
"""Longest time until then [s]."""


def script_walk_stones(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk straight on until the robot is past the stones, and stop."""
    gait = gait_of(model)
    ahead = follow_line(gait, min(SPEED, gait.speed), BEYOND, MAX_DURATION)
    return ScoredOperator([*begin_walking(model, random), ahead, *stop()])


def measure_walk_stones(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and what supported the soles."""
    return [measure_footholds(model, trace, load_world(WORLD)), *measure_walk(model, trace)]


WALK_STONES = Scenario(
    name="walk-stones",
    title="over stones of 30 x 26 cm with drops between them",
    world=WORLD,
    duration=120.0,
    script=script_walk_stones,
    measure=measure_walk_stones,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
