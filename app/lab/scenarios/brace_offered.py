"""``brace-offered``: a hand braces where the robot proposes it; the operator takes the best place and goes there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.offered_places import brace_where_offered
from handhold.app.lab.scenarios.phrases import drag_hand, unload
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import find_offset_before_wall, raise_wall
from handhold.app.limbs import choose_hand
from handhold.robots.model import RobotModel

WORLD = "half_wall"

BACK = 0.1
"""How far the hand comes back from the wall at the end [m]."""

_BEFORE, _STAY = (wait(1.0),), wait(4.0)


def script_brace(
    model: RobotModel,
    _effector_poses: np.ndarray,
    _random: np.random.Generator,
    *,
    before: Sequence[Step] = _BEFORE,
    stay: Step = _STAY,
) -> Operator:
    """Script the operator: take the best place for a hand, brace there, stay, and come back."""
    side, effector = choose_hand(model)
    return ScoredOperator(
        [
            *before,
            *brace_where_offered(model, side, effector),
            stay,
            *unload(side),
            *drag_hand(side, (-BACK, 0.0, 0.0)),
        ]
    )


def measure_brace(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot, and how long its hand supported it."""
    _, effector = choose_hand(model)
    times, contacts = np.array(trace.times), np.array([each[effector] for each in trace.contacts])
    held = float(contacts.mean() * (times[-1] - times[0]))
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("braced_for", held, "s", must=4.0, larger_is_better=True),
    ]


BRACE_OFFERED = Scenario(
    name="brace-offered",
    title="a hand braces where the robot proposes it, drawn to the place that the operator has taken",
    world=WORLD,
    duration=90.0,
    script=script_brace,
    measure=measure_brace,
    needs=(any_hand,),
    start_offset=partial(find_offset_before_wall, WORLD),
    fit=raise_wall,
    proposes=True,
)
