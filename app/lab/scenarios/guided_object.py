"""``guided-object``: somebody leads a box that two arms hold along a path, while the operator turns it.

The person holds the box in its middle as by a spring, as in ``guided``: what the robot feels of it is what the palms pass on.
At the end of the path the box is let go, and goes back by itself. It gives way across the vertical only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.carry_two_arms import (
    BOX,
    LIFT,
    MAX_FRICTION_RATIO,
    MOVED,
    SIDES,
    SPEED,
    WORLD,
    is_held,
    measure_box,
    measure_palms,
    turn_about,
    vary_weight,
)
from handhold.app.lab.scenarios.guide import Guide, SolidHandle
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import two_palms
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import (
    ScoredOperator,
    Step,
    Vector,
    ask,
    move,
    squeeze,
    wait,
    wait_till,
    wait_until,
)
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import find_hands
from handhold.retarget.bracing.objects.compliant_object import TOGGLE as COMPLIANT
from handhold.retarget.bracing.objects.object_holding import TOGGLE
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

STIFFNESS = (100.0, 300.0)
"""Of the person's grip [N/m], at random."""

GUIDE_SPEED = 0.2
"""Speed of the hand that leads [m/s]."""

PATH: tuple[Vector, ...] = ((0.12, 0.0, 0.0), (-0.08, 0.08, 0.0), (0.0, -0.16, 0.0))
"""Where it leads, one after the other; the box is let go at the end [m]."""

MIN_LED = 0.05
"""How far the box must have been led [m]."""

LIFTED, BEGINS = 10.0, 71.0
"""When the box hangs at rest and may be led, and when the person takes it [s]: nobody touches it for a minute."""

STAYS = 0.5
"""How long the person stays at each corner [s]."""

RETURNS = 25.0
"""Within which time the box is back once it is let go [s]: five times the leak's time constant."""

TURN: Vector = (0.0, 0.0, 0.15)
"""By which the operator turns the box meanwhile, and back [rad]."""


def make_guide(_model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Make the person who leads, with a grip at random."""
    return Guide(SolidHandle(find_box()), PATH, float(random.uniform(*STIFFNESS)), GUIDE_SPEED, BEGINS, STAYS)


def find_box() -> int:
    """Find the box among the solids of its world."""
    return [solid.name for solid in load_world(WORLD).solids].index(BOX)


def list_lifting(*, compliant: bool) -> list[Step]:
    """List the steps by which the box is taken and lifted, and may be led or not; over at ``LIFTED``."""
    let_lead = [ask(f"switch:{COMPLIANT}")] if compliant else []
    return [
        wait(0.3),
        ask(f"switch:{TOGGLE}"),
        wait_until("the box held", is_held, 10.0),
        wait(1.0),
        squeeze(MOVED),
        move(MOVED, (0.0, 0.0, LIFT), SPEED),
        *let_lead,
        wait_till(LIFTED),
    ]


def script_guided_object(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: take the box, lift it, let it be led, and turn it there and back meanwhile."""
    box = load_world(WORLD).solids[find_box()]
    lever = effector_poses[find_hands(model)[MOVED], :3, 3] - np.array(box.position)
    lever[1] = 0.5 * box.size[1]
    x, y, z = (-angle for angle in TURN)
    turns = turn_about(lever, TURN), turn_about(pin.exp3(np.array(TURN)) @ lever, (x, y, z))
    return ScoredOperator([*list_lifting(compliant=True), wait_till(BEGINS), *turns, wait(RETURNS)])


def measure_guided_object(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure what the person feels, how far the box drifts that nobody touches, its grasp, and the robot."""
    hands = [find_hands(model)[side] for side in SIDES]
    forces, boxes = np.linalg.norm(np.array(trace.pushes), axis=1), np.array([poses[find_box()] for poses in trace.solids])
    times, places = np.array(trace.times)[: len(forces)], boxes[: len(forces), :3, 3]
    before, touched = (times > LIFTED) & (times < BEGINS), forces > 0.0
    led = float(np.linalg.norm(places[touched] - places[before][-1], axis=1).max())
    return [
        Figure("guide_force", float(forces.max()), "N", must=20.0, aim=10.0),
        Figure("drift", float(np.ptp(places[before], axis=0).max()), "m", must=1e-3),
        Figure("led", led, "m", must=MIN_LED, larger_is_better=True),
        Figure("left_behind", float(np.linalg.norm(places[-1] - places[before][-1])), "m", must=5e-3),
        *measure_grasp(model, trace, hands, boxes),
        *measure_reference(trace),
        *(figure for figure in measure_robot(model, trace) if figure.name not in ("cop_margin", "cone_ratio")),
    ]


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
        Figure("palm_margin", margin, "m", must=0.0, larger_is_better=True),
        Figure("still_held", still_held, "-", must=1.0, larger_is_better=True),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
    ]


GUIDED_OBJECT = Scenario(
    name="guided-object",
    title="somebody leads a box that two arms hold along a path while the operator turns it",
    world=WORLD,
    robot="dual-panda",
    duration=130.0,
    script=script_guided_object,
    measure=measure_guided_object,
    needs=(two_palms,),
    vary=vary_weight,
    disturb=make_guide,
)
