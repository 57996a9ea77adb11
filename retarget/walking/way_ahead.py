"""How much of the way ahead a robot can walk on what is known of the ground, and how fast.

A robot that is told to stop still goes as far as two steps take it, and further if it is pushed. So far ahead its soles must
find nothing that is known to be too high or too low to stand on: a drop, a box, a table. What is unknown is taken for ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.retarget.walking.entry import mean_yaw
from handhold.retarget.walking.foothold_choice import choose_foothold, find_aside
from handhold.retarget.walking.foothold_costs import EVEN
from handhold.retarget.walking.footsteps import WalkingVelocity, plan_footsteps
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.stride import Stance, list_strides, make_axes
from handhold.robots.description import Walking

APART = 0.05
"""Largest distance between two places on the way that are looked at [m]: thinner than the soles are long."""

ANGLE_APART = 0.1
"""The same of a turn in place [rad]."""

STEPS_AHEAD = 3
"""Footsteps ahead for which something must bear them: as many as a robot still makes that is told to stop [-]."""

PROGRESS = 0.3
"""Part of the way that a footstep must go at least, where it is put elsewhere than asked for [-]."""

PARTS = 8
"""Parts of a velocity that may be walked at: what is free of the way is rounded down, so that it does not flicker."""

ENOUGH = 0.25
"""Share of a velocity from which on a robot that has stopped before the ground ahead walks on [-].

A foot in the air is further ahead than where the robot comes to stand: with less it would begin and stop time and again.
"""

TOO_MUCH = 0.16
"""Difference in height of the ground ahead at which there were no speed left [m]: half is at two steps of 4 cm."""

SLOWEST = 0.25
"""Least share of its speed that a robot keeps for that [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A velocity, and how the robot walks that is asked for it."""

    velocity: WalkingVelocity
    gait: Walking


def find_free_shares(
    ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float
) -> tuple[float, float]:
    """Find the shares of a velocity with which the soles stay on what one can stand on, along the ground and turning.

    Args:
        ground: What is known.
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        height: Of the ground that the robot stands on [m]; a foot may be in the air.
        velocity: Asked for.
        time: How far ahead of where the robot is it must be free [s].

    Returns:
        0 to 1 in steps of an eighth each: 1 where all the way is free.
    """
    along = _go_along(feet, velocity, time)
    straight = ground.count_free(*along, height)
    places, yaws = along[0][0], along[1][0]
    angle = time * velocity.turning
    angles = angle * _divide(abs(angle), ANGLE_APART)
    middle = places.mean(axis=0)
    turned = middle + np.array([(places - middle) @ make_axes(angle).T for angle in angles])
    turning = ground.count_free(turned, yaws + angles[:, None], height)
    return _round_down(straight, len(along[0])), _round_down(turning, len(angles))


def find_clear_share(ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float) -> float:
    """Find the share of a velocity with which the soles stay before what is too high, as ``find_free_shares``.

    One may step over what lies too low, if there is a foothold beyond, but not over a box or under a table.
    """
    along = _go_along(feet, velocity, time)
    return _round_down(ground.count_free(*along, height, drops=False), len(along[0]))


def find_stepping_share(ground: GroundMap, stance: Stance, side: float, walk: Walk) -> float:
    """Find the share of a velocity at which the next footsteps find what bears them, one after the other.

    Args:
        ground: What is known.
        stance: Where the robot is.
        side: Of the foot that bears.
        walk: Velocity asked for, and how the robot walks.

    Returns:
        0 where the next footstep finds nothing, 1 where all ``STEPS_AHEAD`` find something.
    """
    # One more than are looked at: every one is chosen with a view to the next.
    plan = plan_footsteps(walk.velocity, side, stance.angle, STEPS_AHEAD + 1, walk.gait)
    direction = walk.velocity.direction
    for k in range(STEPS_AHEAD):
        strides = list_strides(plan, direction, k)
        chosen = choose_foothold(ground, stance, strides)
        if chosen is None or not chosen.goes_on:
            return k / STEPS_AHEAD
        if not _gets_on(stance.axes.T @ (chosen.place - stance.support), strides[0].wanted, direction):
            return k / STEPS_AHEAD
        height = ground.find_foothold(chosen.place, strides[0].angle, stance.height).height
        off = chosen.place - stance.support - stance.axes @ strides[0].wanted
        aside = stance.aside + find_aside(off, stance.angle, direction)
        stance = Stance(support=chosen.place, angle=strides[0].angle, height=height, lifted=stance.height, aside=aside)
    return 1.0


def _gets_on(displacement: np.ndarray, wanted: np.ndarray, direction: np.ndarray) -> bool:
    """Whether a footstep goes some of the way that is asked for, and not only stays on what bears."""
    return float(displacement @ direction) >= PROGRESS * float(wanted @ direction) - 1e-9


def find_pace(ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float) -> float:
    """Find how fast a robot may walk over what goes up and down ahead, steps or a slope, as a share of its largest speed.

    A leg that climbs has less time to go forward, and throws the body about by its inertia; the longer the step the more.

    Args:
        ground: What is known.
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        height: Of the ground that the robot stands on [m].
        velocity: Asked for.
        time: How far ahead it counts [s].
    """
    relief = ground.measure_relief(*_go_along(feet, velocity, time), height)
    return 1.0 if relief <= EVEN else max(SLOWEST, 1.0 - relief / TOO_MUCH)


def keep_stopped(before: float, free: float) -> float:
    """Return the share of a velocity to walk at, of what is free of the way now and of the share that was walked at before."""
    return 0.0 if before == 0.0 and free < ENOUGH else free


def _go_along(feet: np.ndarray, velocity: WalkingVelocity, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return where the soles come along the ground, from where they are on, without turning.

    Args:
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        velocity: Walked at.
        time: How far [s].

    Returns:
        Their middles seen from above, shape ``(steps, feet, 2)`` [m], and orientations, shape ``(steps, feet)`` [rad].
    """
    way = time * (make_axes(mean_yaw(feet)) @ [velocity.forward, velocity.sideways])
    fractions = _divide(float(np.linalg.norm(way)), APART)
    yaws = np.arctan2(feet[:, 1, 0], feet[:, 0, 0])
    return feet[:, :2, 3] + fractions[:, None, None] * way, np.tile(yaws, (len(fractions), 1))


def _divide(length: float, apart: float) -> np.ndarray:
    """Return the fractions of a way at which to look, from 0 to 1: the first is where the robot is."""
    return np.linspace(0.0, 1.0, 1 + math.ceil(length / apart)) if length > 0.0 else np.zeros(1)


def _round_down(free: int, count: int) -> float:
    """Return the share of a way of which so many places of ``count`` are free, the first one not counted."""
    if free == count:
        return 1.0
    return math.floor(PARTS * max(0, free - 1) / (count - 1)) / PARTS
