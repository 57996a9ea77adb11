"""Retrievals [McCrory2024]_ (Section VI): one hand braces, the other takes a canister that it could not reach without.

The *perfect grasp* is a pose of the other hand: the gripper's tip is on the canister's axis, the gripper points along the
approach, and the hand's x axis is vertical. The scenario measures how near the hand comes to it, and whether the canister
comes back with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pinocchio as pin

from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.grasps import CLOSING_TIME, PULL, open_gripper
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import gripper, hand, has_base_height
from handhold.app.lab.scenarios.offered_places import brace_where_offered
from handhold.app.lab.scenarios.phrases import DWELL_TIME, compute_turn_to_face, drag_hand, is_at_rest, lean, load, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import (
    ScoredOperator,
    Step,
    Vector,
    move,
    move_along,
    release,
    squeeze,
    stick,
    trigger,
    wait,
)
from handhold.app.lab.scenarios.stability import measure_margin_trace
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, load_world

CAMERA_NOISE = StereoNoise(sigma=0.15)
"""Of the cameras that see a retrieval: twice that of a good D455."""

CANISTER = "canister"
"""Name of what is retrieved in the worlds that have it."""

BEFORE = 0.12
"""How far before the perfect grasp, along the approach, the open gripper is turned to the canister [m]."""

LIFT = 0.03
"""How far the canister is lifted off its stand [m]."""

APPROACH_SPEED = 0.08
"""Speed of the hand from there on [m/s]."""

HOLDING_DISTANCE = 0.05
"""Largest distance of a canister that is held from the gripper's tip [m]."""

CLEARANCE = 0.03
"""Distance from the surface at which the operator leaves the rest to the contact button [m]."""

LOOK_TIME = 6.0
"""How long the operator looks, once he has leaned, before he reaches [s]."""

GRASPING = 8.0
"""Time the hand is kept at the canister [s]."""

HELD = 0.5
"""Time over which the nearest grasp must be kept [s]."""

HAND_SPEED = 0.15
"""Speed of the operator's hands [m/s]."""

MIN_HEIGHT = 0.9
"""Minimum height of the base of a robot that reaches what is in these worlds [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brace:
    """Where a hand braces.

    Attributes:
        side: Which hand.
        solid: Name of what it braces on.
        outward: Outward normal of the face, in the solid's axes.
        point: Point on the face, in the solid's axes [m].
        through: Waypoints of the hand's path, in world [m].
        away: How the hand leaves in the end [m].
    """

    side: Side
    solid: str
    outward: Vector
    point: Vector
    through: tuple[Vector, ...] = ()
    away: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retrieval.

    Attributes:
        world: World with what the hand braces on and the canister.
        brace: Where one hand braces.
        approach: Horizontal direction in which the other hand comes to the canister.
        lean: How far the operator moves the centre of mass by stick meanwhile, forward and to the left [m].
        through: Waypoints of the other hand's path, in world [m].
    """

    world: str
    brace: Brace
    approach: Vector
    lean: tuple[float, float]
    through: tuple[Vector, ...] = ()

    @property
    def grasping(self) -> Side:
        """The hand that retrieves."""
        return "left" if self.brace.side == "right" else "right"

    def find_solid(self, name: str) -> Solid:
        """Return a solid of the world."""
        return next(solid for solid in load_world(self.world).solids if solid.name == name)


def find_perfect_grasp(retrieval: Retrieval) -> pin.SE3:
    """Find the pose of the other hand's contact frame in world in the perfect grasp."""
    canister = retrieval.find_solid(CANISTER)
    approach = np.array(retrieval.approach) / np.linalg.norm(retrieval.approach)
    up = np.array([0.0, 0.0, 1.0 if retrieval.grasping == "left" else -1.0])
    rotation = np.stack([up, np.cross(-approach, up), -approach], axis=1)
    return pin.SE3(rotation, np.array(canister.position))


def find_brace(retrieval: Retrieval, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Find where a hand of a radius [m] is before it is let go to its surface, and the outward normal, in world."""
    brace = retrieval.brace
    face = retrieval.find_solid(brace.solid).to_se3()
    normal = face.rotation @ np.array(brace.outward)
    return face.act(np.array(brace.point)) + (radius + CLEARANCE) * normal, normal


def script_retrieval(
    retrieval: Retrieval,
    model: RobotModel,
    effector_poses: np.ndarray,
    _random: np.random.Generator,
    *,
    offered: bool = False,
) -> Operator:
    """Script the operator: brace, lean, bring the other hand to the canister, take it, and all the way back with it.

    With ``offered`` he braces where the robot proposes it, and knows nothing of the surface but what he is shown.
    """
    side, (forward, left) = retrieval.grasping, retrieval.lean
    effector = _effector(model, side)
    out, back = plan_route(retrieval, model, effector_poses)
    if offered:
        brace = retrieval.brace
        bracing = brace_where_offered(model, brace.side, _effector(model, brace.side), brace.through)
    else:
        bracing = brace_hand(retrieval, model, effector_poses)
    return ScoredOperator(
        [
            wait(0.3),
            *bracing,
            *open_gripper(side),
            squeeze(side),
            lean(forward, left),
            wait(LOOK_TIME),
            *out,
            is_at_rest(effector),
            wait(GRASPING),
            trigger(side, 1.0, PULL),
            wait(CLOSING_TIME),
            *back,
            lean(-forward, -left),
            stick("left", 0.0, 0.0),
            is_at_rest(effector),
            release(side),
            wait(DWELL_TIME),
            *unload(retrieval.brace.side),
            *drag_hand(retrieval.brace.side, retrieval.brace.away),
        ]
    )


def brace_hand(retrieval: Retrieval, model: RobotModel, effector_poses: np.ndarray) -> tuple[Step, ...]:
    """Bring the bracing hand before its surface, turned to face it, and load it."""
    brace = retrieval.brace
    effector = _effector(model, brace.side)
    brace_point, normal = find_brace(retrieval, model.effectors[effector].radius)
    displacements = _list_displacements(effector_poses[effector, :3, 3], [*brace.through, brace_point])
    x, y, z = normal.tolist()
    turn = compute_turn_to_face(effector_poses[effector], (x, y, z))
    return *drag_hand(brace.side, *displacements, speed=HAND_SPEED, turn=turn, following=effector), *load(brace.side)


def plan_route(
    retrieval: Retrieval, model: RobotModel, effector_poses: np.ndarray
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Plan the other hand's path to the perfect grasp, and the same path back with the canister off its stand."""
    side = retrieval.grasping
    start = effector_poses[_effector(model, side)]
    perfect = find_perfect_grasp(retrieval)
    x, y, z = pin.log3(perfect.rotation @ start[:3, :3].T).tolist()
    before = perfect.translation + BEFORE * perfect.rotation[:, 2]
    displacements = _list_displacements(start[:3, 3], [*retrieval.through, before])
    returning = [(-a, -b, -c) for a, b, c in reversed(displacements)]
    a, b, c = (perfect.translation - before).tolist()
    out = move_along(side, displacements, HAND_SPEED, (x, y, z)), move(side, (a, b, c), APPROACH_SPEED)
    withdraw = move_along(side, [(0.0, 0.0, LIFT), (-a, -b, -c)], APPROACH_SPEED)
    return out, (withdraw, move_along(side, returning, HAND_SPEED, (-x, -y, -z)))


def _list_displacements(start: np.ndarray, points: Sequence[Vector | np.ndarray]) -> list[Vector]:
    route = np.array([start, *points])
    return [(x, y, z) for x, y, z in np.diff(route, axis=0).tolist()]


def find_hands_of(retrieval: Retrieval, model: RobotModel) -> tuple[int, int]:
    """Find the effectors of the bracing hand and of the other one."""
    return _effector(model, retrieval.brace.side), _effector(model, retrieval.grasping)


def _effector(model: RobotModel, side: Side) -> int:
    effector = model.effector_of_hand(side)
    assert effector is not None  # as the scenario needs
    return effector


def measure_retrieval(retrieval: Retrieval, model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, the grasp and how hard the brace was used."""
    loads = np.linalg.norm(np.array(trace.wrenches)[:, _effector(model, retrieval.brace.side), :3], axis=1)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        *measure_grasp(retrieval, model, trace),
        *measure_stability(retrieval, model, trace),
        Figure("brace_force", float(loads.max()), "N"),
    ]


def measure_grasp(retrieval: Retrieval, model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure how near the simulated hand came to the perfect grasp and stayed there for ``HELD`` seconds."""
    effector = _effector(model, retrieval.grasping)
    perfect = find_perfect_grasp(retrieval)
    positions = np.array([points[effector] for points in trace.effectors])
    rotations = np.array([each[effector] for each in trace.rotations])
    distances = np.linalg.norm(positions - perfect.translation, axis=1)
    cosines = 0.5 * (np.einsum("tij,ij->t", rotations, perfect.rotation) - 1.0)
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    error, angle = find_best_held(np.array(trace.times), distances, angles)
    return [
        Figure("grasp_error", error, "m", must=0.05),
        Figure("grasp_angle", angle, "deg", must=20.0),
        Figure("canister_distance", _measure_canister(retrieval, trace, positions), "m", must=HOLDING_DISTANCE),
    ]


def _measure_canister(retrieval: Retrieval, trace: Trace, positions: np.ndarray) -> float:
    """Return how far the canister is from the gripper's tip at the end [m]."""
    number = [solid.name for solid in load_world(retrieval.world).solids].index(CANISTER)
    return float(np.linalg.norm(trace.solids[-1][number, :3, 3] - positions[-1]))


def measure_stability(retrieval: Retrieval, model: RobotModel, trace: Trace) -> list[Figure]:
    """Measure the stability margin and the bracing arm's torque margin while the hand is in contact."""
    hands = find_hands_of(retrieval, model)
    measured = measure_margin_trace(model, trace, *hands)
    reference = measure_margin_trace(model, trace, *hands, reference=True)
    return [
        Figure("margin_mean", _reduce(np.mean, measured.margins), "m"),
        Figure("margin_min", _reduce(np.min, measured.margins), "m", must=0.0, larger_is_better=True),
        Figure("reference_margin_min", _reduce(np.min, reference.margins), "m", must=0.0, larger_is_better=True),
        Figure("torque_bound_share", _reduce(np.mean, measured.bound_by_torque), "-"),
        Figure("torque_margin_mean", _reduce(np.mean, measured.torque_margins.min(axis=1)), "-"),
    ]


def _reduce(function: Callable[[np.ndarray], float], values: np.ndarray) -> float:
    return float(function(values)) if len(values) else float("nan")


def find_best_held(times: np.ndarray, distances: np.ndarray, angles: np.ndarray) -> tuple[float, float]:
    """Find the largest distance and angle within the window of ``HELD`` seconds in which the largest distance is minimal."""
    count = max(1, int(np.searchsorted(times, times[0] + HELD, side="right")))
    windows = np.lib.stride_tricks.sliding_window_view
    worst = windows(distances, min(count, len(distances))).max(axis=1)
    best = int(np.argmin(worst))
    return float(worst[best]), float(angles[best : best + count].max())


def make_scenario(
    name: str,
    title: str,
    retrieval: Retrieval,
    duration: float,
    start: Callable[[RobotModel], np.ndarray] = find_standing_posture,
    *,
    offered: bool = False,
) -> Scenario:
    """Make the scenario of a retrieval; with ``offered`` the operator braces where the robot proposes it."""
    script: Callable[[RobotModel, np.ndarray, np.random.Generator], Operator]
    script = partial(script_retrieval, retrieval, offered=offered)
    return Scenario(
        name=name,
        title=title,
        world=retrieval.world,
        duration=duration,
        script=script,
        measure=partial(measure_retrieval, retrieval),
        start=start,
        needs=(hand("left"), hand("right"), has_base_height(MIN_HEIGHT), gripper(retrieval.grasping)),
        proposes=offered,
        camera_noise=CAMERA_NOISE,
    )
