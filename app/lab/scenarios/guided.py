"""``guided``: somebody leads a hand of the robot along a path while the operator moves the other one.

The person holds the hand as by a spring: one of 100 to 300 N/m whose other end goes along a path. What is felt is the spring's
force; the admittance turns it into a motion. At the end of the path the hand is let go, and goes back by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.guide import Guide, HandHandle
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Vector, ask, move, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side
from handhold.robots.model import RobotModel

LED: Side = "left"
MOVED: Side = "right"
"""Hands of the person who leads, and of the operator."""

STIFFNESS = (100.0, 300.0)
"""Of the person's grip [N/m], at random."""

SPEED = 0.2
"""Speed of the hand that leads [m/s]."""

PATH: tuple[Vector, ...] = ((-0.05, 0.1, 0.0), (0.05, -0.1, 0.0), (0.15, 0.0, 0.0), (0.0, 0.0, 0.15))
"""Where it leads, one after the other; it is let go at the end [m]."""

MIN_LED = 0.05
"""How far the hand must have been led [m]: of 21 cm to the farthest corner, 15 are what 15 N stretch the softest spring."""

BEGINS = 5.0
"""When the person takes the hand [s]; it is taken where it is."""

STAYS = 0.5
"""How long the person stays at each corner [s]."""

UNTOUCHED = (2.0, BEGINS)
"""Between which times nobody has touched the robot yet, nor the operator moved it [s]."""

RETURNS = 25.0
"""Within which time the hand is back once it is let go [s]: five times the leak's time constant."""

SWAY: tuple[Vector, ...] = ((0.0, 0.0, 0.1), (0.0, 0.0, -0.1))
"""What the operator does with the other hand meanwhile [m]."""


def make_guide(model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Make the person who leads, with a grip at random."""
    return Guide(HandHandle.of(model, LED), PATH, float(random.uniform(*STIFFNESS)), SPEED, BEGINS, STAYS)


def script_guided(_model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: let the hand be led, take the other one, and move it up and down."""
    sways = [step for _ in range(4) for step in (move(MOVED, SWAY[0], 0.1), move(MOVED, SWAY[1], 0.1))]
    return ScoredOperator(
        [wait(0.3), ask(f"switch:compliant-{LED}"), wait(0.2), squeeze(MOVED), wait(BEGINS), *sways, wait(RETURNS)]
    )


def measure_guided(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure what the person feels, how far the hand drifts that nobody touches, and the robot."""
    hand_index = model.effector_of_hand(LED)
    forces = np.linalg.norm(np.array(trace.pushes), axis=1)
    times, places = np.array(trace.times)[: len(forces)], np.array(trace.effectors_reference)[: len(forces), hand_index]
    before = (times > UNTOUCHED[0]) & (times < UNTOUCHED[1])
    touched = forces > 0.0
    led = float(np.linalg.norm(places[touched] - places[before][-1], axis=1).max())
    return [
        Figure("guide_force", float(forces.max()), "N", must=20.0, aim=10.0),
        Figure("drift", float(np.ptp(places[before], axis=0).max()), "m", must=1e-3),
        Figure("led", led, "m", must=MIN_LED, larger_is_better=True),
        Figure("left_behind", float(np.linalg.norm(places[-1] - places[before][-1])), "m", must=5e-3),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        *measure_robot(model, trace),
    ]


GUIDED = Scenario(
    name="guided",
    title="somebody leads a hand of the robot along a path while the operator moves the other one",
    world="flat",
    duration=60.0,
    script=script_guided,
    measure=measure_guided,
    needs=(hand(LED), hand(MOVED)),
    disturb=make_guide,
)
