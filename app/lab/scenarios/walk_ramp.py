"""``walk-ramp``: up a ramp of 10 degrees, stop, brace on the wall at its end, and back down to the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.phrases import drag_hand, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, ask, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_paths import follow_line, measure_footholds
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, mode_is, stop, walks
from handhold.app.lab.scenarios.walls import brace_in_place
from handhold.app.limbs import find_hands
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

WORLD = "walk_ramp"

SPEED = 0.3
"""Speed at which the operator asks the robot to walk, or its largest where that is less [m/s]."""

BEYOND = 1.8
"""Where it stops: past the middle of the ramp [m]."""

BACK = 0.2
"""Where it stops on its way back: before the ramp [m]."""

SUPPORT_TIME = 2.0
"""How long the hand is in contact with the wall at the ramp's end [s]."""

RETREAT = 0.3
"""How far the hand comes back from the wall [m]."""

MAX_DURATION = 60.0
"""Longest time until there, and back [s]."""


def script_walk_ramp(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk up past the middle of the ramp, stop, brace with the left hand, release, and walk back."""
    gait = gait_of(model)
    ahead = follow_line(gait, min(SPEED, gait.speed), BEYOND, MAX_DURATION)
    back = follow_line(gait, -min(SPEED, gait.backward_speed), BACK, MAX_DURATION)
    left = find_hands(model)["left"]
    bracing = [
        ask("mode:bracing"),
        mode_is("bracing"),
        wait(1.0),
        *brace_in_place(model, "left", left, WORLD),
        wait(SUPPORT_TIME),
        *unload("left"),
        *drag_hand("left", (-RETREAT, 0.0, 0.0)),
        ask("mode:walking"),
        mode_is("walking"),
        wait(1.0),
    ]
    return ScoredOperator([*begin_walking(model, random), ahead, *stop(), *bracing, back, *stop()])


def measure_walk_ramp(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and what supported the soles."""
    loads = np.linalg.norm(np.array(trace.wrenches)[:, find_hands(model)["left"], :3], axis=1)
    return [
        measure_footholds(model, trace, load_world(WORLD)),
        *measure_walk(model, trace),
        Figure("brace_force", float(loads.max()), "N"),
    ]


WALK_RAMP = Scenario(
    name="walk-ramp",
    title="up a ramp of 10 degrees, stop, brace on the wall at its end, and back down",
    world=WORLD,
    duration=120.0,
    script=script_walk_ramp,
    measure=measure_walk_ramp,
    needs=(walks, hand("left")),
    disturb=disturb_gently,
    draw=plot_walk,
)
