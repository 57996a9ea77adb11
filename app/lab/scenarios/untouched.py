"""``untouched``: both hands give way to who leads them, and for a minute nobody does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, ask, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.model import RobotModel

BEGINS = 12.0
"""When the robot is at rest [s]: that of one that is not ideal follows its soles by 1.6 mm in the first 8 s, while it learns
the vertical, whatever its hands do."""

DURATION = 60.0
"""For how long nobody touches it [s]."""


def script_untouched(_model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: let both hands be led, and do nothing else."""
    switches = [step for side in ("left", "right") for step in (ask(f"switch:compliant-{side}"), wait(0.2))]
    return ScoredOperator([wait(0.3), *switches, wait(BEGINS + DURATION)])


def measure_untouched(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how far a hand drifts that nobody touches, and the robot."""
    hands = [index for side in ("left", "right") if (index := model.effector_of_hand(side)) is not None]
    times = np.array(trace.times)
    places = np.array(trace.effectors_reference)[times[: len(trace.effectors_reference)] > BEGINS][:, hands]
    drifts = np.linalg.norm(places - places[0], axis=2)
    return [
        Figure("drift", float(drifts.max()), "m", must=1e-3),
        *measure_reference(trace),
        *measure_robot(model, trace),
    ]


UNTOUCHED = Scenario(
    name="untouched",
    title="both hands give way to who leads them, and for a minute nobody does",
    world="flat",
    duration=BEGINS + DURATION,
    script=script_untouched,
    measure=measure_untouched,
    needs=(hand("left"), hand("right")),
)
