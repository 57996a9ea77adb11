"""``jumps``: the operator's hands jump half a metre from one sample to the next, and further."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, Vector, jump, release, squeeze, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side, find_hands
from handhold.robots.model import RobotModel

STEP = 0.5
"""A step of the hand that is just accepted, and filtered [m]."""

BEYOND = 0.6
"""A step of the hand that is refused [m]."""

GLITCH = 0.06
"""How long a refused pose lasts: shorter than it takes to count the hand as lost [s]."""

DISPLACEMENTS: tuple[Vector, ...] = (
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, -1.0, 0.0),
    (0.0, 0.0, 1.0),
    (0.0, 0.0, -1.0),
    (-1.0, 0.0, 0.0),
)


def script_jumps(model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: in every direction jump away, stay, jump back; then jump too far."""
    steps: list[Step] = [wait(0.3)]
    for side in find_hands(model):
        steps.append(squeeze(side))
        for displacement in DISPLACEMENTS:
            steps += [jump(side, _scale(displacement, STEP)), wait(1.5), jump(side, _scale(displacement, -STEP)), wait(1.0)]
        steps += [*_glitch(side), wait(0.5), release(side), wait(0.3)]
    return ScoredOperator(steps)


def _glitch(side: Side) -> tuple[Step, ...]:
    return jump(side, (BEYOND, 0.0, 0.0)), wait(GLITCH), jump(side, (-BEYOND, 0.0, 0.0)), wait(0.5)


def _scale(displacement: Vector, length: float) -> Vector:
    return length * displacement[0], length * displacement[1], length * displacement[2]


def measure_jumps(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, how fast its references moved, and that the jumps too far were refused."""
    hands = np.array(trace.effectors_reference)[:, list(find_hands(model).values())]
    distances = np.linalg.norm(np.diff(hands, axis=0), axis=2)
    speed = distances / np.diff(trace.times)[:, None]
    refused = float(trace.counters.refused_samples)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("reference_speed", float(speed.max()), "m/s"),
        Figure("refused_samples", refused, "-", must=float(len(find_hands(model))), larger_is_better=True),
    ]


JUMPS = Scenario(
    name="jumps",
    title="the hands are commanded 0.5 m away from one sample to the next, in every direction, and 0.6 m",
    world="flat",
    duration=60.0,
    script=script_jumps,
    measure=measure_jumps,
    needs=(any_hand,),
)
