"""``walk-uneven``: over slabs of different heights and tilts that are known from the surface map, and on beyond them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, steer, steer_until, stop, walks
from handhold.robots.model import RobotModel

SPEED = 0.3
"""Speed at which the robot walks, or its largest where that is less [m/s]."""

BEYOND = 4.0
"""Where it stops: past the last slab [m]."""

MAX_DURATION = 60.0
"""Longest time until then [s]."""


def script_walk_uneven(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk straight on until the robot is past the slabs, and stop."""
    gait = gait_of(model)
    past = steer_until("past the slabs", lambda snapshot: bool(snapshot.position_com_in_world[0] > BEYOND), MAX_DURATION)
    return ScoredOperator([*begin_walking(model, random), steer(gait, forward=min(SPEED, gait.speed)), past, *stop()])


def measure_walk_uneven(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and how high the feet stood."""
    contacts, heights = np.array(trace.contacts), np.array(trace.effectors)[..., 2]
    return [
        Figure("climb", float(heights[contacts].max()), "m", must=0.02, larger_is_better=True),
        *measure_walk(model, trace),
    ]


WALK_UNEVEN = Scenario(
    name="walk-uneven",
    title="over slabs up to 3 cm higher or lower than their neighbours, tilted by up to 5 degrees",
    world="walk_ground",
    duration=90.0,
    script=script_walk_uneven,
    measure=measure_walk_uneven,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
