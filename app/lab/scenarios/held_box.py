"""The box that two palms hold in several scenarios: its weight at random, how it is taken, and how true it is held."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import ROUNDING
from handhold.app.lab.scenarios.score import Step, Vector, ask, move, squeeze, wait, wait_till, wait_until
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.objects.compliant_object import TOGGLE as COMPLIANT
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

LIFTED = 10.0
"""When a box that is lifted and not moved any further hangs at rest [s]."""

TURNING_TIME = 3.0
"""Time for a turn [s]."""

OFF = 0.02
"""Height above where it stood from which on the box hangs in the hands alone [m]."""

MAX_FRICTION_RATIO = 0.95
"""Part of the friction that a palm may use [-]."""


def find_box() -> int:
    """Find the box among the solids of its world."""
    return [solid.name for solid in load_world(WORLD).solids].index(BOX)


def read_poses(trace: Trace) -> np.ndarray:
    """Return the box's poses in world over time, shape ``(times, 4, 4)``."""
    box = find_box()
    return np.array([poses[box] for poses in trace.solids])


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


def lift_box() -> tuple[Step, ...]:
    """Close the palms on the box, wait until it is held, and lift it by the clutch of the moved hand."""
    return (
        wait(0.3),
        ask(f"switch:{TOGGLE}"),
        wait_until("the box held", is_held, 10.0),
        wait(1.0),
        squeeze(MOVED),
        move(MOVED, (0.0, 0.0, LIFT), SPEED),
    )


def list_lifting(*, compliant: bool) -> list[Step]:
    """List the steps by which the box is taken and lifted, and may be led or not; over at ``LIFTED``."""
    let_lead = [ask(f"switch:{COMPLIANT}")] if compliant else []
    return [*lift_box(), *let_lead, wait_till(LIFTED)]


def measure_grasp(model: RobotModel, trace: Trace, hands: list[int], boxes: np.ndarray) -> list[Figure]:
    """Measure how true the box follows the reference and how near its grasp is to slipping while it hangs.

    Args:
        model: Robot.
        trace: Run.
        hands: The palms.
        boxes: Poses of the box, shape ``(times, 4, 4)``.
    """
    hangs = np.array([flags[hands].all() for flags in trace.contacts]) & (np.array(trace.times) > LIFTED)
    distance, angle = measure_box(model, trace, boxes, hangs, hands[SIDES.index(MOVED)])
    friction, margin = measure_palms(model, trace, hangs, hands)
    still_held = float(trace.contacts[-1][hands].all())
    return [
        Figure("object_error", distance, "m", must=0.02),
        Figure("object_angle", float(np.degrees(angle)), "deg", must=3.0),
        Figure("grasp_ratio", friction, "-", must=MAX_FRICTION_RATIO),
        Figure("palm_margin", margin, "m", must=-ROUNDING, larger_is_better=True),
        Figure("still_held", still_held, "-", must=1.0, larger_is_better=True),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
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
    friction = load_world(WORLD).solids[find_box()].friction
    wrenches = np.array(trace.wrenches)[lifted][:, hands]
    normal = np.maximum(wrenches[:, :, 2], np.finfo(float).tiny)
    ratio = np.linalg.norm(wrenches[:, :, :2], axis=2) / (friction * normal)
    pressure = np.abs(np.stack([wrenches[:, :, 4], wrenches[:, :, 3]], axis=2)) / normal[:, :, None]
    room = np.array([model.effectors[hand].half_lengths for hand in hands]) - pressure
    return float(ratio.max()), float(room.min())
