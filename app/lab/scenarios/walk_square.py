"""``walk-square``: once around a square, by what the operator sees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import list_stretches, measure_walk, yaw_of
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, steer, steer_until, stop, walks
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

SIDE = 1.5
"""Side of the square [m]."""

ROOM = 0.35
"""How far before the corner the operator releases the sticks of a robot at ``FAST``: as far as it still goes [m]."""

ROOM_TO_TURN = 0.25
"""The same of a turn [rad]."""

FAST, FAST_TURN = 0.5, 0.35
"""Speeds from which on it is so far; slower robots go less far [m/s], [rad/s]."""

MAX_DURATION = 30.0
"""Longest time on one side [s]."""

CORNERS = ((0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE))
"""Where each side begins, x and y [m]; it runs along the angle of its number times 90 deg."""


def script_walk_square(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk until the corner is near, stop, turn until the next side is ahead, stop."""
    gait = gait_of(model)
    steps: list[Step] = [*begin_walking(model, random)]
    room = ROOM * min(1.0, gait.speed / FAST)
    room_to_turn = ROOM_TO_TURN * min(1.0, gait.turning_speed / FAST_TURN)
    for side in range(4):
        steps += [steer(gait, forward=gait.speed), steer_until("the corner", _is_along(side, room), MAX_DURATION), *stop()]
        turn = steer_until("the next side ahead", _is_turned(0.5 * math.pi * (side + 1), room_to_turn), MAX_DURATION)
        steps += [steer(gait, turn=gait.turning_speed), turn, *stop()]
    return ScoredOperator([*steps, wait(0.5)])


def _is_along(side: int, room: float) -> Callable[[Snapshot], bool]:
    angle = 0.5 * math.pi * side
    start, direction = np.array(CORNERS[side]), np.array([math.cos(angle), math.sin(angle)])

    def holds(snapshot: Snapshot) -> bool:
        return bool((snapshot.position_com_in_world[:2] - start) @ direction > SIDE - room)

    return holds


def _is_turned(angle: float, room: float) -> Callable[[Snapshot], bool]:
    def holds(snapshot: Snapshot) -> bool:
        return math.remainder(yaw_of(snapshot.q) - angle, 2.0 * math.pi) > -room

    return holds


def measure_walk_square(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and how far from its start, and turned, the robot ends."""
    first = int(np.searchsorted(trace.times, list_stretches(trace)[0].begin)) if list_stretches(trace) else 0
    off = np.linalg.norm(trace.com[-1][:2] - trace.com[first][:2])
    turned = math.remainder(yaw_of(trace.configurations[-1]) - yaw_of(trace.configurations[first]), 2.0 * math.pi)
    return [
        Figure("return_error", float(off), "m", must=0.3),
        Figure("return_turn", abs(turned), "rad", must=0.3),
        *measure_walk(model, trace),
    ]


WALK_SQUARE = Scenario(
    name="walk-square",
    title=f"once around a square of {SIDE} m, by what the operator sees",
    world="flat",
    duration=120.0,
    script=script_walk_square,
    measure=measure_walk_square,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
