"""``guided-object``: somebody leads a box that two arms hold along a path, while the operator turns it.

The person holds the box in its middle as by a spring, as in ``guided``: what the robot feels of it is what the palms pass on.
At the end of the path the box is let go, and goes back by itself. It gives way across the vertical only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.guide import Guide, SolidHandle
from handhold.app.lab.scenarios.held_box import (
    LIFTED,
    MOVED,
    SIDES,
    WORLD,
    find_box,
    list_lifting,
    measure_grasp,
    read_poses,
    turn_about,
    vary_weight,
)
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import two_palms
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Vector, wait, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import find_hands
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

BEGINS = 71.0
"""When the person takes the box [s]: nobody touches it for a minute before."""

STAYS = 0.5
"""How long the person stays at each corner [s]."""

RETURNS = 25.0
"""Within which time the box is back once it is let go [s]: five times the leak's time constant."""

TURN: Vector = (0.0, 0.0, 0.15)
"""By which the operator turns the box meanwhile, and back [rad]."""


def make_guide(_model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Make the person who leads, with a grip at random."""
    return Guide(SolidHandle(find_box()), PATH, float(random.uniform(*STIFFNESS)), GUIDE_SPEED, BEGINS, STAYS)


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
    forces, boxes = np.linalg.norm(np.array(trace.pushes), axis=1), read_poses(trace)
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
