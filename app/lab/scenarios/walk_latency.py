"""``walk-latency``: what the operator does arrives 300 ms late, now sooner, now later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walks import begin_walking, disturb_gently, gait_of, steer, stop, walks
from handhold.robots.model import RobotModel

LATENCY, JITTER = 0.3, 0.025
"""Mean time that a sample is in transit, and how much more or less it may be [s]."""

LEGS = 12
"""Number of velocities that are commanded."""


def script_walk_latency(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: one random velocity after the other, without a pause, then stop."""
    gait = gait_of(model)
    steps: list[Step] = [*begin_walking(model, random)]
    for _ in range(LEGS):
        forward = random.uniform(-gait.backward_speed, gait.speed)
        left, turn = random.uniform(-1.0, 1.0, 2) * [gait.sideways_speed, gait.turning_speed]
        steps += [steer(gait, forward=forward, left=float(left), turn=float(turn)), wait(random.uniform(1.0, 3.0))]
    return ScoredOperator([*steps, *stop()])


def make_delays(random: np.random.Generator) -> Callable[[], float]:
    """Make how late the samples arrive."""
    return lambda: LATENCY + JITTER * random.uniform(-1.0, 1.0)


def measure_walk_latency(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and that a link which is merely late was never taken for one that is lost."""
    lost = trace.counters.lost_link - trace.first_counters.lost_link
    return [Figure("lost_link", float(lost), "-", must=0.0), *measure_walk(model, trace)]


WALK_LATENCY = Scenario(
    name="walk-latency",
    title="velocities in all directions over a link that is 300 ms late, with jitter",
    world="flat",
    duration=90.0,
    script=script_walk_latency,
    measure=measure_walk_latency,
    needs=(walks,),
    disturb=disturb_gently,
    delay=make_delays,
    draw=plot_walk,
)
