"""What is taken from the samples of a tracked person, and what is refused."""

from __future__ import annotations

import math

import numpy as np

from handhold.devices.tracked_human import Segment, TrackedHuman

MAX_SPEED, MAX_RATE = 8.0, 25.0
"""Speed of a segment against the pelvis [m/s], and rate of turn of any [rad/s], beyond which a sample is refused: who throws
something moves a hand by 7 m/s, and turns a forearm by 20 rad/s."""

MAX_JUMP, MAX_TURN = 0.08, 0.35
"""What is allowed besides from one sample to the next [m], [rad]: times of arrival say little of when a sample was taken."""

MAX_ELAPSED = 0.03
"""Time between two samples beyond which no more is allowed [s]: what has jumped stays refused until the person is lost, and
does not become possible with time."""

LOST_AFTER = 0.25
"""Time without an accepted sample from which on the person is lost [s]: half of the samples are lost at times, three in a row
at 60 Hz take 0.07 s."""

MAX_AGE = 0.3
"""Age at which the station sends a sample from which on it is refused [s]: a stream that is late moves nothing."""

MAX_DISTANCE = 100.0
"""Largest distance of a segment from the room's origin [m]."""

UNIT_TOLERANCE = 1e-3
"""How far a quaternion's length may be from 1 [-]."""


class HumanScreen:
    """Screens the samples of one person as they come.

    Attributes:
        human: The sample accepted last; None while the person is lost.
        losses: How often a person was lost so far: who comes back within one look is somebody new all the same.
        refused: Samples refused so far.
        fault: Why the newest sample was refused; empty where it was accepted, and while nothing comes.
    """

    def __init__(self) -> None:
        """Begin without a person."""
        self.human: TrackedHuman | None = None
        self.losses = self.refused = 0
        self.fault = ""
        self._heard: tuple[str, int] | None = None
        # The newest sample with each segment as it was tracked last.
        self._seen: TrackedHuman | None = None
        self._silence = 0.0

    def update(self, human: TrackedHuman | None, now: float, dt: float) -> None:
        """Take the newest sample, which may be that of before; time [s] passes.

        Args:
            human: The sample; None where nobody is tracked.
            now: Clock of the station when it sent the sample [s].
            dt: Time since the last call [s].
        """
        self._silence += dt
        if human is not None and (human.suit, human.sequence) != self._heard:
            self._heard = (human.suit, human.sequence)
            self.fault = self._find_fault(human, now)
            if not self.fault:
                self.human, self._seen, self._silence = human, _remember(human, self._seen), 0.0
                return
            self.refused += 1
        if self._silence >= LOST_AFTER:
            self.losses += self.human is not None
            self.human = self._seen = None
            self.fault = ""

    def _find_fault(self, human: TrackedHuman, now: float) -> str:
        if fault := find_unsound(human):
            return fault
        if now - human.time > MAX_AGE:
            return "it comes late"
        accepted = self.human
        if accepted is not None and human.suit == accepted.suit and human.sequence < accepted.sequence:
            return "out of order"
        return "" if self._seen is None else find_jump(human, self._seen)


def find_unsound(human: TrackedHuman) -> str:
    """Say why a sample is none of a person, in a few words; empty where it is one."""
    count = len(Segment)
    shapes = (human.positions.shape, human.orientations.shape, human.tracked.shape)
    doubles = human.positions.dtype == np.float64 and human.orientations.dtype == np.float64
    if shapes != ((count, 3), (count, 4), (count,)) or not doubles or human.tracked.dtype != np.bool_:
        return "not the segments of a person"
    com = human.position_com
    if com is not None and (com.shape != (3,) or com.dtype != np.float64 or not np.abs(com).max() < MAX_DISTANCE):
        return "centre of mass is not a number, or far away"
    if not (np.abs(human.positions).max() < MAX_DISTANCE and np.isfinite(human.orientations).all()):
        return "a segment is not a number, or far away"
    if np.abs(np.linalg.norm(human.orientations, axis=1) - 1.0).max() > UNIT_TOLERANCE:
        return "an orientation is none"
    return "" if math.isfinite(human.time) else "its time is none"


def find_jump(human: TrackedHuman, seen: TrackedHuman) -> str:
    """Say why nobody can have moved so, in a few words; empty where somebody can.

    Args:
        human: The sample.
        seen: The one before, with each segment as it was tracked last: one that was hidden may not come back elsewhere.
    """
    if seen.suit != human.suit:
        return ""
    both = human.tracked & seen.tracked
    anchor = Segment.PELVIS if both[Segment.PELVIS] else Segment.HEAD
    elapsed = min(max(0.0, human.time - seen.time), MAX_ELAPSED)
    step = (human.positions - human.positions[anchor] - seen.positions + seen.positions[anchor])[both]
    if step.size and float(np.linalg.norm(step, axis=1).max()) > MAX_JUMP + MAX_SPEED * elapsed:
        return "a segment jumps"
    cosines = np.abs(np.sum(human.orientations[both] * seen.orientations[both], axis=1))
    if cosines.size and 2.0 * float(np.arccos(min(1.0, cosines.min()))) > MAX_TURN + MAX_RATE * elapsed:
        return "a segment turns too far"
    return ""


def _remember(human: TrackedHuman, seen: TrackedHuman | None) -> TrackedHuman:
    """Return a sample with the segments that it lacks as they were tracked last, against the pelvis."""
    if human.tracked.all() or seen is None or seen.suit != human.suit:
        return human
    hidden = seen.tracked & ~human.tracked
    anchor = Segment.PELVIS if human.tracked[Segment.PELVIS] else Segment.HEAD
    positions, orientations = human.positions.copy(), human.orientations.copy()
    positions[hidden] = (seen.positions - seen.positions[anchor] + human.positions[anchor])[hidden]
    orientations[hidden] = seen.orientations[hidden]
    return TrackedHuman(
        time=human.time,
        sequence=human.sequence,
        suit=human.suit,
        positions=positions,
        orientations=orientations,
        tracked=human.tracked | hidden,
    )
