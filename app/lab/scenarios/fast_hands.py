"""``fast-hands``: both hands sweep together, faster from sweep to sweep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Step, Vector, move, squeeze, together, wait
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import Side, find_hands
from handhold.robots.model import RobotModel

SPEEDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Speeds of the operator's hands, a round of sweeps each [m/s]."""

SWEEPS: tuple[Vector, ...] = (
    (0.0, 0.2, 0.0),
    (0.0, -0.4, 0.0),
    (0.0, 0.2, 0.0),
    (0.0, 0.0, 0.2),
    (0.0, 0.0, -0.4),
    (0.0, 0.0, 0.2),
    (0.15, 0.0, 0.0),
    (-0.3, 0.0, 0.0),
    (0.15, 0.0, 0.0),
)
"""One round: to both sides, up and down, out and back, ending where it began [m]."""

TURNING = 0.2
"""Time a hand stands at the end of a sweep [s]."""

SMOOTHING = 0.02
"""Time over which a hand's speed is taken: shorter ones are the noise of its contacts [s]."""


def script_fast_hands(model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: a round of sweeps at every speed, the hands in step."""
    sides = tuple(find_hands(model))
    steps: list[Step] = [wait(0.3), together(*(squeeze(side) for side in sides)), wait(0.2)]
    for speed in SPEEDS:
        for displacement in SWEEPS:
            steps += [_sweep(sides, displacement, speed), wait(TURNING)]
        steps.append(wait(1.0))
    return ScoredOperator(steps)


def _sweep(sides: Sequence[Side], displacement: Vector, speed: float) -> Step:
    return together(*(move(side, displacement, speed) for side in sides))


def measure_fast_hands(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the robot and the largest speeds of the hands: commanded after the filters, and followed."""
    hands = find_hands(model)
    followed = compute_speeds(np.array(trace.effectors)[:, list(hands.values())], trace.times)
    columns = [("left", "right").index(side) for side in hands]
    commanded = compute_speeds(np.array(trace.targets)[:, columns], trace.times)
    return [
        *measure_reference(trace),
        *measure_robot(model, trace),
        Figure("hand_speed", float(followed.max()), "m/s", must=0.3, aim=0.8, larger_is_better=True),
        Figure("hand_speed_filtered", float(commanded.max()), "m/s"),
        Figure("hand_speed_operator", max(SPEEDS), "m/s"),
    ]


def compute_speeds(positions: np.ndarray, times: Sequence[float]) -> np.ndarray:
    """Compute speeds over ``SMOOTHING``.

    Args:
        positions: Shape ``(times, hands, 3)`` [m].
        times: At even distances [s].

    Returns:
        Speeds, shape ``(times - lag, hands)`` [m/s].
    """
    lag = max(1, round(SMOOTHING / (times[1] - times[0])))
    speeds: np.ndarray = np.linalg.norm(positions[lag:] - positions[:-lag], axis=2) / (lag * (times[1] - times[0]))
    return speeds


FAST_HANDS = Scenario(
    name="fast-hands",
    title="both hands sweep to the sides, up and down, out and back, at 0.2 to 0.8 m/s",
    world="flat",
    duration=120.0,
    script=script_fast_hands,
    measure=measure_fast_hands,
    needs=(any_hand,),
)
