"""``brace-moved``: the wall moves by 10 cm after a place on it was taken; the hand braces where it is then.

Played with ``--camera sim``: without a camera nobody would know that it has moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.brace_offered import BRACE_OFFERED, WORLD, measure_brace, script_brace
from handhold.app.lab.scenarios.needs import has_cameras
from handhold.app.lab.scenarios.offered_places import take_place
from handhold.app.lab.scenarios.scenario import Disturbance, Operator
from handhold.app.lab.scenarios.score import wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import WALL, find_wall
from handhold.app.limbs import choose_hand
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.worlds import load_world

MOVED_AT = 8.0
"""Time by the robot's clock at which the wall moves [s]: a place on it has been taken before."""

AWAY = 0.10
"""How far it moves away from the robot [m]."""

NOTICED_IN = 5.0
"""Time within which the last place is offered where the wall was [s]: its cells have been seen through, places ranked."""

MAX_DISTANCE = 0.03
"""Distance of a place from the wall's true face up to which it is one on it [m]."""


def script_brace_moved(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: take a place, wait until the wall has moved and is seen there, and brace where is offered then."""
    side, _ = choose_hand(model)
    return script_brace(model, effector_poses, random, before=(take_place(side), wait_till(MOVED_AT + NOTICED_IN)))


def move_wall(_model: RobotModel, _random: np.random.Generator) -> Disturbance:
    """Move the wall once."""
    moved = False

    def disturb(body: SimulatedRobot, state: RobotState) -> None:
        nonlocal moved
        if state.time >= MOVED_AT and not moved:
            names = [solid.name for solid in body.world.solids]
            body.shift_solid(names.index(WALL), np.array([AWAY, 0.0, 0.0]))
            moved = True

    return disturb


def measure_brace_moved(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the brace, what was offered before, and how long places were offered where the wall was."""
    times, face = np.array(trace.times), find_wall(load_world(WORLD))
    before = [len(places) for places, time in zip(trace.offers, times, strict=True) if time < MOVED_AT]
    off_the_wall = [bool((np.abs(places[:, 0] - face - AWAY) > MAX_DISTANCE).any()) for places in trace.offers]
    stale_for = float(max(times[np.array(off_the_wall)], default=MOVED_AT)) - MOVED_AT
    return [
        *measure_brace(model, trace),
        Figure("offers_before", float(max(before, default=0)), "-", must=1.0, larger_is_better=True),
        Figure("stale_for", stale_for, "s", must=NOTICED_IN),
    ]


BRACE_MOVED = replace(
    BRACE_OFFERED,
    name="brace-moved",
    title="a hand braces on a wall that has moved by 10 cm since a place on it was taken",
    script=script_brace_moved,
    measure=measure_brace_moved,
    needs=(*BRACE_OFFERED.needs, has_cameras),
    disturb=move_wall,
    must_see=True,
)
