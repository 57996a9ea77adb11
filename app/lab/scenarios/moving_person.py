"""A person who does one motion after the other at random, and stands in between when nothing is asked for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.app.lab.scenarios.kinematic_human import HumanPose, blend_poses, make_human
from handhold.devices.tracked_human import TrackedHuman

SUIT_RATE = 60.0
"""Samples of the suit [Hz], as MVN streams them."""

RETURN_TIME = 1.5
"""Time in which the person comes to stand again once no motion is asked for [s]."""

SPEEDS = (0.5, 1.5)
"""How fast the motions are, against those of a person who is not in a hurry [-]."""

_UPRIGHT = HumanPose()
Motions = Mapping[str, tuple[tuple[float, HumanPose], ...]]
"""Postures one after the other, each with the time to get there at ease [s], by the motion's name."""

MOTIONS: Motions = {
    "reach": ((1.0, HumanPose(left_flexion=1.4, left_elbow=0.15, twist=-0.25, forward=0.03)), (1.0, _UPRIGHT)),
    "reach across": (
        (1.0, HumanPose(right_flexion=1.1, right_abduction=-0.4, right_elbow=0.4, twist=0.4)),
        (1.0, _UPRIGHT),
    ),
    "squat": ((1.6, HumanPose(drop=0.3, forward=-0.02, bend=0.35, left_flexion=1.2, right_flexion=1.2)), (1.6, _UPRIGHT)),
    "twist": ((1.0, HumanPose(twist=0.6, turn=0.1)), (1.6, HumanPose(twist=-0.6, turn=-0.1)), (1.0, _UPRIGHT)),
    "lean": ((1.2, HumanPose(lean=0.35, left=-0.03)), (1.6, HumanPose(lean=-0.35, left=0.03)), (1.2, _UPRIGHT)),
    "shift": ((1.0, HumanPose(left=0.08)), (1.4, HumanPose(left=-0.08)), (1.0, _UPRIGHT)),
    "one foot": (
        (1.2, HumanPose(left=0.09)),
        (1.0, HumanPose(left=0.09, right_lift=0.12)),
        (5.0, HumanPose(left=0.09, right_lift=0.12, left_abduction=0.3)),
        (1.0, HumanPose(left=0.09)),
        (4.0, HumanPose(left=0.085)),
        (1.2, _UPRIGHT),
    ),
    "wave": (
        (1.0, HumanPose(right_flexion=1.5, right_abduction=0.8, right_elbow=1.4)),
        (0.4, HumanPose(right_flexion=1.5, right_abduction=0.4, right_elbow=1.6)),
        (0.4, HumanPose(right_flexion=1.5, right_abduction=0.9, right_elbow=1.3)),
        (0.4, HumanPose(right_flexion=1.5, right_abduction=0.4, right_elbow=1.6)),
        (1.0, _UPRIGHT),
    ),
    "pick up": (
        (1.8, HumanPose(drop=0.38, forward=-0.05, pitch=0.2, bend=0.6, left_flexion=1.0, right_flexion=1.0, nod=0.2)),
        (0.6, HumanPose(drop=0.38, forward=-0.05, pitch=0.2, bend=0.6, left_flexion=0.9, right_flexion=0.9, nod=0.2)),
        (1.8, HumanPose(left_flexion=0.6, right_flexion=0.6, left_elbow=1.2, right_elbow=1.2)),
        (1.0, _UPRIGHT),
    ),
}
"""What the person does unless told otherwise."""


class MovingPerson:
    """The person, as a suit would tell."""

    def __init__(self, random: np.random.Generator, motions: Motions = MOTIONS, speeds: tuple[float, float] = SPEEDS) -> None:
        """Stand.

        Args:
            random: Draws motions and how fast they are.
            motions: What to draw from.
            speeds: The slowest and the fastest, against those of a person who is not in a hurry [-].
        """
        self._random, self._motions, self._speeds = random, tuple(motions.values()), speeds
        self._start = self._end = _UPRIGHT
        self._begun, self._duration = 0.0, 0.0
        self._left: list[tuple[float, HumanPose]] = []
        self._sample, self._human = -1, make_human(_UPRIGHT, 0.0, 0)

    def track(self, time: float, *, moves: bool) -> TrackedHuman:
        """Return the newest sample at a time [s]; a person who is not to move goes on to stand upright."""
        sample = int(time * SUIT_RATE)
        if sample > self._sample:
            self._sample = sample
            self._human = make_human(self._move(sample / SUIT_RATE, moves=moves), sample / SUIT_RATE, sample)
        return self._human

    def _move(self, time: float, *, moves: bool) -> HumanPose:
        if not moves and self._end is not _UPRIGHT:
            self._start = self._find_pose(time)
            self._begun, self._duration, self._end, self._left = time, RETURN_TIME, _UPRIGHT, []
        elif moves and time >= self._begun + self._duration:
            self._begin_next(time)
        return self._find_pose(time)

    def _find_pose(self, time: float) -> HumanPose:
        elapsed = time - self._begun
        return self._end if elapsed >= self._duration else blend_poses(self._start, self._end, elapsed / self._duration)

    def _begin_next(self, time: float) -> None:
        if not self._left:
            speed = self._random.uniform(*self._speeds)
            motion = self._motions[int(self._random.integers(len(self._motions)))]
            self._left = [(duration / speed, pose) for duration, pose in motion]
        self._start, self._begun = self._end, time
        self._duration, self._end = self._left.pop(0)
