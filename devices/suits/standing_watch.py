"""How tall somebody is, and where they face, learnt from head and hands while they stand with hanging arms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.devices.suits.body_model import DEFAULT_HEIGHT

EYE_HEIGHT = 0.936
"""Height of the eyes over the floor, in heights of a person [-] [Winter2009]_.

.. [Winter2009] D. A. Winter, Biomechanics and Motor Control of Human Movement, 4th edition, 2009, figure 4.1.
"""

EYES_RANGE = (0.9, 2.2)
"""Heights of eyes that are believed [m]: beyond, the room's floor is not known, and the person is one of average height."""

HELD, STILL = 1.0, 0.03
"""For how long head and hands have to be still [s], and within what [m]."""

HANGING = 0.6
"""Height of a hand that hangs, in heights of the eyes [-]: a knuckle is at 0.42, an elbow at 0.67."""

RISEN = 0.05
"""How much higher the eyes have to be than they were for the person to be measured anew [m]: somebody sat, and stands up."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Standing:
    """Somebody who stood upright.

    Attributes:
        height: Of the person [m].
        floor: Height of the floor in the room [m].
        eyes: Pose of the head at that time.
        hands: Grips of the left and the right hand at that time; None where they did not hang, or were not seen.
        heading: Where the person faced, about the vertical from x of the room [rad].
    """

    height: float
    floor: float
    eyes: pin.SE3
    hands: tuple[pin.SE3, pin.SE3] | None
    heading: float


class StandingWatch:
    """Watches head and hands for somebody who stands.

    Attributes:
        standing: The person; None before the first sample. Who has not stood still yet is as tall as the eyes are high.
    """

    def __init__(self) -> None:
        """Begin to watch."""
        self.standing: Standing | None = None
        self._points = np.full((3, 3), math.inf)
        self._since = 0.0

    def update(self, time: float, eyes: pin.SE3, hands: tuple[pin.SE3 | None, pin.SE3 | None]) -> Standing:
        """Take a sample; return the person, another object where something was learnt.

        Args:
            time: Of the sample [s].
            eyes: Pose of the head.
            hands: Grips of the left and the right hand; None where they are not tracked.
        """
        known = self.standing
        if known is None:
            known = self.standing = measure_standing(eyes, None)
        left, right = hands
        if left is None or right is None:
            self._since = math.inf
            return known
        points = np.stack([eyes.translation, left.translation, right.translation])
        if self._since > time or not (np.abs(points - self._points) < STILL).all():
            self._points, self._since = points, time
        rose = float(eyes.translation[2] - known.eyes.translation[2]) > RISEN
        if time - self._since >= HELD and (known.hands is None or rose):
            new = measure_standing(eyes, (left, right))
            if (points[1:, 2] - new.floor < HANGING * EYE_HEIGHT * new.height).all():
                known = self.standing = new
        return known


def measure_standing(eyes: pin.SE3, hands: tuple[pin.SE3, pin.SE3] | None) -> Standing:
    """Return somebody who stands upright.

    Args:
        eyes: Pose of the head.
        hands: Grips of the left and the right hand, which hang; None where that is not known.
    """
    high = float(eyes.translation[2])
    believed = EYES_RANGE[0] <= high <= EYES_RANGE[1]
    height = high / EYE_HEIGHT if believed else DEFAULT_HEIGHT
    return Standing(
        height=height,
        floor=high - EYE_HEIGHT * height,
        eyes=eyes,
        hands=hands,
        heading=_find_heading(eyes, hands),
    )


def read_facing(rotation: np.ndarray) -> float:
    """Return where a head faces, about the vertical from x of the room [rad]: the rotation's twist, whatever its tilt."""
    quaternion = pin.Quaternion(np.ascontiguousarray(rotation))
    return math.remainder(2.0 * math.atan2(quaternion.z, quaternion.w), math.tau)


def _find_heading(eyes: pin.SE3, hands: tuple[pin.SE3, pin.SE3] | None) -> float:
    """Return where somebody faces: in the middle between where the head does, and across the line between hanging hands."""
    facing = read_facing(eyes.rotation)
    if hands is None:
        return facing
    across = hands[0].translation - hands[1].translation
    between = math.remainder(math.atan2(-across[0], across[1]) - facing, math.tau)
    return math.remainder(facing + 0.5 * between, math.tau)
