"""``walk-beam``: along a beam 20 cm wide and 6 cm high."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_paths import follow_line, measure_footholds, measure_footsteps_on
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, stop, walks
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

WORLD = "walk_beam"

SPEED = 0.3
"""Speed at which the operator asks the robot to walk, or its largest where that is less [m/s]."""

BEYOND = 3.6
"""Where it stops: past the beam [m]."""

HEIGHT, ALONG = 0.06, (1.2, 2.6)
"""Of the beam, and where along x the robot should be on it [m]."""

MAX_DURATION = 60.0
"""Longest time until then [s]."""


def script_walk_beam(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk straight on until the robot is past the beam, and stop."""
    gait = gait_of(model)
    ahead = follow_line(gait, min(SPEED, gait.speed), BEYOND, MAX_DURATION)
    return ScoredOperator([*begin_walking(model, random), ahead, *stop()])


def measure_walk_beam(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and what supported the soles."""
    on_beam = measure_footsteps_on(model, trace, HEIGHT, ALONG)
    return [measure_footholds(model, trace, load_world(WORLD)), on_beam, *measure_walk(model, trace)]


WALK_BEAM = Scenario(
    name="walk-beam",
    title="onto a beam 20 cm wide and 6 cm high, along it, and off it",
    world=WORLD,
    duration=120.0,
    script=script_walk_beam,
    measure=measure_walk_beam,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
