"""How much of the path ahead a robot can walk on what is known of the ground, and how fast.

A robot that must stop still goes as far as two steps take it, and further if it is pushed. So far ahead its soles must
find nothing that is known to be too high or too low to stand on: a drop, a box, a table. What is unknown is taken for ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.retarget.walking.entry import mean_yaw
from handhold.retarget.walking.foothold_choice import choose_foothold, find_lateral_offset
from handhold.retarget.walking.foothold_costs import LEVEL_TOLERANCE
from handhold.retarget.walking.footsteps import WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.stride import Stance, list_strides, make_axes
from handhold.robots.description import Walking

SPACING = 0.05
"""Largest distance between two positions on the path that are checked [m]: thinner than the soles are long."""

ANGLE_SPACING = 0.1
"""The same of a turn in place [rad]."""

STEPS_AHEAD = 3
"""Footsteps ahead that must find support: as many as a robot still makes that must stop [-]."""

MIN_PROGRESS = 0.3
"""Part of the displacement that a footstep must go at least, where it is put elsewhere than asked for [-]."""

RATIO_STEPS = 8
"""Parts of a velocity that may be walked at: what is free of the path is rounded down, so that it does not flicker."""

RESTART_RATIO = 0.25
"""Ratio of a velocity from which on a robot that has stopped before the ground ahead walks on [-].

A foot in the air is further ahead than where the robot comes to stand: with less it would begin and stop time and again.
"""

MAX_RELIEF = 0.16
"""Difference in height of the ground ahead at which there were no speed left [m]: half is at two steps of 4 cm."""

MIN_SPEED_RATIO = 0.25
"""Least ratio of its speed that a robot keeps for that [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A velocity, and how the robot walks that is asked for it."""

    velocity: WalkingVelocity
    gait: Walking


def find_free_ratios(
    ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float
) -> tuple[float, float]:
    """Find the ratios of a velocity with which the soles stay on what one can stand on, along the ground and turning.

    Args:
        ground: What is known.
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        height: Of the ground that the robot stands on [m]; a foot may be in the air.
        velocity: Asked for.
        time: How far ahead of where the robot is it must be free [s].

    Returns:
        0 to 1 in steps of an eighth each: 1 where all the path is free.
    """
    along = _sample_path(feet, velocity, time)
    straight = ground.count_free(*along, height)
    positions, yaws = along[0][0], along[1][0]
    angle = time * velocity.turning
    angles = angle * _divide(abs(angle), ANGLE_SPACING)
    middle = positions.mean(axis=0)
    turned = middle + np.array([(positions - middle) @ make_axes(angle).T for angle in angles])
    turning = ground.count_free(turned, yaws + angles[:, None], height)
    return _round_down(straight, len(along[0])), _round_down(turning, len(angles))


def find_clear_ratio(ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float) -> float:
    """Find the ratio of a velocity with which the soles stay before what is too high, as ``find_free_ratios``.

    One may step over what lies too low, if there is a foothold beyond, but not over a box or under a table.
    """
    along = _sample_path(feet, velocity, time)
    return _round_down(ground.count_free(*along, height, drops=False), len(along[0]))


def find_stepping_ratio(ground: GroundMap, stance: Stance, side: float, walk: Walk) -> float:
    """Find the ratio of a velocity at which the next footsteps find support, one after the other.

    Args:
        ground: What is known.
        stance: Where the robot is.
        side: Of the support foot.
        walk: Velocity asked for, and how the robot walks.

    Returns:
        0 where the next footstep finds nothing, 1 where all ``STEPS_AHEAD`` find something.
    """
    # One more than are checked: every one is chosen with a view to the next.
    plan = plan_footsteps(walk.velocity, side, stance.angle, STEPS_AHEAD + 1, walk.gait)
    in_place = WalkingVelocity(turning=walk.velocity.turning)
    turning = plan_footsteps(in_place, side, stance.angle, STEPS_AHEAD, walk.gait)
    direction = walk.velocity.direction
    for k in range(STEPS_AHEAD):
        strides = list_strides(plan, direction, k)
        chosen = choose_foothold(ground, stance, strides)
        if chosen is None or not chosen.continues:
            return k / STEPS_AHEAD
        displacement = stance.axes.T @ (chosen.position - stance.support)
        if not _progresses(displacement - turning.desired[k], strides[0].desired - turning.desired[k], direction):
            return k / STEPS_AHEAD
        height = ground.find_foothold(chosen.position, strides[0].angle, stance.height).height
        offset = chosen.position - stance.support - stance.axes @ strides[0].desired
        lateral_offset = stance.lateral_offset + find_lateral_offset(offset, stance.angle, direction)
        stance = Stance(
            support=chosen.position,
            angle=strides[0].angle,
            height=height,
            lift_off_height=stance.height,
            lateral_offset=lateral_offset,
        )
    return 1.0


def _progresses(displacement: np.ndarray, desired: np.ndarray, direction: np.ndarray) -> bool:
    """Whether a footstep makes some of the progress that is asked for, and not only stays on what supports.

    Both are from where the foot would be put without progress, beside the other and turned: to the side, every other step
    only brings the feet together.
    """
    return float(displacement @ direction) >= MIN_PROGRESS * float(desired @ direction) - 1e-9


def find_pace(ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float) -> float:
    """Find how fast a robot may walk over what goes up and down ahead, steps or a slope, as a ratio of its largest speed.

    A leg that climbs has less time to go forward, and throws the body about by its inertia; the longer the step the more.

    Args:
        ground: What is known.
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        height: Of the ground that the robot stands on [m].
        velocity: Asked for.
        time: How far ahead it counts [s].
    """
    relief = ground.measure_relief(*_sample_path(feet, velocity, time), height)
    return 1.0 if relief <= LEVEL_TOLERANCE else max(MIN_SPEED_RATIO, 1.0 - relief / MAX_RELIEF)


def apply_stop_hysteresis(before: float, free: float) -> float:
    """Return the ratio of a velocity to walk at, from what is free of the path now and the ratio that was walked at before."""
    return 0.0 if before == 0.0 and free < RESTART_RATIO else free


def _sample_path(feet: np.ndarray, velocity: WalkingVelocity, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where the soles come along the ground, from where they are on, without turning.

    Args:
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        velocity: Walked at.
        time: How far [s].

    Returns:
        Their middles seen from above, shape ``(steps, feet, 2)`` [m], and orientations, shape ``(steps, feet)`` [rad].
    """
    path = time * (make_axes(mean_yaw(feet)) @ [velocity.forward, velocity.sideways])
    fractions = _divide(float(np.linalg.norm(path)), SPACING)
    yaws = np.arctan2(feet[:, 1, 0], feet[:, 0, 0])
    return feet[:, :2, 3] + fractions[:, None, None] * path, np.tile(yaws, (len(fractions), 1))


def _divide(length: float, apart: float) -> np.ndarray:
    """Return the fractions of a path to check, from 0 to 1: the first is where the robot is."""
    return np.linspace(0.0, 1.0, 1 + math.ceil(length / apart)) if length > 0.0 else np.zeros(1)


def _round_down(free: int, count: int) -> float:
    """Return the ratio of a path of which so many positions of ``count`` are free, the first one not counted."""
    if free == count:
        return 1.0
    return round_down(max(0, free - 1) / (count - 1))


def round_down(ratio: float) -> float:
    """Return a ratio of a path that is free, rounded down to ``RATIO_STEPS`` so that it does not flicker."""
    return math.floor(RATIO_STEPS * ratio) / RATIO_STEPS
