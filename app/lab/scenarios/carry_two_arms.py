"""``carry-two-arms``: two arms take a box whose weight nobody knows between their palms, turn it in all axes, and put it down.

One clutch moves both hands. A command half a metre beyond what is possible comes in between.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.held_box import (
    LIFT,
    MAX_FRICTION_RATIO,
    MOVED,
    OFF,
    SIDES,
    SPEED,
    WORLD,
    find_box,
    is_held,
    lift_box,
    measure_box,
    measure_palms,
    read_poses,
    turn_about,
    vary_weight,
)
from handhold.app.lab.scenarios.measures import ROUNDING, measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import two_palms
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import (
    ScoredOperator,
    Step,
    Vector,
    ask,
    move,
    release,
    squeeze,
    together,
    wait,
    wait_until,
)
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import find_hands
from handhold.retarget.bracing.objects.object_holding import TOGGLE
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

TURNS: tuple[Vector, ...] = ((0.35, 0.0, 0.0), (0.0, 0.35, 0.0), (0.0, 0.0, 0.35))
"""By which it is turned, there and back, one way and the other [rad]."""

TOO_FAR: Vector = (0.8, 0.0, 0.0)
"""A command half a metre beyond what is possible: the arms end 0.3 m ahead [m]."""

FAR_TURN: Vector = (0.0, 0.0, 1.2)
"""A turn that arms with motors such as a Panda's reach in some postures only, not in the nearest one [rad]."""

ROOM = 0.005
"""How far below where it stood the box is commanded when it is put down [m]."""

DWELL_TIME = 1.5
"""Time for a rest after a turn or a move [s]."""


def script_carry(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: close, lift, turn, ask for too much, put down, let go, and open."""
    hand = find_hands(model)[MOVED]
    box = load_world(WORLD).solids[find_box()]
    lever = effector_poses[hand, :3, 3] - np.array(box.position)
    lever[1] = 0.5 * box.size[1]
    return ScoredOperator(
        [
            *lift_box(),
            wait(DWELL_TIME),
            *(step for turn in TURNS for step in _turn_there_and_back(lever, turn)),
            move(MOVED, TOO_FAR, 2.0 * SPEED),
            wait(DWELL_TIME),
            move(MOVED, (-TOO_FAR[0], 0.0, 0.0), 2.0 * SPEED),
            wait(2.0 * DWELL_TIME),
            *_turn_far(lever),
            move(MOVED, (0.0, 0.0, -LIFT - ROOM), 0.5 * SPEED),
            wait(DWELL_TIME),
            release(MOVED),
            ask(f"switch:{TOGGLE}"),
            wait_until("the box let go", lambda snapshot: not is_held(snapshot), 5.0),
            wait(0.5),
            squeeze("left"),
            squeeze("right"),
            together(move("left", (0.0, 0.06, 0.0), SPEED), move("right", (0.0, -0.06, 0.0), SPEED)),
            wait(DWELL_TIME),
        ]
    )


def _turn_there_and_back(lever: np.ndarray, turn: Vector) -> tuple[Step, ...]:
    x, y, z = (-angle for angle in turn)
    turned, back = (pin.exp3(np.array(each)) @ lever for each in (turn, (x, y, z)))
    return (
        turn_about(lever, turn),
        wait(DWELL_TIME),
        turn_about(turned, (x, y, z)),
        turn_about(lever, (x, y, z)),
        wait(DWELL_TIME),
        turn_about(back, turn),
        wait(DWELL_TIME),
    )


def _turn_far(lever: np.ndarray) -> tuple[Step, ...]:
    x, y, z = (-angle for angle in FAR_TURN)
    back = turn_about(pin.exp3(np.array(FAR_TURN)) @ lever, (x, y, z))
    return turn_about(lever, FAR_TURN), wait(DWELL_TIME), back, wait(2.0 * DWELL_TIME)


def measure_carry(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how true the box follows the reference, how near its grasp is to slipping, where it ends, and the robot."""
    hands = [find_hands(model)[side] for side in SIDES]
    held = np.array([flags[hands].all() for flags in trace.contacts])
    boxes = read_poses(trace)
    lifted = held & (boxes[:, 2, 3] > boxes[0, 2, 3] + OFF)
    distance, angle = measure_box(model, trace, boxes, held, hands[SIDES.index(MOVED)])
    friction, margin = measure_palms(model, trace, lifted, hands)
    lift = float(boxes[held, 2, 3].max(initial=boxes[0, 2, 3]) - boxes[0, 2, 3])
    return [
        Figure("object_error", distance, "m", must=0.02),
        Figure("object_angle", float(np.degrees(angle)), "deg", must=3.0),
        Figure("grasp_ratio", friction, "-", must=MAX_FRICTION_RATIO),
        Figure("palm_margin", margin, "m", must=-ROUNDING, larger_is_better=True),
        Figure("lift", lift, "m", must=0.8 * LIFT, larger_is_better=True),
        Figure("put_down", float(np.linalg.norm(boxes[-1, :3, 3] - boxes[0, :3, 3])), "m", must=0.02),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        # Palms that touch or let go do so with an edge, and slide: their grasp counts while the box is lifted.
        *(figure for figure in measure_robot(model, trace) if figure.name not in ("cop_margin", "cone_ratio")),
    ]


CARRY_TWO_ARMS = Scenario(
    name="carry-two-arms",
    title="two arms take a box of unknown weight between their palms, turn it in all axes and put it down",
    world=WORLD,
    robot="dual-panda",
    duration=90.0,
    script=script_carry,
    measure=measure_carry,
    needs=(two_palms,),
    vary=vary_weight,
)
