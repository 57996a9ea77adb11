"""``push``: a hand on a wall pushes, slowly harder than its posture allows at first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.force_bound import NoForceBound, compute_force_bound
from handhold.app.lab.scenarios.margins import compute_measured_loads, compute_reference_loads
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.phrases import drag_hand, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, release, squeeze, trigger, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import brace, find_offset_before_wall, raise_wall
from handhold.app.limbs import choose_hand
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel

WORLD = "half_wall"

RISING, HOLDING, FALLING = 20.0, 8.0, 6.0
"""Times in which the trigger is pulled, held and released [s]."""

STEADY = 2.0
"""Last part of the holding, over which the force is compared [s]."""

BOUNDS_EVERY = 0.1
"""Time from one bound that is computed to the next [s]."""

BACK = 0.1
"""How far the hand comes back from the wall at the end [m]."""


def script_push(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: brace, pull the trigger slowly, hold it, release it, release the wall."""
    side, effector = choose_hand(model)
    return ScoredOperator(
        [
            wait(0.3),
            *brace(model, effector_poses, side, effector, WORLD),
            squeeze(side),
            wait(0.5),
            trigger(side, 1.0, RISING),
            wait(HOLDING),
            trigger(side, 0.0, FALLING),
            wait(1.0),
            release(side),
            wait(0.3),
            *unload(side),
            *drag_hand(side, (-BACK, 0.0, 0.0)),
        ]
    )


def measure_push(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot and its push.

    ``force_error``: mean error of the simulated normal force to the reference's while the largest is held. ``bound_gap``:
    least distance of the reference's force to the bound of its present posture. ``force_over_bound``: how far the reference's
    force came beyond the bound of the posture in which the push began.
    """
    times, bounds = compute_bounds(model, trace)
    _, effector = choose_hand(model)
    desired = compute_reference_loads(trace, model, effector).forces[:, 2]
    measured = compute_measured_loads(trace, model, effector).forces[:, 2]
    at = np.searchsorted(trace.times, times)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("push", float(np.nanmax(desired, initial=0.0)), "N"),
        Figure("force_error", compute_force_error(np.array(trace.times), desired, measured), "%", must=10.0),
        Figure("bound_gap", float(100.0 * np.nanmin(1.0 - desired[at] / bounds, initial=1.0)), "%", must=2.0),
        Figure("force_over_bound", compute_excess(desired, bounds), "%", must=1.0, larger_is_better=True),
    ]


def compute_force_error(times: np.ndarray, desired: np.ndarray, measured: np.ndarray) -> float:
    """Compute the mean error of the measured force in the last ``STEADY`` seconds at the largest desired one [%]."""
    if not np.isfinite(desired).any():
        return float("nan")
    highest = np.nanmax(desired)
    last = times[np.flatnonzero(desired >= 0.99 * highest)[-1]]
    steady = (times > last - STEADY) & (times <= last)
    return float(100.0 * np.nanmean(np.abs(measured - desired)[steady]) / highest)


def compute_excess(desired: np.ndarray, bounds: np.ndarray) -> float:
    """Compute how far the desired force came beyond the first bound [%]."""
    return float(100.0 * (np.nanmax(desired) / bounds[0] - 1.0)) if len(bounds) else float("nan")


def compute_bounds(model: RobotModel, trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Compute the largest normal force of the hand in the reference's postures, every so often.

    Returns:
        Times at which the hand was in contact [s], and the bounds then [N].
    """
    _, effector = choose_hand(model)
    stride = max(1, round(BOUNDS_EVERY / (trace.times[1] - trace.times[0])))
    times, bounds = [], []
    for k in range(0, len(trace.times), stride):
        if not trace.contacts[k][effector]:
            continue
        contacts = np.flatnonzero(trace.contacts[k]).tolist()
        normals = {e: trace.normals[k][e] for e in contacts}
        stance = Stance.of_reference(model, contacts, normals)
        times.append(trace.times[k])
        bounds.append(_bound(model, stance, trace.postures[k], effector))
    return np.array(times), np.array(bounds)


def _bound(model: RobotModel, stance: Stance, q: np.ndarray, effector: int) -> float:
    """Return what posture, friction and motors allow, whatever the description allows the hand; NaN without an equilibrium."""
    try:
        return compute_force_bound(model, stance, q, effector, limit_own=False).force
    except NoForceBound:
        return float("nan")


PUSH = Scenario(
    name="push",
    title="a hand on a wall pushes up to the bound of its force, and beyond by changing the posture",
    world=WORLD,
    duration=120.0,
    script=script_push,
    measure=measure_push,
    needs=(any_hand,),
    start_offset=partial(find_offset_before_wall, WORLD),
    fit=raise_wall,
)
