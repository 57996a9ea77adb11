"""``walk-edge``: the operator walks the robot towards the end of a platform and does not stop; then turns and walks back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk, yaw_of
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import (
    begin_walking,
    disturb_gently,
    gait_of,
    is_standing,
    steer,
    steer_until,
    stop,
    walks,
)
from handhold.render.snapshot import Snapshot
from handhold.retarget.walking.entry import find_walking_feet
from handhold.robots.contact import compute_sole_corners
from handhold.robots.model import RobotModel

EDGE, BACK = 2.2, 1.8
"""Where the platform ends, and past where the robot is to walk back, to stop on it, x [m]."""

MAX_DURATION = 40.0
"""Longest time to the edge, to turn, and back [s]."""

PUSHING_ON = 2.0
"""Time for which the operator goes on pushing the stick before the edge [s]."""


def script_walk_edge(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: full stick until the robot stands, and on; back from the edge, about, and away from it."""
    gait = gait_of(model)
    turned = steer_until("the robot turned about", lambda snapshot: abs(yaw_of(snapshot.q)) > 0.9 * math.pi, MAX_DURATION)
    return ScoredOperator(
        [
            *begin_walking(model, random),
            *(steer(gait, forward=gait.speed), steer_until("the edge", _is_before_the_edge, MAX_DURATION), wait(PUSHING_ON)),
            *(steer(gait, forward=-gait.backward_speed), wait(3.0), *stop()),
            *(steer(gait, turn=gait.turning_speed), turned, *stop()),
            *(steer(gait, forward=gait.speed), steer_until("the way back", lambda s: _x_of(s) < BACK, MAX_DURATION), *stop()),
        ]
    )


def _x_of(snapshot: Snapshot) -> float:
    return float(snapshot.position_com_in_world[0])


def _is_before_the_edge(snapshot: Snapshot) -> bool:
    return _x_of(snapshot) > EDGE - 1.0 and is_standing(snapshot)


def measure_walk_edge(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and how near to the edge a loaded sole came: from its outermost corner."""
    _, feet = find_walking_feet(model)
    min_room = math.inf
    for foot in feet:
        half_lengths = model.effectors[foot].half_lengths
        assert half_lengths is not None, "one walks on soles"
        corners = compute_sole_corners(half_lengths, 0.0)
        in_contact = np.array(trace.contacts)[:, foot]
        tips = np.array(trace.rotations)[in_contact][:, foot] @ corners.T
        middles = np.array(trace.effectors)[in_contact][:, foot, 0]
        min_room = min(min_room, float((EDGE - middles - tips[:, 0].max(axis=1)).min(initial=math.inf)))
    return [Figure("edge_room", min_room, "m", must=0.0, larger_is_better=True), *measure_walk(model, trace)]


WALK_EDGE = Scenario(
    name="walk-edge",
    title="full stick towards the end of a platform, and back from it",
    world="walk_edge",
    duration=120.0,
    script=script_walk_edge,
    measure=measure_walk_edge,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
