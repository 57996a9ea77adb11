"""What a headset and two controllers see of a person of our own making: head and hands, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.kinematic_human import STATURE
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.tracked_human import Segment, TrackedHuman

EYES_IN_HEAD = np.array([0.09, 0.0, 0.14])
"""Where the eyes are in the axes of the head [m]: 1.64 m high, as those of people of that stature are."""

GRIP = 0.04 * STATURE
"""From the wrist to the middle of what a hand grips [m]."""


def see_headset(human: TrackedHuman, origin: int = 0) -> OperatorSample:
    """Return what a headset tells of a person who wears it.

    Args:
        human: The person, in the room of a suit, which is that of the headset.
        origin: Counts recentrings of the headset.
    """
    return OperatorSample(
        time=human.time,
        sequence=human.sequence,
        device="headset",
        origin=origin,
        head=_place(human, Segment.HEAD, np.eye(3), EYES_IN_HEAD),
        left=_hold(human, Segment.LEFT_HAND, 1.0),
        right=_hold(human, Segment.RIGHT_HAND, -1.0),
    )


def _hold(human: TrackedHuman, hand: Segment, side: float) -> HandSample:
    """Return a hand whose grip has the room's axes while the arm hangs."""
    grip = pin.utils.rotate("x", side * 0.5 * math.pi)
    return HandSample(pose=_place(human, hand, grip, np.array([0.0, side * GRIP, 0.0])))


def _place(human: TrackedHuman, segment: Segment, rotation: np.ndarray, offset: np.ndarray) -> pin.SE3:
    pose = pin.SE3(pin.Quaternion(human.orientations[segment]).toRotationMatrix(), human.positions[segment])
    return pose * pin.SE3(rotation, offset)
