"""``uneven``: the robot steps with its front feet, one after the other, onto low blocks of different heights and tilts.

A robot whose left hand reaches the slanted rest beside the steps braces it there for the first step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.host.starting_place import compute_reach_ahead
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import feet_on_both_sides, find_feet
from handhold.app.lab.scenarios.phrases import compute_turn_to_face, drag_hand, load, take, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side, find_hands
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, load_world

WORLD = "steps"

CLEARANCE = 0.04
"""Height over the block at which a foot is released, and over which it is moved there [m]."""

FOOT_SPEED = 0.05
"""Speed of a foot [m/s]."""

BACK = 0.1
"""How far the hand comes back from its rest at the end [m]."""

FROM_TOE = 0.12
"""Distance of the feet's centres from the edge of the first step at the start [m]."""

SIDES: tuple[Side, ...] = ("left", "right")


def find_solid(name: str) -> Solid:
    """Return a solid of the scenario's world."""
    return next(solid for solid in load_world(WORLD).solids if solid.name == name)


def find_offset_before_steps(model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    """Find the displacement of a robot that brings its front feet just before the steps."""
    step = find_solid("left step")
    edge = step.position[0] - step.half_size[0]
    front = max(float(effector_poses[find_feet(model, effector_poses, side)[0], 0, 3]) for side in SIDES)
    return edge - FROM_TOE - front, 0.0


def script_uneven(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: the left hand to its rest where it reaches one, one foot up, the hand back, the other foot up."""
    approach = find_distance_to_rest(model, effector_poses)
    left, right = (step_onto_block(model, effector_poses, side) for side in SIDES)
    if approach is not None:
        left = (*brace_on_rest(model, effector_poses, approach), *left, *leave_rest(model, effector_poses))
    return ScoredOperator([wait(0.3), *left, *right])


def find_distance_to_rest(model: RobotModel, effector_poses: np.ndarray) -> float | None:
    """Find how far ahead of the left hand's surface the face of its rest is [m]; None where no hand reaches it."""
    hand = find_hands(model).get("left")
    if hand is None:
        return None
    position = effector_poses[hand, :3, 3]
    rest = find_solid("hand rest")
    pose = rest.to_se3()
    normal = -pose.rotation[:, 0]
    face = pose.act(np.array([-rest.half_size[0], 0.0, 0.0]))
    approach = float(normal @ (face - position) / normal[0]) - model.effectors[hand].radius
    aside = abs(float(position[1]) - rest.position[1])
    reaches = CLEARANCE < approach < compute_reach_ahead(model, hand, position) and aside < rest.half_size[1]
    return approach if reaches else None


def brace_on_rest(model: RobotModel, effector_poses: np.ndarray, approach: float) -> tuple[Step, ...]:
    """Bring the left hand to its rest, turned to face it, and load it."""
    x, y, z = (-find_solid("hand rest").to_se3().rotation[:, 0]).tolist()
    turn = compute_turn_to_face(effector_poses[find_hands(model)["left"]], (x, y, z))
    return *drag_hand("left", (approach - CLEARANCE, 0.0, 0.0), turn=turn), *load("left")


def leave_rest(model: RobotModel, effector_poses: np.ndarray) -> tuple[Step, ...]:
    """Take the left hand again, unload it and bring it back from its rest."""
    foot = find_feet(model, effector_poses, "left")[0]
    hand = find_hands(model)["left"]
    return *take(model, "left", hand, instead_of=foot), *unload("left"), *drag_hand("left", (-BACK, 0.0, 0.0))


def step_onto_block(model: RobotModel, effector_poses: np.ndarray, side: Side) -> tuple[Step, ...]:
    """Take a side's front foot, unload it, move it over its step, turn it as the step is tilted, and load it."""
    foot = find_feet(model, effector_poses, side)[0]
    pose = effector_poses[foot]
    block = find_solid(f"{side} step").to_se3()
    x, _, z = find_solid(f"{side} step").half_size
    # A foothold near the edge: the step is deeper than a stride.
    near = block.act(np.array([0.13 - x, 0.0, z]))
    normal = (float(block.rotation[0, 2]), float(block.rotation[1, 2]), float(block.rotation[2, 2]))
    turn = compute_turn_to_face(np.eye(4), normal) if model.effectors[foot].contact is ContactKind.PLANE else (0.0, 0.0, 0.0)
    up = float(near[2] - pose[2, 3]) + 2.0 * CLEARANCE
    ahead = float(near[0] - pose[0, 3])
    approach = drag_hand(side, (0.0, 0.0, up), (ahead, 0.0, 0.0), (0.0, 0.0, -CLEARANCE), speed=FOOT_SPEED, turn=turn)
    return *take(model, side, foot), *unload(side), *approach, *load(side)


def measure_uneven(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, and how much higher its feet stand at the end."""
    poses = model.effector_poses(model.q_nominal)
    feet = [find_feet(model, poses, side)[0] for side in SIDES]
    heights = np.array(trace.effectors)[:, feet, 2]
    hands = list(find_hands(model).values())
    loads = np.linalg.norm(np.array(trace.wrenches)[:, hands, :3], axis=2)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("climb", float((heights[-1] - heights[0]).min()), "m", must=0.02, larger_is_better=True),
        Figure("brace_force", float(loads.max(initial=0.0)), "N"),
    ]


UNEVEN = Scenario(
    name="uneven",
    title="the front feet step onto low tilted blocks, with a hand on a rest where it reaches one",
    world=WORLD,
    duration=150.0,
    script=script_uneven,
    measure=measure_uneven,
    needs=(feet_on_both_sides,),
    start_offset=find_offset_before_steps,
)
