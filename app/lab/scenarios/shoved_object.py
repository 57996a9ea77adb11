"""``shoved-object``: somebody shoves a box that two arms hold towards the robot, with up to 150 N, again and again.

A shove swells and fades (``DURATION``); the box may not be led meanwhile. It is balanced, and the grip grows with it. From
other sides two Pandas cannot bear as much (docs/touch.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.held_box import (
    LIFTED,
    SIDES,
    WORLD,
    find_box,
    list_lifting,
    measure_grasp,
    read_poses,
    vary_weight,
)
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import two_palms
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import find_hands
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot

FORCE = 150.0
"""Largest force of a shove [N]."""

DURATION, EVERY = 1.2, 6.0
"""How long a shove lasts, and when the next one begins [s]."""

DIRECTION, COUNT = np.array([-1.0, 0.0, 0.0]), 3
"""Of the shoves, in world, and how many there are."""


class Shoves:
    """Shoves a solid of the world."""

    def __init__(self, index: int, force: float, begins: float) -> None:
        """Take the solid's index, the largest force [N] and when the first shove begins [s]."""
        self._index, self._force, self._begins = index, force, begins

    def __call__(self, body: SimulatedRobot, state: RobotState) -> np.ndarray:
        """Shove, and return the force [N]."""
        which, elapsed = divmod(state.time - self._begins, EVERY)
        if not (0 <= which < COUNT and elapsed < DURATION):
            return np.zeros(3)
        swell = self._force * math.sin(math.pi * elapsed / DURATION) ** 2
        force: np.ndarray = swell * DIRECTION
        body.push_solid(force, self._index)
        return force


def make_shoves(_model: RobotModel, _random: np.random.Generator) -> Disturbance:
    """Make the person who shoves the box."""
    return Shoves(find_box(), FORCE, LIFTED)


def script_shoved_object(_model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: take the box, lift it, and hold it."""
    return ScoredOperator([*list_lifting(compliant=False), wait_till(LIFTED + EVERY * COUNT)])


def measure_shoved_object(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how hard the box was shoved, how far it went, whether it slipped, where it ends, and the robot."""
    hands = [find_hands(model)[side] for side in SIDES]
    boxes = read_poses(trace)
    begun = int(np.searchsorted(np.array(trace.times), LIFTED))
    shifts = np.linalg.norm(boxes[begun:, :3, 3] - boxes[begun, :3, 3], axis=1)
    return [
        Figure(
            "shove", float(np.linalg.norm(np.array(trace.pushes), axis=1).max()), "N", must=0.99 * FORCE, larger_is_better=True
        ),
        Figure("shoved", float(shifts.max()), "m"),
        Figure("left_behind", float(shifts[-1]), "m", must=5e-3),
        *measure_grasp(model, trace, hands, boxes),
        *measure_reference(trace),
        *(figure for figure in measure_robot(model, trace) if figure.name not in ("cop_margin", "cone_ratio")),
    ]


SHOVED_OBJECT = Scenario(
    name="shoved-object",
    title="somebody shoves a box that two arms hold towards the robot, with up to 150 N",
    world=WORLD,
    robot="dual-panda",
    duration=45.0,
    script=script_shoved_object,
    measure=measure_shoved_object,
    needs=(two_palms,),
    vary=vary_weight,
    disturb=make_shoves,
)
