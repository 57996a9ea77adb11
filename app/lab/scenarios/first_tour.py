"""``stand-in``: what a robot is to do when it is driven for the first time: reach far, lean on a table, walk back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.host.footholds import find_start
from handhold.app.host.starting_place import compute_reach_ahead, find_near_face
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.phrases import compute_turn_to_face, drag_hand, load, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, move, release, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import gait_of, mode_is, steer, stop, walks
from handhold.app.limbs import find_hands
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

WORLD, TABLE = "low_table", "low table"

BEYOND_REACH = 0.1
"""How far beyond the stretched arm the hand is commanded [m]."""

RISE = 0.2
"""How far up the hand goes meanwhile [m]: over the table."""

HAND_SPEED, CAREFUL_SPEED = 0.3, 0.1
"""Speeds of the operator's hand in the air and near the table [m/s]."""

OVER_TABLE, ON_TABLE = 0.05, 0.08
"""How far above the table the hand is brought, and how far behind its edge [m]. At 5 cm one of ten hands in real processes
came down too near the edge to bear, and was stopped there, as the operator is told."""

LEANING = 3.0
"""How long it leans [s]."""

WAY_BACK, PACE = 2.6, 0.6
"""How far it walks back [m], and at which part of its speed [-]."""

WALKED = 2.0
"""How far it must have come [m]."""


def start_before_table(model: RobotModel) -> np.ndarray:
    """Find where the robot stands before the table, shape ``(nq,)``."""
    return find_start(WORLD, model)


def script_first_tour(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: reach far ahead and come back, lean the left hand on the table, let go, walk back."""
    hands, gait = find_hands(model), gait_of(model)
    right = hands["right"]
    ahead = compute_reach_ahead(model, right, effector_poses[right, :3, 3]) + BEYOND_REACH
    duration = WAY_BACK / (PACE * gait.backward_speed)
    return ScoredOperator(
        [
            wait(1.0),
            squeeze("right"),
            move("right", (ahead, 0.0, RISE), HAND_SPEED),
            wait(2.0),
            move("right", (-ahead, 0.0, -RISE), HAND_SPEED),
            wait(2.0),
            release("right"),
            wait(0.5),
            *lean_on_table(model, effector_poses[hands["left"]], hands["left"]),
            ask("mode:walking"),
            mode_is("walking"),
            wait(1.0),
            steer(gait, forward=-PACE * gait.backward_speed),
            wait(duration),
            *stop(),
            ask("mode:bracing"),
            mode_is("bracing"),
            wait(1.0),
        ]
    )


def lean_on_table(model: RobotModel, pose: np.ndarray, effector: int) -> tuple[Step, ...]:
    """Bring the left hand over the table, turned down, lean on it, let go, and bring the hand back."""
    table = next(solid for solid in load_world(WORLD).solids if solid.name == TABLE)
    top = table.position[2] + table.half_size[2] + model.effectors[effector].radius
    ahead = find_near_face(table) + ON_TABLE - float(pose[0, 3])
    up = top + OVER_TABLE - float(pose[2, 3])
    turn = compute_turn_to_face(pose, (0.0, 0.0, 1.0))
    return (
        *drag_hand("left", (0.0, 0.0, up), (ahead, 0.0, 0.0), turn=turn, speed=CAREFUL_SPEED, following=effector),
        *load("left"),
        wait(LEANING),
        *unload("left"),
        *drag_hand("left", (0.0, 0.0, OVER_TABLE), (-ahead, 0.0, 0.0), speed=CAREFUL_SPEED, following=effector),
    )


def measure_first_tour(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how far it reached and walked, and how hard it leaned."""
    hands = find_hands(model)
    positions, base = np.array(trace.effectors), np.array(trace.configurations)[:, :2]
    reached = positions[:, hands["right"], 0] - positions[0, hands["right"], 0]
    loads = np.linalg.norm(np.array(trace.wrenches)[:, hands["left"], :3], axis=1)
    return [
        measure_failures(trace),
        Figure("reach", float(reached.max()), "m"),
        Figure("brace_force", float(loads.max()), "N"),
        Figure("walked", float(np.linalg.norm(base[-1] - base[0])), "m", must=WALKED, larger_is_better=True),
    ]


FIRST_TOUR = Scenario(
    name="stand-in",
    title="what a robot does when it is driven first: reach far, lean on a table, walk back",
    robot="g1",
    world=WORLD,
    duration=150.0,
    script=script_first_tour,
    measure=measure_first_tour,
    needs=(hand("left"), hand("right"), walks),
    start=start_before_table,
    moves=WALKED,
)
