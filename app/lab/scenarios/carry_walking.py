"""``carry-walking``: the robot takes a box with both hands as in ``box-handover``, and walks away with it.

The box hangs from its rim on both hands; the arms keep their posture while the robot walks backwards from the stool. Nobody
tells the robot of the load: the stabiliser and the walk have to bear what it shifts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.box_grasp import find_grasp, plan_lifting
from handhold.app.lab.scenarios.box_operator import make_box_operator, walk_backwards
from handhold.app.lab.scenarios.box_world import BOX, FEET_APART, WORLD, BoxLayout, fit_world, get_mapping
from handhold.app.lab.scenarios.human_motion import two_feet_and_an_arm
from handhold.app.lab.scenarios.measures import measure_reference
from handhold.app.lab.scenarios.needs import hand, motion
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import MAX_STEPS, compute_zmp, count_touches, list_stretches
from handhold.app.lab.scenarios.walks import walks
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World, load_world

PAYLOAD = 4.0 / 90.27
"""Mass of the box, as a part of the robot's [-]: 4 kg for Talos."""

DISTANCE = 2.0
"""How far the box is carried at least [m]."""

MARGIN = 0.1
"""How much farther the robot walks [m]: the box swings, and the stop is not to the centimetre."""

WALKING = 60.0
"""Longest time to walk there [s]."""

MAX_TILT = np.radians(10.0)
"""Largest tilt of the box to a side while it is carried [rad]: about the line through both hands, from which it hangs, it
swings with the steps as it likes."""

MAX_SLIP = 0.05
"""How far the box may move against the middle between the hands while it is carried [m]: half of a hand's length."""

MIN_LIFT = 0.10
"""How far above its stool the box is at least while the robot walks [m]."""


def script_carrying(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: walk to the box, lift it in a suit, walk away with it by the sticks."""
    acts = plan_lifting(find_grasp(model, random))
    return make_box_operator(model, acts, walk_backwards(model, -DISTANCE - MARGIN, WALKING), random)


def fit_heavy_box(world: World, model: RobotModel, effector_poses: np.ndarray) -> World:
    """Fit the world to the robot, and give the box its mass."""
    fitted = fit_world(world, model, effector_poses)
    ratio = PAYLOAD * model.mass / BoxLayout.find(model).payload
    solids = (
        solid if solid.mass is None else solid.model_copy(update={"mass": ratio * solid.mass}) for solid in fitted.solids
    )
    return fitted.model_copy(update={"solids": tuple(solids)})


def measure_carrying(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how far the box was carried, how it lay in the hands meanwhile, and the robot."""
    number = [solid.name for solid in load_world(WORLD).solids].index(BOX)
    box = np.array([poses[number] for poses in trace.solids])
    carrying = find_carrying(trace)
    if not carrying.any():
        return [Figure("carried", 0.0, "m", must=DISTANCE, larger_is_better=True), *measure_reference(trace)]
    return [
        *measure_carried(box, np.array(trace.effectors)[:, [arm.hand for arm in get_mapping(model).arms]], carrying),
        Figure("payload", PAYLOAD * model.mass, "kg", larger_is_better=True),
        *(Figure(name, trace.notes[name], "-", must=0.0) for name in ("acts_left", "stages_left")),
        *measure_reference(trace),
        *measure_walking(model, trace, carrying),
    ]


def find_carrying(trace: Trace) -> np.ndarray:
    """Return at which times the robot walks with the box: since it walked for the second time, shape ``(times,)``."""
    walking = np.array([mode == "walking" for mode in trace.modes])
    begins = np.flatnonzero(np.diff(walking.astype(int), prepend=0) == 1)
    carrying = np.zeros(len(walking), dtype=np.bool_)
    carrying[begins[1] if len(begins) > 1 else len(walking) :] = True
    return carrying


def measure_carried(box: np.ndarray, hands: np.ndarray, carrying: np.ndarray) -> list[Figure]:
    """Measure how the box is carried.

    Args:
        box: Its poses over time, shape ``(times, 4, 4)``.
        hands: Positions of both hands, shape ``(times, 2, 3)`` [m].
        carrying: At which times it is carried, shape ``(times,)``.
    """
    first, last = box[np.argmax(carrying), :3, 3], box[-1, :3, 3]
    off = np.linalg.norm((box[:, :3, 3] - hands.mean(axis=1))[carrying], axis=1)
    # Of its axes to the side and ahead, against the horizontal.
    tilt, swing = (np.abs(np.arcsin(np.clip(box[carrying, 2, axis], -1.0, 1.0))) for axis in (1, 0))
    return [
        Figure("carried", float(np.linalg.norm((last - first)[:2])), "m", must=DISTANCE, larger_is_better=True),
        Figure("height", float((box[carrying, 2, 3] - box[0, 2, 3]).min()), "m", must=MIN_LIFT, larger_is_better=True),
        Figure("tilt", float(tilt.max()), "rad", must=float(MAX_TILT)),
        Figure("swing", float(swing.max()), "rad"),
        Figure("slip", float(np.abs(off - off[0]).max()), "m", must=MAX_SLIP),
    ]


def measure_walking(model: RobotModel, trace: Trace, carrying: np.ndarray) -> list[Figure]:
    """Measure how the robot follows its plan with what it carries, and how many steps it makes after the sticks' release."""
    off = (compute_zmp(model, trace, reference=False) - compute_zmp(model, trace, reference=True))[carrying]
    distances = np.linalg.norm(off[np.isfinite(off).all(axis=1)], axis=1)
    com = np.linalg.norm((np.array(trace.com) - np.array(trace.com_reference))[carrying, :2], axis=1)
    stretch, torque = list_stretches(trace)[-1], np.abs(np.array(trace.torques)[carrying]) / model.motor_torques
    return [
        Figure("zmp_error", float(np.sqrt(np.mean(distances**2))), "m"),
        Figure("com_error_max", float(com.max()), "m"),
        Figure("torque_ratio", float(torque.max()), "-", must=1.0 + 1e-9),
        Figure("stop_steps", float(count_touches(model, trace, stretch.end, math.inf)), "-", must=MAX_STEPS),
    ]


CARRY_WALKING = Scenario(
    name="carry-walking",
    title="the robot takes a box with both hands, and carries it two metres by walking",
    world=WORLD,
    duration=120.0,
    script=script_carrying,
    measure=measure_carrying,
    needs=(walks, two_feet_and_an_arm, hand("left"), hand("right"), motion(FEET_APART)),
    # The robot knows nothing of the box: the operator sees it.
    mapped="flat",
    fit=fit_heavy_box,
)
