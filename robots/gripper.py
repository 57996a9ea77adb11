"""A gripper: fingers that one drive closes."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field, model_validator

from handhold.robots.tables import Length, Positive, Table, Vector3

TIP_CLOSED = 0.85
"""Closing from which on the fingers are the tip that a hand braces with [-]; less far, they are open or hold something."""


MIN_TRAVEL = 1e-3
"""Least way of a finger from open to closed [m]."""


class Finger(Table):
    """Links of the URDF that move together as the gripper closes.

    Attributes:
        links: Their names; they are fixed to the gripper's frame in the URDF, or locked there.
        travel: How they move from open to closed, along the axes of the gripper's frame [m]. A finger on a parallelogram is
            taken for one that slides.
        mass: Of all of it [kg].
    """

    links: Annotated[tuple[str, ...], Field(min_length=1)]
    travel: Vector3
    mass: Positive = 0.1

    @model_validator(mode="after")
    def _travels(self) -> Finger:
        if math.hypot(*self.travel) < MIN_TRAVEL:
            raise ValueError(f"travel must be {MIN_TRAVEL:g} m or more: leave out what does not move")
        return self


class Gripper(Table):
    """A gripper at a hand; its drive's joint is no part of the robot's configuration.

    ``joint``, ``open`` and ``closed`` are for the drive of a real robot; simulations slide the fingers. Mimic joints of the
    URDF are not read: each finger says what moves together.

    Attributes:
        hand: Name of the effector that it is at: the tip of the closed gripper braces.
        frame: Frame of the URDF that carries it.
        joint: Joint of its drive, by its maker's name.
        open: Position of that joint where it is open; the URDF's links are locked there [rad or m].
        closed: The same where it is closed with nothing between the fingers [rad or m].
        effort: Force with which each finger presses at most [N].
        stroke_time: Time in which it closes at the least [s].
        fingers: What its drive moves.
    """

    hand: str
    frame: str
    joint: str
    open: float
    closed: float
    effort: Positive
    stroke_time: Annotated[Length, Field(ge=0.1, le=10.0)] = 0.6
    fingers: Annotated[tuple[Finger, ...], Field(min_length=1, max_length=5)]
