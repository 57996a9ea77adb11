"""``carry-two-arms``: two arms take a box whose weight nobody knows between their palms, turn it in all axes, and put it down.

One clutch moves both hands. A command half a metre beyond what is possible comes in between.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
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
from handhold.app.limbs import Side, find_hands
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.objects.object_holding import TOGGLE
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World, load_world

WORLD, BOX, WEIGHT = "carry", "box", "weight"

SIDES: tuple[Side, Side] = ("left", "right")

MOVED: Side = "left"
"""The hand whose clutch moves the box."""

MASSES = (2.0, 6.0)
"""Of the box with what is in it, at random [kg]."""

SHIFT = 0.03
"""How far what is in it is from its middle along each axis, at most and at random [m]."""

LIFT, SPEED = 0.15, 0.1
"""How far it is lifted [m], and how fast it is moved [m/s]."""

TURNS: tuple[Vector, ...] = ((0.35, 0.0, 0.0), (0.0, 0.35, 0.0), (0.0, 0.0, 0.35))
"""By which it is turned, there and back, one way and the other [rad]."""

TOO_FAR: Vector = (0.5, 0.0, 0.0)
"""A command beyond what is possible [m]."""

ROOM = 0.005
"""How far below where it stood the box is commanded when it is put down [m]."""

TURNING_TIME, DWELL_TIME = 3.0, 1.5
"""Times for a turn and for a rest after it [s]."""

OFF = 0.02
"""Height above where it stood from which on the box hangs in the hands alone [m]."""

MAX_FRICTION_RATIO = 0.95
"""Part of the friction that a palm may use [-]."""


def vary_weight(world: World, random: np.random.Generator) -> World:
    """Return the world with another weight in the box, elsewhere in it."""
    mass, shift = float(random.uniform(*MASSES)), random.uniform(-SHIFT, SHIFT, 3)
    box = next(solid for solid in world.solids if solid.name == BOX)
    assert box.mass is not None, "the box can be moved"
    changes = {"mass": mass - box.mass, "position": tuple((np.array(box.position) + shift).tolist())}
    solids = tuple(solid.model_copy(update=changes) if solid.name == WEIGHT else solid for solid in world.solids)
    return world.model_copy(update={"solids": solids})


def turn_about(lever: np.ndarray, turn: Vector) -> Step:
    """Turn the moved hand about a point that it is a lever from, shape ``(3,)`` [m], by a rotation vector [rad]."""

    def find_displacement(ratio: float) -> np.ndarray:
        return np.asarray(pin.exp3(ratio * np.array(turn)) @ lever - lever)

    x, y, z = find_displacement(1.0).tolist()
    distance = float(np.linalg.norm((x, y, z)))
    return move(MOVED, (x, y, z), max(distance, 1e-3) / TURNING_TIME, turn)


def is_held(snapshot: Snapshot) -> bool:
    """Whether the robot holds something."""
    return snapshot.reference.grasp is not None


def script_carry(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: close, lift, turn, ask for too much, put down, let go, and open."""
    hand = find_hands(model)[MOVED]
    box = next(solid for solid in load_world(WORLD).solids if solid.name == BOX)
    lever = effector_poses[hand, :3, 3] - np.array(box.position)
    lever[1] = 0.5 * box.size[1]
    return ScoredOperator(
        [
            wait(0.3),
            ask(f"switch:{TOGGLE}"),
            wait_until("the box held", is_held, 10.0),
            wait(1.0),
            squeeze(MOVED),
            move(MOVED, (0.0, 0.0, LIFT), SPEED),
            wait(DWELL_TIME),
            *(step for turn in TURNS for step in _turn_there_and_back(lever, turn)),
            move(MOVED, TOO_FAR, 2.0 * SPEED),
            wait(DWELL_TIME),
            move(MOVED, (-TOO_FAR[0], 0.0, 0.0), 2.0 * SPEED),
            wait(2.0 * DWELL_TIME),
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


def measure_carry(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how true the box follows the reference, how near its grasp is to slipping, where it ends, and the robot."""
    hands = [find_hands(model)[side] for side in SIDES]
    held = np.array([flags[hands].all() for flags in trace.contacts])
    number = [solid.name for solid in load_world(WORLD).solids].index(BOX)
    boxes = np.array([poses[number] for poses in trace.solids])
    lifted = held & (boxes[:, 2, 3] > boxes[0, 2, 3] + OFF)
    distance, angle = measure_box(model, trace, boxes, held, hands[SIDES.index(MOVED)])
    friction, margin = measure_palms(model, trace, lifted, hands)
    lift = float(boxes[held, 2, 3].max(initial=boxes[0, 2, 3]) - boxes[0, 2, 3])
    return [
        Figure("object_error", distance, "m", must=0.02),
        Figure("object_angle", float(np.degrees(angle)), "deg", must=3.0),
        Figure("grasp_ratio", friction, "-", must=MAX_FRICTION_RATIO),
        Figure("palm_margin", margin, "m", must=0.0, larger_is_better=True),
        Figure("lift", lift, "m", must=0.8 * LIFT, larger_is_better=True),
        Figure("put_down", float(np.linalg.norm(boxes[-1, :3, 3] - boxes[0, :3, 3])), "m", must=0.02),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        # Palms that touch or let go do so with an edge, and slide: their grasp counts while the box is lifted.
        *(figure for figure in measure_robot(model, trace) if figure.name not in ("cop_margin", "cone_ratio")),
    ]


def measure_box(model: RobotModel, trace: Trace, boxes: np.ndarray, held: np.ndarray, hand: int) -> tuple[float, float]:
    """Return how far the box is from where the reference's hand takes it, at most, while it is held [m], [rad]."""
    times = np.flatnonzero(held)
    if not len(times):
        return np.inf, np.inf
    begun = times[min(len(times) - 1, int(np.searchsorted(np.array(trace.times)[times], trace.times[times[0]] + 1.0)))]
    reference = pin.SE3(model.effector_poses(trace.postures[begun])[hand])
    in_hand = reference.inverse() * pin.SE3(boxes[begun])
    distance = angle = 0.0
    for k in times[times >= begun][::20]:
        expected = pin.SE3(model.effector_poses(trace.postures[k])[hand]) * in_hand
        error = expected.actInv(pin.SE3(boxes[k]))
        distance = max(distance, float(np.linalg.norm(error.translation)))
        angle = max(angle, float(np.linalg.norm(pin.log3(error.rotation))))
    return distance, angle


def measure_palms(model: RobotModel, trace: Trace, lifted: np.ndarray, hands: list[int]) -> tuple[float, float]:
    """Return the largest part of the friction that a palm uses [-], and how near its pressure comes to its edge [m]."""
    if not lifted.any():
        return np.inf, -np.inf
    friction = next(solid for solid in load_world(WORLD).solids if solid.name == BOX).friction
    wrenches = np.array(trace.wrenches)[lifted][:, hands]
    normal = np.maximum(wrenches[:, :, 2], np.finfo(float).tiny)
    ratio = np.linalg.norm(wrenches[:, :, :2], axis=2) / (friction * normal)
    pressure = np.abs(np.stack([wrenches[:, :, 4], wrenches[:, :, 3]], axis=2)) / normal[:, :, None]
    room = np.array([model.effectors[hand].half_lengths for hand in hands]) - pressure
    return float(ratio.max()), float(room.min())


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
