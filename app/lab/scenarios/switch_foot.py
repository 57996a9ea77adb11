"""``switch-foot``: a foot is unloaded, lifted, put back and loaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import balances_on_each_foot, feet_on_both_sides, find_feet
from handhold.app.lab.scenarios.phrases import drag_hand, load, take, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.model import RobotModel

LIFT = 0.07
"""Commanded height of the swing foot [m]: more than it must be lifted, because it may stay below, the price of the posture."""

MIN_LIFT = 0.05
"""How high it must be lifted [m]."""

LOWERING_GAP = 0.02
"""Height from which the foot goes down by itself until it touches [m]."""

REST_TIME = 0.5
"""How long a foot's target has been at rest when its reference should have come to it [s]."""

MAX_FREE_ERROR = 0.002
"""How far from its target a free foot may be then [m]."""

SPEED = 0.05
"""Speed of the foot [m/s]."""


def script_switch_foot(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: take the left (front) foot, unload it, lift it, hold it, put it back."""
    foot = find_feet(model, effector_poses, "left")[0]
    return ScoredOperator(
        [
            wait(0.3),
            *take(model, "left", foot),
            *unload("left"),
            *drag_hand("left", (0.0, 0.0, LIFT), speed=SPEED, following=foot),
            wait(1.0),
            *drag_hand("left", (0.0, 0.0, LOWERING_GAP - LIFT), speed=SPEED, following=foot),
            *load("left"),
        ]
    )


def measure_free_foot(trace: Trace, foot: int) -> float:
    """Measure how far the reference of a free foot is from its target, once that has been at rest for a while [m]."""
    times = np.array(trace.times)
    targets = np.array(trace.targets)[:, 0]
    free = ~np.array(trace.contacts)[:, foot]
    ago = np.searchsorted(times, times - REST_TIME)
    at_rest = (np.linalg.norm(targets - targets[ago], axis=1) < 1e-4) & free & free[ago] & (times >= times[0] + REST_TIME)
    errors = np.linalg.norm(np.array(trace.effectors_reference)[:, foot] - targets, axis=1)
    return float(errors[at_rest].max()) if at_rest.any() else float("nan")


def measure_switch_foot(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, how high the foot was, and how far from its foothold it came down."""
    foot = find_feet(model, model.effector_poses(model.q_nominal), "left")[0]
    positions = np.array(trace.effectors)[:, foot]
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("lift", float((positions[:, 2] - positions[0, 2]).max()), "m", must=MIN_LIFT, larger_is_better=True),
        Figure("free_foot_error", measure_free_foot(trace, foot), "m", must=MAX_FREE_ERROR),
        Figure("landing_error", float(np.linalg.norm(positions[-1] - positions[0])), "m", must=0.02),
    ]


SWITCH_FOOT = Scenario(
    name="switch-foot",
    title="the left (front) foot is unloaded, lifted by 5 cm, put back and loaded",
    world="flat",
    duration=60.0,
    script=script_switch_foot,
    measure=measure_switch_foot,
    needs=(feet_on_both_sides, balances_on_each_foot),
)
