"""The person whom the robot follows with its whole body, at the robot's size and place, and what the robot lacks.

A thin skeleton that the robot does not hide: it is where the robot would be if nothing held it back.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import make_balls, repeat, write
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Lines
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import Lag, PersonReport
from handhold.robots.limit_words import spell_limit
from handhold.robots.model import RobotModel

BONE, JOINT = 0.012, 0.032
"""Width of a bone and diameter of a joint [m]."""

FAINT = 0.35
"""Opacity of a person to whom the robot is still on its way."""

TRUNK = 4
"""Joints of pelvis, spine and head: left out where one looks through the robot's own eyes, which are among them."""

LAG, DASH = 0.018, 0.02
"""Width of the line from a hand that lags to the person's, and length of its dashes [m]."""

ABOVE = np.array([0.0, 0.0, 0.13])
"""How far over the person's hand the words stand [m]."""

STEP = 0.05
"""Lags are told in steps of this [m], so that the words do not change all the time."""


def draw_person(person: PersonReport | None, *, from_inside: bool) -> tuple[Element, ...]:
    """Return the person's skeleton, fainter while the robot is on its way there.

    Args:
        person: The person, or None.
        from_inside: Whether the robot is seen from its own eyes: then only the person's arms are drawn.
    """
    if person is None or not is_sound(person):
        return ()
    first = TRUNK if from_inside else 0
    points, bones = person.points[first:], person.bones[(person.bones >= first).all(axis=1)] - first
    alpha = 1.0 if person.following else FAINT
    ends = points[bones].astype(np.float32)
    return (
        Lines(ends=ends, colors=repeat(palette.ENGAGED, alpha, len(bones)), width=BONE, in_front=True),
        make_balls(points, JOINT, repeat(palette.ENGAGED, alpha, len(points)), in_front=True),
    )


def draw_lags(person: PersonReport | None, effectors: np.ndarray, model: RobotModel) -> tuple[Element, ...]:
    """Return a dashed line from each hand that lags to where the person's is, with how far that is and what holds it back.

    Args:
        person: The person, or None.
        effectors: Poses of the effectors in world, shape ``(effectors, 4, 4)``.
        model: The robot.
    """
    if person is None or not is_sound(person):
        return ()
    lags = [lag for lag in person.lags if 0 <= lag.effector < len(effectors) and 0 <= lag.point < len(person.points)]
    if not lags:
        return ()
    goals = person.points[[lag.point for lag in lags]]
    ends = np.stack([effectors[[lag.effector for lag in lags], :3, 3], goals], axis=1).astype(np.float32)
    plate = to_linear(palette.ALARM, 0.9)
    return (
        Lines(ends=ends, colors=repeat(palette.ALARM, 1.0, len(lags)), width=LAG, in_front=True, dash=DASH),
        *(write(_label(lag, model), goal + ABOVE, plate=plate) for lag, goal in zip(lags, goals, strict=True)),
    )


def describe_lags(snapshot: Snapshot, model: RobotModel) -> list[str]:
    """Return what the robot cannot follow, by limb, in words: ``left hand stays 10 cm behind yours (left elbow torque)``."""
    return [
        f"{lag.part} stays {say_distance(lag.distance)} behind yours{_say_limit(lag, model, ' ({})')}"
        for lag in _list_lags(snapshot)
    ]


def list_lags(snapshot: Snapshot, model: RobotModel) -> list[str]:
    """Return the same in short lines."""
    return [
        f"{lag.part} {say_distance(lag.distance)} behind yours" + _say_limit(lag, model, "\n({})")
        for lag in _list_lags(snapshot)
    ]


def _list_lags(snapshot: Snapshot) -> tuple[Lag, ...]:
    return () if snapshot.report.person is None else snapshot.report.person.lags


def say_distance(distance: float) -> str:
    """Return a distance [m] in words, in steps."""
    return f"{100.0 * STEP * max(1, round(distance / STEP)):.0f} cm" if math.isfinite(distance) else "far"


def is_sound(person: PersonReport) -> bool:
    """Say whether a person can be drawn."""
    points, bones = person.points, person.bones
    if points.ndim != 2 or points.shape[1:] != (3,) or bones.ndim != 2 or bones.shape[1:] != (2,):
        return False
    known = np.isfinite(points).all() and (bones >= 0).all() and (bones < len(points)).all()
    return bool(known) and len(points) > 0


def _label(lag: Lag, model: RobotModel) -> str:
    return f"{say_distance(lag.distance)}" + _say_limit(lag, model, "\n{}")


def _say_limit(lag: Lag, model: RobotModel, form: str) -> str:
    """Return what holds a limb back, the nearest of its limits, in a form of words; empty where none does."""
    return form.format(spell_limit(model, lag.limits[0])) if lag.limits else ""
