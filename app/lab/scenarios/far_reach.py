"""``far-reach``: a hand is commanded 0.6 m beyond the stretched arm, held there, and brought back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.host.starting_place import compute_reach_ahead
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, move, squeeze, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import choose_hand
from handhold.robots.model import RobotModel

BEYOND_REACH = 0.6
"""How far beyond the stretched arm the hand is commanded [m]."""

HAND_SPEED = 0.5
"""Speed of the operator's hand [m/s]."""

TIMED_REACH = 0.5
"""Distance whose time is measured [m]."""

SQUEEZE_TIME, LEAVE_TIME, RETURN_TIME, DURATION = 0.3, 0.5, 7.0, 15.0


def script_far_reach(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: squeeze, reach straight ahead, wait, come back."""
    side, effector = choose_hand(model)
    distance = compute_reach_ahead(model, effector, effector_poses[effector, :3, 3]) + BEYOND_REACH
    return ScoredOperator(
        [
            wait_till(SQUEEZE_TIME),
            squeeze(side),
            wait_till(LEAVE_TIME),
            move(side, (distance, 0.0, 0.0), HAND_SPEED),
            wait_till(RETURN_TIME),
            move(side, (-distance, 0.0, 0.0), HAND_SPEED),
            wait_till(DURATION),
        ]
    )


def measure_far_reach(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the references' residuals, the robot's balance, and how far the hand went and came back."""
    _, effector = choose_hand(model)
    positions = np.array(trace.effectors)[:, effector]
    reached = float((positions[:, 0] - positions[0, 0]).max())
    off = float(np.linalg.norm(positions[-1] - positions[0]))
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("return_error", off, "m", must=0.01),
        Figure("reach", reached, "m"),
        Figure("reach_time", measure_reach_time(trace, effector), "s"),
    ]


def measure_reach_time(trace: Trace, effector: int) -> float:
    """Measure how long after the command the hand has gone half a metre [s]; infinite where it never has."""
    forward = np.array(trace.effectors)[:, effector, 0]
    there = np.flatnonzero(forward - forward[0] >= TIMED_REACH)
    return float(trace.times[there[0]] - trace.times[0]) - LEAVE_TIME if there.size else float("inf")


FAR_REACH = Scenario(
    name="far-reach",
    title="a hand is commanded 0.6 m beyond the stretched arm and back",
    world="flat",
    duration=DURATION,
    script=script_far_reach,
    measure=measure_far_reach,
    needs=(any_hand,),
)
