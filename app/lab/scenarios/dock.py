"""``dock``: a peg goes into a hole that is not quite where the operator believes it to be, because the hand gives way.

The peg is held rigidly; the hole has a chamfer. The operator moves the peg straight ahead and sees how deep the hand has come;
he is not told by how much he is off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.grasps import bring_until
from handhold.app.lab.scenarios.measures import ROUNDING, measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import palm
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, release, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side, find_hands
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, Tool, World, load_world

WORLD, FRONT, BACK = "dock", "front wall", "back wall"

SIDE: Side = "left"

HOLE = np.array([0.5, 0.0, 1.1])
"""Middle of the edge between hole and chamfer, in the world as its file has it; the hole goes into the block along -y [m]."""

BEFORE = 0.03
"""How far before that edge the peg begins [m]."""

MAX_OFFSET, MAX_ANGLE = 0.004, np.radians(1.0)
"""How far from where the operator believes it to be the hole is along both axes across it [m], and how far it is turned about
all three [rad], at most and at random."""

CLEARANCE = 1e-3
"""By how much the hole is wider than the peg, both sides together [m]."""

DEPTH, MIN_DEPTH = 0.035, 0.03
"""How deep into the hole of 40 mm the operator brings the peg, and how deep it must be in the end [m]."""

SPEED = 0.01
"""Speed of the operator's hand [m/s]."""

TIMEOUT = 30.0
"""Longest time that he tries [s]."""

MAX_FORCE = 60.0
"""On the peg [N]."""


def displace_hole(world: World, random: np.random.Generator) -> World:
    """Return the world with the hole somewhere else than where the operator believes it to be."""
    x, z = random.uniform(-MAX_OFFSET, MAX_OFFSET, 2)
    turn = pin.exp3(random.uniform(-MAX_ANGLE, MAX_ANGLE, 3))
    return move_solids(world, pin.SE3(turn, HOLE + np.array([x, 0.0, z])) * pin.SE3(np.eye(3), -HOLE))


def place_before_hand(world: World, model: RobotModel, effector_poses: np.ndarray) -> World:
    """Return the world with its block moved, as it is, to where the peg of a hand at its start is before it."""
    tip = pin.SE3(effector_poses[find_hands(model)[SIDE]]).act(find_tip(world.tools[0]))
    return move_solids(world, pin.SE3(np.eye(3), tip - [0.0, BEFORE, 0.0] - HOLE))


def find_tip(peg: Tool) -> np.ndarray:
    """Find the middle of a peg's tip in the contact frame of the hand that holds it, shape ``(3,)`` [m]."""
    return np.array(peg.position) - [0.0, 0.0, 0.5 * peg.size[2]]


def move_solids(world: World, transform: pin.SE3) -> World:
    """Return a world with all of its solids moved by a transform in world."""
    return world.model_copy(update={"solids": tuple(_move(solid, transform) for solid in world.solids)})


def _move(solid: Solid, transform: pin.SE3) -> Solid:
    pose = transform * solid.to_se3()
    rpy = pin.rpy.matrixToRpy(pose.rotation)
    return solid.model_copy(update={"position": tuple(pose.translation.tolist()), "rpy": tuple(rpy.tolist())})


def script_dock(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: let the hand give way, and move the peg ahead until it is deep enough."""
    give_way = ask(f"switch:compliant-{SIDE}"), wait(0.3)
    return ScoredOperator([wait(1.0), *give_way, *insert(model, effector_poses)])


def insert(model: RobotModel, effector_poses: np.ndarray) -> tuple[Step, ...]:
    """Move the peg straight ahead until the hand is as far as it takes, by what is seen of it, and let go of the clutch."""
    hand = find_hands(model)[SIDE]
    goal = float(effector_poses[hand, 1, 3]) - BEFORE - DEPTH
    return (
        squeeze(SIDE),
        bring_until(model, SIDE, hand, 1, goal, speed=-SPEED, timeout=TIMEOUT),
        wait(1.0),
        release(SIDE),
        wait(1.0),
    )


def measure_dock(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the force on the peg, how deep it is in the hole, and the robot."""
    forces = np.array(trace.wrenches)[:, find_hands(model)[SIDE], :3]
    return [
        Figure("dock_force", float(np.linalg.norm(forces, axis=1).max()), "N", must=MAX_FORCE),
        Figure("inserted", float(measure_depths(model, trace)[-1]), "m", must=MIN_DEPTH, larger_is_better=True),
        Figure("slack", compute_slack(load_world(WORLD)), "m", must=CLEARANCE + ROUNDING),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        *measure_robot(model, trace),
    ]


def measure_depths(model: RobotModel, trace: Trace) -> np.ndarray:
    """Measure how deep in the hole the middle of the peg's tip is, shape ``(samples,)`` [m].

    It is negative before the hole, and no more than zero beside it.
    """
    hand, world = find_hands(model)[SIDE], load_world(WORLD)
    number = [solid.name for solid in world.solids].index(FRONT)
    wall_to_hole = pin.SE3(np.eye(3), -HOLE) * world.solids[number].to_se3()
    poses = zip(trace.solids, trace.rotations, trace.effectors, strict=True)
    tip = find_tip(world.tools[0])
    tips = [
        wall_to_hole.act(pin.SE3(solids[number]).actInv(rotations[hand] @ tip + positions[hand]))
        for solids, rotations, positions in poses
    ]
    x, y, z = np.array(tips).T
    return np.where(np.maximum(np.abs(x), np.abs(z)) <= CLEARANCE, -y, np.minimum(-y, 0.0))


def compute_slack(world: World) -> float:
    """Compute by how much the hole is wider than the peg, both sides together [m]."""
    front, back = (next(solid for solid in world.solids if solid.name == name) for name in (FRONT, BACK))
    width = front.position[0] - back.position[0] - 0.5 * (front.size[0] + back.size[0])
    return float(width - world.tools[0].size[0])


DOCK = Scenario(
    name="dock",
    title="a peg with 1 mm of clearance goes into a hole that is not quite where the operator believes it to be",
    world=WORLD,
    robot="dual-panda",
    duration=45.0,
    script=script_dock,
    measure=measure_dock,
    needs=(palm(SIDE),),
    vary=displace_hole,
    fit=place_before_hand,
)
