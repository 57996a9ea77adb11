"""``fetch``: the robot takes a canister from a table, walks a metre to the side with it, and puts it down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.grasps import bring_until, compute_turn_to_grasp, grasp, open_gripper
from handhold.app.lab.scenarios.needs import gripper
from handhold.app.lab.scenarios.phrases import drag_hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, release, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walks import gait_of, mode_is, steer, steer_until, stop, walks
from handhold.app.limbs import Side, find_hands
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, load_world

WORLD, CANISTER, TABLE = "fetch", "canister", "table top"

SIDE: Side = "right"

BEFORE = 0.16
"""How far before the canister the open gripper is turned to it [m]."""

LIFT = 0.08
"""How far the canister is lifted off the table [m]."""

DISTANCE = 1.0
"""How far it is carried [m]."""

BACK, NEAR = 0.25, 0.15
"""How far behind its start the robot walks along the table, and puts the canister down [m]."""

PUT_DOWN_AT = 0.57
"""Where it puts it down, x [m]."""

PUT_DOWN_CLEARANCE = 0.005
"""How far above where it was taken the hand stops as it puts the canister down [m]: one that is a little askew stands before,
and a hand that went on pushing down on it would knock it over as it opens."""

WALKING, REACHING = 40.0, 12.0
"""Longest times to walk one way, and to bring the hand there [s]."""

MAX_OFFSET = 0.02
"""How far from its middle the canister is taken at random, up or down [m]."""

MAX_TILT, MAX_HEIGHT = np.radians(10.0), 0.02
"""Tilt, and height over the table, within which a canister stands [rad], [m]."""


def find_solid(name: str) -> Solid:
    """Return a solid of the scenario's world."""
    return next(solid for solid in load_world(WORLD).solids if solid.name == name)


def script_fetch(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: open, reach, close, lift, walk, lower, open, and draw the hand back."""
    canister, hand = find_solid(CANISTER), find_hands(model)[SIDE]
    pose, height = effector_poses[hand], canister.position[2] + float(random.uniform(-MAX_OFFSET, MAX_OFFSET))
    to_canister = np.array([*canister.position[:2], height]) - pose[:3, 3]
    return ScoredOperator(
        [
            wait(0.3),
            *open_gripper(SIDE),
            *grasp(SIDE, to_canister, BEFORE, compute_turn_to_grasp(pose)),
            *drag_hand(SIDE, (0.0, 0.0, LIFT), speed=0.05),
            *carry(model),
            squeeze(SIDE),
            bring_until(model, SIDE, hand, 0, PUT_DOWN_AT, speed=0.08, timeout=REACHING),
            wait(0.5),
            bring_until(model, SIDE, hand, 2, height + PUT_DOWN_CLEARANCE, speed=-0.03, timeout=REACHING),
            wait(0.5),
            release(SIDE),
            *open_gripper(SIDE),
            *drag_hand(SIDE, (-BEFORE, 0.0, 0.0), speed=0.08),
            wait(1.0),
        ]
    )


def carry(model: RobotModel) -> tuple[Step, ...]:
    """Change to walking, walk back from the table, to the left and to the table again, and change back to bracing."""
    gait = gait_of(model)
    back = steer(gait, forward=-gait.backward_speed), _until(0, -BACK, downwards=True), *stop()
    left = steer(gait, left=gait.sideways_speed), _until(1, DISTANCE), *stop()
    ahead = steer(gait, forward=0.5 * gait.speed), _until(0, -NEAR), *stop()
    to_walking = ask("mode:walking"), mode_is("walking"), wait(0.5)
    return *to_walking, *back, *left, *ahead, ask("mode:bracing"), mode_is("bracing"), wait(0.5)


def _until(axis: int, coordinate: float, *, downwards: bool = False) -> Step:
    """Keep on steering until the centre of mass is past a coordinate in world [m]."""

    def holds(snapshot: Snapshot) -> bool:
        ahead = float(snapshot.position_com_in_world[axis]) - coordinate
        return ahead < 0.0 if downwards else ahead > 0.0

    return steer_until(f"{'xy'[axis]} = {coordinate:g} m", holds, WALKING)


def measure_fetch(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how far the canister was carried, whether it stands on the table at the end, and the robot."""
    number = [solid.name for solid in load_world(WORLD).solids].index(CANISTER)
    poses = np.array([poses[number] for poses in trace.solids])
    upright = float(np.arccos(np.clip(poses[-1, 2, 2], -1.0, 1.0)))
    return [
        Figure(
            "carried", float(np.linalg.norm((poses[-1] - poses[0])[:2, 3])), "m", must=0.9 * DISTANCE, larger_is_better=True
        ),
        Figure("lifted", float((poses[:, 2, 3] - poses[0, 2, 3]).max()), "m", must=0.5 * LIFT, larger_is_better=True),
        Figure("height_error", float(abs(poses[-1, 2, 3] - poses[0, 2, 3])), "m", must=MAX_HEIGHT),
        Figure("tilt", upright, "rad", must=float(MAX_TILT)),
        *measure_walk(model, trace),
    ]


FETCH = Scenario(
    name="fetch",
    title="a canister is taken from a table, carried a metre to the side, and put down",
    world=WORLD,
    duration=90.0,
    script=script_fetch,
    measure=measure_fetch,
    needs=(walks, gripper(SIDE)),
)
