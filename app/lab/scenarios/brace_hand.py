"""``brace-hand``: a hand goes to the wall and is loaded; the other one reaches past it and comes back; the first unloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from handhold.app.host.starting_place import compute_reach_ahead
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.phrases import drag_hand, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, move, release, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import brace, find_offset_before_wall, raise_wall
from handhold.app.limbs import find_hands
from handhold.robots.model import RobotModel

WORLD = "half_wall"

BEYOND_REACH = 0.3
"""How far beyond the stretched arm the other hand is commanded, as a part of the nominal height of the base [-]."""

SPEED = 0.3
"""Speed of the operator's other hand [m/s]."""

BACK = 0.1
"""How far the bracing hand comes back from the wall at the end [m]."""


def script_brace_hand(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: brace with the left hand, reach with the right one, come back, release the wall."""
    hands = find_hands(model)
    right = hands["right"]
    distance = compute_reach_ahead(model, right, effector_poses[right, :3, 3])
    distance += BEYOND_REACH * float(model.q_nominal[2])
    return ScoredOperator(
        [
            wait(0.3),
            *brace(model, effector_poses, "left", hands["left"], WORLD),
            squeeze("right"),
            move("right", (distance, 0.0, 0.0), SPEED),
            wait(4.0),
            move("right", (-distance, 0.0, 0.0), SPEED),
            wait(2.0),
            release("right"),
            wait(0.3),
            *unload("left"),
            *drag_hand("left", (-BACK, 0.0, 0.0)),
        ]
    )


def measure_brace_hand(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, how far the other hand went, and how hard the brace was used."""
    hands = find_hands(model)
    positions = np.array(trace.effectors)[:, hands["right"]]
    loads = np.linalg.norm(np.array(trace.wrenches)[:, hands["left"], :3], axis=1)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("reach", float((positions[:, 0] - positions[0, 0]).max()), "m"),
        Figure("brace_force", float(loads.max()), "N"),
    ]


BRACE_HAND = Scenario(
    name="brace-hand",
    title="the left hand braces on a wall while the right one reaches past it, and lets go",
    world=WORLD,
    duration=90.0,
    script=script_brace_hand,
    measure=measure_brace_hand,
    needs=(hand("left"), hand("right")),
    start_offset=partial(find_offset_before_wall, WORLD),
    fit=raise_wall,
)
