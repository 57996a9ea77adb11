"""Which samples of a stream are newer, late, or of another run of the suit."""

from __future__ import annotations

from collections import deque
from enum import Enum

from handhold.devices.suits.mvn_header import MvnHeader

REORDERING = 128
"""Samples that a datagram may be overtaken by: half a second at 240 Hz."""

LEAP = 2400
"""Samples that may be lost in a row without a doubt that it is the same run: 10 s at 240 Hz."""

TIME_BACK = 1000
"""Time that the time code may lie behind [ms]; more than ``TIME_AHEAD``, so that a single wrong one leaves no mark."""

TIME_AHEAD = 500
TIME_AHEAD_PER_SAMPLE = 100
"""Time that the time code may lie ahead, and more for each sample in between [ms]."""

STEPS = 32
"""Steps of the sample counter of which the smallest one tells which samples the sender leaves out itself."""


class Place(Enum):
    """Where a datagram belongs."""

    NEWER = "of a sample after the newest finished one"
    SAME = "of the newest finished one"
    LATE = "of one before it"
    STRANGE = "of a run that nothing else speaks for yet"
    RESTARTED = "of another run of the suit"


class SampleOrder:
    """Tells samples by their counters and time codes, both of which wrap around at 2^32.

    A sample that fits nowhere (its counter or its time code leaps, or both lie far back) is not believed before a second one
    follows it: then the suit was started again, or goes on after a long silence. So a single wrong datagram does nothing.

    Attributes:
        lost: Samples of this stream that never came.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._newest: MvnHeader | None = None
        self._doubtful: MvnHeader | None = None
        self._steps: deque[int] = deque(maxlen=STEPS)

    @property
    def newest(self) -> int | None:
        """Number of the newest finished sample; None where there is none in this run."""
        return None if self._newest is None else self._newest.sample

    def place(self, header: MvnHeader) -> Place:
        """Tell where a datagram belongs.

        ``RESTARTED`` forgets the run before: what comes next is its first sample.
        """
        newest = self._newest
        if newest is None:
            return Place.NEWER
        if header.sample == newest.sample:
            return Place.SAME
        if _follows(newest, header):
            self._doubtful = None
            return Place.NEWER
        if _is_late(newest, header):
            return Place.LATE
        return self._doubt(newest, header)

    def finish(self, header: MvnHeader) -> None:
        """Take a sample for the newest one: all of it has come."""
        if self._newest is not None and self._newest.sample != header.sample:
            step = difference(header.sample, self._newest.sample)
            self._steps.append(step)
            self.lost += max(0, step // min(self._steps) - 1)
        self._newest = header

    def _doubt(self, newest: MvnHeader, header: MvnHeader) -> Place:
        doubtful = self._doubtful
        if doubtful is None or header.sample == doubtful.sample or not _follows(doubtful, header):
            self._doubtful = header
            return Place.STRANGE
        self._doubtful = None
        self._steps.clear()
        ahead = difference(header.sample, newest.sample) > 0
        if ahead and difference(header.time_code, newest.time_code) >= 0:
            return Place.NEWER
        self._newest = None
        return Place.RESTARTED


def difference(one: int, other: int) -> int:
    """Return how much one counter of 32 bits is ahead of another one; negative where it is behind."""
    return (one - other + 0x8000_0000) % 0x1_0000_0000 - 0x8000_0000


def _follows(before: MvnHeader, header: MvnHeader) -> bool:
    step, time = difference(header.sample, before.sample), difference(header.time_code, before.time_code)
    return 0 < step <= LEAP and -TIME_BACK <= time <= TIME_AHEAD + TIME_AHEAD_PER_SAMPLE * step


def _is_late(newest: MvnHeader, header: MvnHeader) -> bool:
    step, time = difference(header.sample, newest.sample), difference(header.time_code, newest.time_code)
    return -REORDERING <= step < 0 and -TIME_BACK <= time <= TIME_AHEAD
