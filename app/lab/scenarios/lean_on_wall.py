"""``lean-on-wall``: a person puts a hand on a wall that only the robot has, and the robot braces there; then takes it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.human_motion import PersonAtWork, two_feet_and_an_arm
from handhold.app.lab.scenarios.kinematic_human import HumanPose
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import find_offset_before_wall
from handhold.app.limbs import find_hands
from handhold.robots.model import RobotModel

WORLD = "half_wall"

NEARER = 0.05
"""How much nearer to the wall than for other scenarios the robot stands [m]: the person's arm stays bent."""

_BENT = HumanPose(left_flexion=0.5, left_elbow=1.1)
_LEANING = HumanPose(left_flexion=0.95, left_elbow=0.35, left_abduction=0.05, forward=0.02)
MOTIONS = {
    "lean": (
        (2.0, _BENT),
        (2.0, _LEANING),
        (9.0, replace(_LEANING, right_abduction=0.3)),
        (2.0, _BENT),
        (8.0, HumanPose()),
    )
}
"""What the person does: the hand goes to where the wall is, rests there, and leaves."""


def script_lean_on_wall(_model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the person."""
    person = MovingPerson(random, MOTIONS, speeds=(0.9, 1.1))
    return PersonAtWork(lambda time, moves: person.track(time, moves=moves))


def measure_lean_on_wall(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, how long the hand braced, and that it left the wall."""
    braced = np.array(trace.contacts)[:, find_hands(model)["left"]]
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        *measure_following(model, trace, leans=True),
        Figure("braced", 100.0 * float(braced.mean()), "%", must=10.0, larger_is_better=True),
        Figure("released", float(bool(braced.any() and not braced[-1])), "-", must=1.0, larger_is_better=True),
    ]


def _find_offset(model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    x, y = find_offset_before_wall(WORLD, model, effector_poses)
    return x + NEARER, y


LEAN_ON_WALL = Scenario(
    name="lean-on-wall",
    title="a person puts a hand where the robot has a wall, and the robot braces there; then takes it off",
    world=WORLD,
    duration=33.0,
    script=script_lean_on_wall,
    measure=measure_lean_on_wall,
    needs=(two_feet_and_an_arm, hand("left")),
    start_offset=_find_offset,
)
