"""A person whose limbs are tracked, whatever tracks them."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from handhold.devices.frame_value import frame_value


class Segment(IntEnum):
    """Segments of a person, in the order of the MVN skeleton; the number is the row in arrays of all segments."""

    PELVIS = 0
    L5 = 1
    L3 = 2
    T12 = 3
    T8 = 4
    NECK = 5
    HEAD = 6
    RIGHT_SHOULDER = 7
    RIGHT_UPPER_ARM = 8
    RIGHT_FOREARM = 9
    RIGHT_HAND = 10
    LEFT_SHOULDER = 11
    LEFT_UPPER_ARM = 12
    LEFT_FOREARM = 13
    LEFT_HAND = 14
    RIGHT_UPPER_LEG = 15
    RIGHT_LOWER_LEG = 16
    RIGHT_FOOT = 17
    RIGHT_TOE = 18
    LEFT_UPPER_LEG = 19
    LEFT_LOWER_LEG = 20
    LEFT_FOOT = 21
    LEFT_TOE = 22


@frame_value
class TrackedHuman:
    """One sample of a person, in a room of the suit's own: metres, z up.

    The origin of a segment is the joint by which it hangs on the one before (the pelvis': between the hips; a foot's: the
    ankle; a hand's: the wrist). The axes of all segments are the room's when the person stands in a T-pose and faces x.

    Attributes:
        time: Monotonic clock of the station when the sample was taken, as nearly as is known [s].
        sequence: Number of the sample within this run of the suit.
        suit: Name of the suit and, within a suit, of its run and its person: another name means that poses before and after
            cannot be compared.
        positions: Origins of the segments, in the order of ``Segment``, shape ``(23, 3)`` [m].
        orientations: Unit quaternions (x, y, z, w) that turn a segment's axes into the room's, shape ``(23, 4)``.
        tracked: Which segments are known, shape ``(23,)``, bool; the rows of others are zeros, and the identity.
        left_foot_in_contact: Whether the suit says that the left foot stands; None where it does not know.
        right_foot_in_contact: The same of the right foot.
        position_com: Centre of mass that the suit reckons, shape ``(3,)`` [m]; None where it does not.
        quality: How far the suit trusts its sample, 0 to 1.
    """

    time: float
    sequence: int
    suit: str
    positions: np.ndarray
    orientations: np.ndarray
    tracked: np.ndarray
    left_foot_in_contact: bool | None = None
    right_foot_in_contact: bool | None = None
    position_com: np.ndarray | None = None
    quality: float = 1.0
