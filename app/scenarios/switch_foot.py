"""``switch-foot``: a foot is unloaded, lifted, put back and loaded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.figures import Figure
from handhold.app.scenarios.measures import measure_reference, measure_robot
from handhold.app.scenarios.needs import feet_on_both_sides, find_feet, stands_on_each_foot
from handhold.app.scenarios.phrases import carry, load, take, unload
from handhold.app.scenarios.scenario import Operator, Scenario
from handhold.app.scenarios.score import ScoredOperator, wait
from handhold.app.scenarios.trace import Trace
from handhold.robots.model import RobotModel

LIFT = 0.07
"""How high the foot is commanded [m]: more than it must be lifted, because it may stay below, the price of the posture."""

LEAST_LIFT = 0.05
"""How high it must be lifted [m]."""

LEFT_TO_GO = 0.02
"""Height from which the foot goes down by itself until it touches [m]."""

STILL_FOR = 0.5
"""How long a foot's target has stood still when its reference should have come to it [s]."""

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
            *carry("left", (0.0, 0.0, LIFT), speed=SPEED, following=foot),
            wait(1.0),
            *carry("left", (0.0, 0.0, LEFT_TO_GO - LIFT), speed=SPEED, following=foot),
            *load("left"),
        ]
    )


def measure_free_foot(trace: Trace, foot: int) -> float:
    """Measure how far the reference of a free foot is from its target, once that has stood still for a while [m]."""
    times = np.array(trace.times)
    targets = np.array(trace.targets)[:, 0]
    free = ~np.array(trace.contacts)[:, foot]
    ago = np.searchsorted(times, times - STILL_FOR)
    still = (np.linalg.norm(targets - targets[ago], axis=1) < 1e-4) & free & free[ago] & (times >= times[0] + STILL_FOR)
    errors = np.linalg.norm(np.array(trace.effectors_reference)[:, foot] - targets, axis=1)
    return float(errors[still].max()) if still.any() else float("nan")


def measure_switch_foot(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, how high the foot was, and how far from its place it came down."""
    foot = find_feet(model, model.effector_poses(model.q_nominal), "left")[0]
    positions = np.array(trace.effectors)[:, foot]
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("lift", float((positions[:, 2] - positions[0, 2]).max()), "m", must=LEAST_LIFT, larger_is_better=True),
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
    needs=(feet_on_both_sides, stands_on_each_foot),
)
