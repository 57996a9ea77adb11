"""From how sensors are turned to how a person's segments are, by a pose in which he stands with hanging arms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.devices.suits.skeleton import conjugate, join_in_time, multiply, rotate
from handhold.devices.suits.suit_errors import SuitMissing
from handhold.devices.tracked_human import Segment

LEAST_SAMPLES = 20
MAX_MOTION = np.radians(3.0)
"""How far a sensor may turn from its mean while the pose is held [rad]."""

_HALF = np.sqrt(0.5)
_HANGING = {"LEFT": (-_HALF, 0.0, 0.0, _HALF), "RIGHT": (_HALF, 0.0, 0.0, _HALF)}
_ARMS = ("UPPER_ARM", "FOREARM", "HAND")

_STAND_INS = {
    Segment.NECK: (Segment.T8, Segment.HEAD),
    Segment.HEAD: (Segment.T8,),
    Segment.RIGHT_SHOULDER: (Segment.T8,),
    Segment.LEFT_SHOULDER: (Segment.T8,),
    Segment.RIGHT_HAND: (Segment.RIGHT_FOREARM,),
    Segment.LEFT_HAND: (Segment.LEFT_FOREARM,),
    Segment.RIGHT_FOOT: (Segment.RIGHT_LOWER_LEG,),
    Segment.LEFT_FOOT: (Segment.LEFT_LOWER_LEG,),
    Segment.RIGHT_TOE: (Segment.RIGHT_FOOT,),
    Segment.LEFT_TOE: (Segment.LEFT_FOOT,),
}
"""Segments that a sensor may be missing for, and whose turns then stand for theirs (half of each of two)."""

NEEDED = tuple(
    segment for segment in Segment if segment not in _STAND_INS and segment not in (Segment.L5, Segment.L3, Segment.T12)
)
"""Segments that must have a sensor: pelvis, chest, and both parts of arms and legs."""


def hanging_pose() -> np.ndarray:
    """Return how segments are turned in a pose with hanging arms that faces x, palms inwards, shape ``(23, 4)``."""
    turned = np.tile([0.0, 0.0, 0.0, 1.0], (len(Segment), 1))
    for side, quaternion in _HANGING.items():
        for part in _ARMS:
            turned[Segment[f"{side}_{part}"]] = quaternion
    return turned


class SensorCalibration:
    """Turns sensors' orientations into segments'.

    While the pose N is held, sensor i of segment s is turned by ``R_i(N)``, and the segment as that pose has it. Both are
    fixed to each other, so that at any other time, with ``H`` the turn about the vertical by where the person faced,

        R_s(t) = H^-1 R_i(t) R_i(N)^-1 H R_s(N)

    Where he faced is told by the sensor of the pelvis, worn on the back with its label outwards: its z axis points backwards.
    """

    def __init__(self, held: Mapping[Segment, np.ndarray]) -> None:
        """Calibrate.

        Args:
            held: Orientations of each segment's sensor meanwhile, unit quaternions (x, y, z, w), shape ``(n, 4)``.

        Raises:
            SuitMissing: A sensor is missing, told too little, or moved.
        """
        missing = [segment.name.lower().replace("_", " ") for segment in NEEDED if segment not in held]
        if missing:
            raise SuitMissing(f"no sensor tells of {', '.join(missing)}; put them on, or name them")
        means = {segment: _average(segment, samples) for segment, samples in held.items()}
        self._segments = list(means)
        backwards = rotate(means[Segment.PELVIS], np.array([0.0, 0.0, 1.0]))
        if np.hypot(backwards[0], backwards[1]) < 0.5:
            raise SuitMissing("the sensor of the pelvis lies flat; wear it upright on the back, its label outwards")
        yaw = np.arctan2(-backwards[1], -backwards[0])
        self._heading = np.array([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)])
        pose = hanging_pose()[self._segments]
        self._after = multiply(conjugate(np.array(list(means.values()))), multiply(self._heading, pose))

    def turn(self, sensors: Mapping[Segment, np.ndarray]) -> np.ndarray:
        """Return how all segments are turned, unit quaternions (x, y, z, w), shape ``(23, 4)``.

        Args:
            sensors: Orientation of each segment's sensor, those that were calibrated.
        """
        now = np.array([sensors[segment] for segment in self._segments])
        turned = np.tile([0.0, 0.0, 0.0, 1.0], (len(Segment), 1))
        turned[self._segments] = multiply(conjugate(self._heading), multiply(now, self._after))
        for number, between in enumerate((Segment.L5, Segment.L3, Segment.T12), 1):
            turned[between] = _mix(turned[Segment.PELVIS], turned[Segment.T8], number / 4.0)
        for segment, others in sorted(_STAND_INS.items(), key=lambda each: (len(each[1]), each[0])):
            if segment not in self._segments:
                turned[segment] = _mix(turned[others[0]], turned[others[-1]], 0.5)
        return turned


def _average(segment: Segment, samples: np.ndarray) -> np.ndarray:
    name = segment.name.lower().replace("_", " ")
    if len(samples) < LEAST_SAMPLES:
        raise SuitMissing(
            f"the sensor of the {name} told {len(samples)} times where {LEAST_SAMPLES} are needed; look at its radio"
        )
    mean = join_in_time(samples).mean(axis=0)
    mean /= np.linalg.norm(mean)
    farthest = 2.0 * np.arccos(np.clip(np.abs(samples @ mean), 0.0, 1.0).min())
    if farthest > MAX_MOTION:
        raise SuitMissing(f"the {name} moved by {np.degrees(farthest):.0f} degrees while the pose was to be held; stand still")
    result: np.ndarray = mean
    return result


def _mix(one: np.ndarray, other: np.ndarray, share: float) -> np.ndarray:
    mixed = (1.0 - share) * one + share * (other if one @ other >= 0.0 else -other)
    result: np.ndarray = mixed / np.linalg.norm(mixed)
    return result
