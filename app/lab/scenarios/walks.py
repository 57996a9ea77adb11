"""What scripts of walks share: how an operator begins, steers and stops, and what disturbs the robot meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from handhold.app.lab.scenarios.impulses import PUSHING
from handhold.app.lab.scenarios.phrases import drag_hand, lean
from handhold.app.lab.scenarios.scenario import Disturbance
from handhold.app.lab.scenarios.score import Step, ask, stick, together, wait, wait_until
from handhold.app.limbs import count_leg_joints, find_hands
from handhold.render.snapshot import Snapshot
from handhold.retarget.engagement.sticks import DEAD_ZONE
from handhold.robots.description import MIN_LEG_JOINTS, Walking
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot

SWITCHING = 6.0
"""Longest time until the mode that was asked for is in charge [s]."""

STOPPING = 6.0
"""Longest time until a robot that is commanded to stop is at rest [s]."""

REST_SPEED = 0.01
"""Speed of the centre of mass under which a robot is at rest [m/s]."""

MAX_LEAN = 0.02
"""How far the robot leans at random before it walks [m]."""

MAX_HAND_OFFSET = 0.12
"""How far a hand is moved at random before it walks [m]."""

GENTLE = 20.0
"""Largest force of a small disturbance [N]."""

FULL_SPEED = 0.9
"""Part of a robot's own speed that a walk must reach where that speed is low [-]."""

CALM = (1.0, 3.0)
"""Minimum and maximum time between two of them [s]."""


def walks(model: RobotModel) -> str:
    """Need a description that says how the robot walks, and soles on legs that can."""
    if find_gait(model):
        return ""
    shortest = min(count_leg_joints(model).values(), default=MIN_LEG_JOINTS)
    return f"two soles on legs of {MIN_LEG_JOINTS} joints" if shortest < MIN_LEG_JOINTS else "a [walking] table"


def find_gait(model: RobotModel) -> Walking | None:
    """Return how a robot walks; None where it does not."""
    return model.description.walking


def gait_of(model: RobotModel) -> Walking:
    """Return how a robot walks that does (see ``walks``)."""
    gait = find_gait(model)
    assert gait is not None, "the scenario needs a robot that walks"
    return gait


def begin_walking(model: RobotModel, random: np.random.Generator) -> tuple[Step, ...]:
    """Stand at random as an operator leaves the robot, change to walking on the wheel, and let the robot stand."""
    angle = random.uniform(-math.pi, math.pi)
    x, y = MAX_LEAN * random.uniform(0.2, 1.0) * np.array([math.cos(angle), math.sin(angle)])
    hands = [
        step
        for side in find_hands(model)
        for step in drag_hand(side, tuple((MAX_HAND_OFFSET * random.uniform(-1.0, 1.0, 3) * [1.0, 0.5, 1.0]).tolist()))
    ]
    return wait(0.2), lean(x, y), *hands, release_sticks(), ask("mode:walking"), mode_is("walking"), wait(1.0)


def mode_is(name: str) -> Step:
    """Wait until a mode is in charge."""
    return wait_until(f"{name} in charge", lambda snapshot: snapshot.mode == name, SWITCHING)


def steer(gait: Walking, *, forward: float = 0.0, left: float = 0.0, turn: float = 0.0) -> Step:
    """Push the sticks for a velocity [m/s, rad/s], as far as the robot goes."""
    ahead = forward / (gait.speed if forward > 0.0 else gait.backward_speed)
    right, ahead = _beyond_dead_zone(-left / gait.sideways_speed, ahead)
    turning, _ = _beyond_dead_zone(-turn / gait.turning_speed, 0.0)
    return together(stick("left", right, ahead), stick("right", turning, 0.0))


def release_sticks() -> Step:
    """Release both sticks."""
    return together(stick("left", 0.0, 0.0), stick("right", 0.0, 0.0))


def stop() -> tuple[Step, ...]:
    """Release both sticks, wait until the robot is at rest, and a little longer."""
    return release_sticks(), wait(0.3), wait_until("the robot stands", is_standing, STOPPING), wait(1.0)


def steer_until(what: str, holds: Callable[[Snapshot], bool], timeout: float) -> Step:
    """Keep on steering until a snapshot shows something."""
    return wait_until(what, holds, timeout)


def disturb_gently(model: RobotModel, random: np.random.Generator) -> Disturbance:
    """Push the base now and then, a little, in any direction."""
    frame = model.pinocchio.names[1]
    begin, force = random.uniform(*CALM), _draw_force(random)

    def disturb(body: SimulatedRobot, state: RobotState) -> None:
        nonlocal begin, force
        if state.time < begin:
            return
        body.push(force, frame)
        if state.time >= begin + PUSHING:
            begin, force = state.time + random.uniform(*CALM), _draw_force(random)

    return disturb


def _draw_force(random: np.random.Generator) -> np.ndarray:
    angle, size = random.uniform(-math.pi, math.pi), random.uniform(0.0, GENTLE)
    return np.array([size * math.cos(angle), size * math.sin(angle), 0.0])


def _beyond_dead_zone(right: float, ahead: float) -> tuple[float, float]:
    """Return the deflection of a stick that asks for parts of the largest velocity."""
    length = math.hypot(right, ahead)
    if length == 0.0:
        return 0.0, 0.0
    scale = (DEAD_ZONE + (1.0 - DEAD_ZONE) * min(1.0, length)) / length
    return scale * right, scale * ahead


def is_standing(snapshot: Snapshot) -> bool:
    """Whether the operator sees the robot stand."""
    at_rest = np.linalg.norm(snapshot.reference.velocity_com_in_world) < REST_SPEED
    return bool(at_rest and snapshot.reference.contacts.any() and not snapshot.report.footsteps)


def require_speed(usual: float, own: float) -> float:
    """Return the speed that a walk must reach: the usual one, or most of a robot's own where that is less."""
    return min(usual, FULL_SPEED * own)
