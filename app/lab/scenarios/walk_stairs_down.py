"""``walk-stairs-down``: up four steps of 7 cm, and down again."""

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

WORLD = "walk_stairs"

SPEED = 0.3
"""Speed at which the operator asks the robot to walk, or its largest where that is less [m/s]."""

BEYOND = 4.7
"""Where it stops: past the last step [m]."""

MAX_DURATION = 60.0
"""Longest time until then [s]."""


def script_walk_stairs_down(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk straight on until the robot is past the last step, and stop."""
    gait = gait_of(model)
    ahead = follow_line(gait, min(SPEED, gait.speed), BEYOND, MAX_DURATION)
    return ScoredOperator([*begin_walking(model, random), ahead, *stop()])


def measure_walk_stairs_down(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and what supported the soles."""
    return [measure_footholds(model, trace, load_world(WORLD)), *measure_walk(model, trace)]


WALK_STAIRS_DOWN = Scenario(
    name="walk-stairs-down",
    title="up stairs of four steps of 7 cm, and down again",
    world=WORLD,
    duration=120.0,
    script=script_walk_stairs_down,
    measure=measure_walk_stairs_down,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
