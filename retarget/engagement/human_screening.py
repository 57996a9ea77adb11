"""What is taken from the samples of a tracked person, and what is refused."""

from __future__ import annotations

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

MAX_DISTANCE = 100.0
"""Largest distance of a segment from the room's origin [m]."""

UNIT_TOLERANCE = 1e-3
"""How far a quaternion's length may be from 1 [-]."""


class HumanScreen:
    """Screens the samples of one person as they come.

    Attributes:
        human: The sample accepted last; None while the person is lost.
        refused: Samples refused so far.
        fault: Why the newest sample was refused; empty where it was accepted.
    """

    def __init__(self) -> None:
        """Begin without a person."""
        self.human: TrackedHuman | None = None
        self.refused = 0
        self.fault = ""
        self._last: TrackedHuman | None = None
        self._silence = 0.0

    def update(self, human: TrackedHuman | None, dt: float) -> None:
        """Take the newest sample, which may be that of before; time [s] passes.

        Args:
            human: The sample; None where nobody is tracked.
            dt: Time since the last call [s].
        """
        if human is not None and not self._repeats(human):
            self._last = human
            self.fault = find_fault(human, self.human)
            if not self.fault:
                self.human, self._silence = human, 0.0
                return
            self.refused += 1
        self._silence += dt
        if self._silence >= LOST_AFTER:
            self.human = None

    def _repeats(self, human: TrackedHuman) -> bool:
        last = self._last
        return last is not None and human.suit == last.suit and human.sequence <= last.sequence


def find_fault(human: TrackedHuman, before: TrackedHuman | None) -> str:
    """Say why a sample of a person must be refused.

    Args:
        human: The sample.
        before: That accepted last; None where there is none to compare with.

    Returns:
        What is wrong, in a few words; empty where the sample is sound.
    """
    if fault := _find_unsound(human):
        return fault
    if before is None or before.suit != human.suit:
        return ""
    both = human.tracked & before.tracked
    elapsed = min(max(0.0, human.time - before.time), MAX_ELAPSED)
    step = _relate(human)[both] - _relate(before)[both]
    if step.size and float(np.linalg.norm(step, axis=1).max()) > MAX_JUMP + MAX_SPEED * elapsed:
        return "a segment jumps"
    cosines = np.abs(np.sum(human.orientations[both] * before.orientations[both], axis=1))
    if cosines.size and 2.0 * float(np.arccos(min(1.0, cosines.min()))) > MAX_TURN + MAX_RATE * elapsed:
        return "a segment turns too far"
    return ""


def _find_unsound(human: TrackedHuman) -> str:
    count = len(Segment)
    shapes = (human.positions.shape, human.orientations.shape, human.tracked.shape)
    if shapes != ((count, 3), (count, 4), (count,)) or human.tracked.dtype != np.bool_:
        return "not the segments of a person"
    com = human.position_com
    if com is not None and (com.shape != (3,) or not np.abs(com).max() < MAX_DISTANCE):
        return "centre of mass is not a number, or far away"
    if not (np.abs(human.positions).max() < MAX_DISTANCE and np.isfinite(human.orientations).all()):
        return "a segment is not a number, or far away"
    if np.abs(np.linalg.norm(human.orientations, axis=1) - 1.0).max() > UNIT_TOLERANCE:
        return "an orientation is none"
    return ""


def _relate(human: TrackedHuman) -> np.ndarray:
    """Return positions against the pelvis, or where that is not tracked, the head: a room that jumps shows in neither."""
    anchor = Segment.PELVIS if human.tracked[Segment.PELVIS] else Segment.HEAD
    return np.asarray(human.positions - human.positions[anchor])
