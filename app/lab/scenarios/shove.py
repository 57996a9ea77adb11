"""``shove``: a person pushes the chest of a robot that braces, from all sides one after the other.

Each push swells, lasts and fades. The hand presses on the wall and stays there; the body gives way as far as the balance has
room, and leans against what is more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.needs import any_hand, touch_points
from handhold.app.lab.scenarios.scenario import Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, Vector, ask, squeeze, trigger, wait, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walls import brace, find_offset_before_wall, raise_wall
from handhold.app.limbs import choose_hand
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot

WORLD = "half_wall"

DIRECTIONS: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
"""Of the pushes, the first towards the wall."""

FORCE = (0.04, 0.06)
"""Of a push, at random, in parts of the weight [-]: 35 to 53 N for Talos. By 7 % to the right its feet rocked."""

PRESSING = 0.3
"""How far the trigger is pulled: 60 N for Talos, which a push away from the wall does not take off it."""

SWELLING, LASTING, RESTING = 1.0, 2.0, 6.0
"""Times in which a push swells and fades, lasts, and in which nobody pushes after it [s]."""

BEGINS = 20.0
"""When the first push begins [s]: the robot has braced by then."""

NOMINAL = 50.0
"""Force to which the error of a smaller one is related [N]: 10 % of it are 5 N."""

SMALLEST = 0.03
"""Force in parts of the weight from which on its estimate is compared [-]: the dead zone's 2 % half as much again."""


class Shover:
    """Pushes at a touch point from one side after the other."""

    def __init__(self, frame: str, forces: np.ndarray) -> None:
        """Push there with forces in world, shape ``(pushes, 3)`` [N]."""
        self._frame, self._forces = frame, forces

    def __call__(self, body: SimulatedRobot, state: RobotState) -> np.ndarray:
        """Push, and return the force [N]."""
        number, elapsed = divmod(state.time - BEGINS, 2.0 * SWELLING + LASTING + RESTING)
        if not 0 <= number < len(self._forces):
            return np.zeros(3)
        corners = np.cumsum([0.0, SWELLING, LASTING, SWELLING])
        force: np.ndarray = np.interp(elapsed, corners, [0.0, 1.0, 1.0, 0.0]) * self._forces[int(number)]
        if force.any():
            body.push(force, self._frame)
        return force


def make_shover(model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Make the person who pushes, from all sides as hard as it comes."""
    sizes = random.uniform(*FORCE, len(DIRECTIONS)) * model.weight
    return Shover(f"handhold/{model.touch_points[-1].name}", sizes[:, None] * np.array(DIRECTIONS))


def script_shove(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: brace, press on the wall, let the body be pushed, and do nothing else."""
    side, effector = choose_hand(model)
    ends = BEGINS + len(DIRECTIONS) * (2.0 * SWELLING + LASTING + RESTING)
    steps = brace(model, effector_poses, side, effector, WORLD)
    press = (squeeze(side), trigger(side, PRESSING, 2.0))
    return ScoredOperator([wait(0.3), *steps, *press, ask("switch:compliant-body"), wait_till(ends)])


def measure_shove(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how hard the robot was pushed, how well that was known while it lasted, and the robot."""
    pushes, estimated = np.array(trace.pushes), np.array(trace.external)[: len(trace.pushes)]
    forces = np.linalg.norm(pushes, axis=1)
    steady = (forces > SMALLEST * model.weight) & _is_steady(np.array(trace.times)[: len(forces)])
    errors = np.linalg.norm(estimated - pushes, axis=1)[steady] / np.maximum(forces[steady], NOMINAL)
    com = np.array(trace.com)[: len(forces)][forces > 0.0]
    before = np.array(trace.com)[int(np.argmax(forces > 0.0))]
    return [
        Figure("shove_force", float(forces.max(initial=0.0)), "N", must=FORCE[0] * model.weight, larger_is_better=True),
        Figure("wrench_error", float(100.0 * np.mean(errors)) if len(errors) else float("nan"), "%", must=10.0),
        Figure("sway", float(np.linalg.norm((com - before)[:, :2], axis=1).max(initial=0.0)), "m"),
        Figure("joint_jump", trace.joint_jump, "rad", must=0.02),
        *measure_reference(trace),
        *measure_robot(model, trace),
    ]


def _is_steady(times: np.ndarray) -> np.ndarray:
    """Return at which times the force does not change, and has not for half a second."""
    elapsed = np.mod(times - BEGINS, 2.0 * SWELLING + LASTING + RESTING)
    steady: np.ndarray = (elapsed > SWELLING + 0.5) & (elapsed < SWELLING + LASTING)
    return steady


SHOVE = Scenario(
    name="shove",
    title="somebody pushes the chest of a robot that braces, from all sides",
    world=WORLD,
    duration=BEGINS + len(DIRECTIONS) * (2.0 * SWELLING + LASTING + RESTING),
    script=script_shove,
    measure=measure_shove,
    needs=(any_hand, touch_points),
    start_offset=partial(find_offset_before_wall, WORLD),
    fit=raise_wall,
    disturb=make_shover,
)
