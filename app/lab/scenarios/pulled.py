"""``pulled``: somebody pulls a hand of the robot on where it cannot follow any further, and lets it come back.

The person holds the hand as by a spring, as in ``guided``; its other end goes well beyond the reach of the robot and stays
there. The robot leans against the pull as far as it could stand without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.guide import Guide, HandHandle
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Vector, ask, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side
from handhold.robots.model import RobotModel

PULLED: Side = "left"

STIFFNESS = (0.2, 0.3)
"""Of the person's grip, at random, for a newton of the robot's weight [1/m]: 185 to 280 N/m for Talos."""

REACH: tuple[Vector, ...] = ((0.75, 0.0, 0.1), (-0.75, 0.0, -0.1))
"""Where the hand is pulled, and back [m]."""

SPEED = 0.2
"""Speed of the person [m/s]."""

BEGINS, STAYS = 2.0, 2.0
"""When the person takes the hand, and how long the pull lasts at either end [s]."""

RETURNS = 25.0
"""Within which time the hand is back once it is let go [s]: five times the leak's time constant."""

MIN_PULL = 0.06
"""Force up to which the robot must have been pulled, in parts of its weight [-]."""


def make_puller(model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Make the person who pulls, with a grip at random."""
    return Guide(HandHandle.of(model, PULLED), REACH, float(random.uniform(*STIFFNESS)) * model.weight, SPEED, BEGINS, STAYS)


def script_pulled(_model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: let the hand be led, and do nothing else."""
    return ScoredOperator([wait(0.3), ask(f"switch:compliant-{PULLED}"), wait(BEGINS + RETURNS)])


def measure_pulled(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how hard the robot was pulled, how far back it leaned against it, whether it is back, and the robot."""
    hand_index = model.effector_of_hand(PULLED)
    forces = np.linalg.norm(np.array(trace.pushes), axis=1)
    places = np.array(trace.effectors_reference)[:, hand_index]
    com = np.array(trace.com)
    before = int(np.argmax(forces > 0.0))
    lean = float(com[before, 0] - com[:, 0].min())
    return [
        Figure("pull_force", float(forces.max()), "N", must=MIN_PULL * model.weight, larger_is_better=True),
        Figure("lean", lean, "m"),
        Figure("left_behind", float(np.linalg.norm(places[-1] - places[before])), "m", must=5e-3),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        *measure_robot(model, trace),
    ]


PULLED_HAND = Scenario(
    name="pulled",
    title="somebody pulls a hand of the robot on where it cannot follow, and lets it come back",
    world="flat",
    duration=45.0,
    script=script_pulled,
    measure=measure_pulled,
    needs=(hand(PULLED),),
    disturb=make_puller,
)
