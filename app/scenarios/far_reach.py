"""``far-reach``: a hand is commanded 0.6 m beyond the stretched arm, held there, and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pinocchio as pin

from handhold.app.figures import Figure
from handhold.app.scenarios.measures import measure_reference, measure_robot
from handhold.app.scenarios.needs import any_hand, choose_hand, list_limb
from handhold.app.scenarios.scenario import Operator, Scenario
from handhold.app.scenarios.score import ScoredOperator, move, squeeze, wait_till
from handhold.app.scenarios.trace import Trace
from handhold.robots.model import RobotModel

BEYOND_REACH = 0.6
"""How far beyond the stretched arm the hand is commanded [m]."""

HAND_SPEED = 0.5
"""Speed of the operator's hand [m/s]."""

TIMED_REACH = 0.5
"""Distance whose time is told [m]."""

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


def compute_reach_ahead(model: RobotModel, effector: int, hand: np.ndarray) -> float:
    """Compute how far straight ahead (+x) the hand can go until the arm is stretched, trunk at rest [m].

    The arm's length is the sum of the distances between its joints (see ``list_limb``).
    """
    pinocchio = model.pinocchio
    data = pinocchio.createData()
    pin.forwardKinematics(pinocchio, data, model.q_nominal)
    chain = [data.oMi[joint].translation for joint in list_limb(model, effector)] + [hand]
    length = sum(float(np.linalg.norm(b - a)) for a, b in pairwise(chain))
    aside = float(np.linalg.norm((hand - chain[0])[1:]))
    return float(np.sqrt(max(0.0, length**2 - aside**2)) - (hand - chain[0])[0])


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
