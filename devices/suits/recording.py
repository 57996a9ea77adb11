"""A person who was recorded, and a suit that plays him."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.suit_errors import RecordingUnreadable
from handhold.devices.tracked_human import TrackedHuman

MAX_FRAMES = 200_000
"""Frames that a recording may have: 14 minutes at 240 Hz, 300 MB."""

MAX_RATE = 1000.0
FARTHEST = 1e3
"""How far from the room's origin a recorded person may be [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Recording:
    """Samples of a person at a fixed rate, as ``TrackedHuman`` has them.

    Attributes:
        title: Name of the file.
        rate: Samples a second [Hz].
        positions: Origins of the segments, shape ``(frames, 23, 3)`` [m].
        orientations: Unit quaternions (x, y, z, w), shape ``(frames, 23, 4)``.
        tracked: Which segments are known, shape ``(23,)``, bool.
        feet_in_contact: Whether left and right foot stand, shape ``(frames, 2)``, bool; None where that is not known.
        positions_com: Centre of mass, shape ``(frames, 3)`` [m]; None where it is not known.
    """

    title: str
    rate: float
    positions: np.ndarray
    orientations: np.ndarray
    tracked: np.ndarray
    feet_in_contact: np.ndarray | None = None
    positions_com: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def duration(self) -> float:
        """Time from the first frame to the last one [s]."""
        return (len(self) - 1) / self.rate

    def sample(self, frame: int, *, time: float, sequence: int, suit: str) -> TrackedHuman:
        """Return a frame as a sample of a suit.

        Args:
            frame: Number of the frame.
            time: When it counts as taken [s].
            sequence: Its number within the run.
            suit: Name of the suit.
        """
        feet = self.feet_in_contact
        return TrackedHuman(
            time=time,
            sequence=sequence,
            suit=suit,
            positions=self.positions[frame],
            orientations=self.orientations[frame],
            tracked=self.tracked,
            left_foot_in_contact=None if feet is None else bool(feet[frame, 0]),
            right_foot_in_contact=None if feet is None else bool(feet[frame, 1]),
            position_com=None if self.positions_com is None else self.positions_com[frame],
        )


def check_recording(recording: Recording) -> Recording:
    """Return a recording that can be played.

    Raises:
        RecordingUnreadable: It has no frame or too many, no segment, no rate, or a number that no person has.
    """
    count, rate = len(recording), recording.rate
    if not 0 < count <= MAX_FRAMES:
        raise RecordingUnreadable(recording.title, f"{count} frames, where 1 to {MAX_FRAMES} can be played")
    if not 0.0 < rate <= MAX_RATE:
        raise RecordingUnreadable(recording.title, f"a rate of {rate:g} Hz, where up to {MAX_RATE:g} can be played")
    if not recording.tracked.any():
        raise RecordingUnreadable(recording.title, "none of its segments is known here")
    if not (np.abs(recording.positions) <= FARTHEST).all() or not np.isfinite(recording.orientations).all():
        raise RecordingUnreadable(recording.title, "a position is not finite, or more than 1 km away")
    if recording.positions_com is not None and not (np.abs(recording.positions_com) <= FARTHEST).all():
        raise RecordingUnreadable(recording.title, "a centre of mass is not finite, or more than 1 km away")
    return recording


def hold_beginning(recording: Recording, duration: float) -> Recording:
    """Return a recording whose first frame is held for a time [s], so that who stands there can be calibrated."""
    count = round(duration * recording.rate)

    def hold(values: np.ndarray) -> np.ndarray:
        return np.concatenate([np.repeat(values[:1], count, axis=0), values])

    feet, com = recording.feet_in_contact, recording.positions_com
    return replace(
        recording,
        positions=hold(recording.positions),
        orientations=hold(recording.orientations),
        feet_in_contact=None if feet is None else hold(feet),
        positions_com=None if com is None else hold(com),
    )


class RecordedSuit:
    """Suit that plays a recording at its own rate (see ``Suit``).

    Frame k is taken at ``t_0 + k / (rate * speed)``, where ``t_0`` is when the suit was opened. After the last frame the
    samples cease, as those of a suit that is switched off, or it begins again, as another run.

    Attributes:
        name: ``"recording"``.
    """

    name = "recording"

    def __init__(self, recording: Recording, *, clock: Callable[[], float], speed: float = 1.0, loops: bool = False) -> None:
        """Remember what to play.

        Args:
            recording: What to play.
            clock: The monotonic clock [s].
            speed: How fast, 1 for as fast as it was recorded.
            loops: Whether it begins again at its end.
        """
        self._recording = recording
        self._clock = clock
        self._rate = recording.rate * speed
        self._loops = loops
        self._start: float | None = None

    @property
    def ended(self) -> bool:
        """Whether the last frame is over."""
        return self._start is not None and not self._loops and self._count() >= len(self._recording)

    def open(self) -> None:
        """Begin with the first frame."""
        self._start = self._clock()

    def read(self) -> TrackedHuman | None:
        """Return the frame that is due.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
        """
        if self._start is None:
            raise DeviceNotOpen(self.name)
        count, frames = self._count(), len(self._recording)
        run, frame = divmod(count, frames) if self._loops else (0, min(count, frames - 1))
        suit = f"{self.name} {self._start:.6f} run {run}"
        time = self._start + (run * frames + frame) / self._rate
        return self._recording.sample(frame, time=time, sequence=frame, suit=suit)

    def close(self) -> None:
        """End."""
        self._start = None

    def _count(self) -> int:
        assert self._start is not None
        # a clock that is read when a frame is due may tell a little less
        return int((self._clock() - self._start) * self._rate + 1e-6)


def read_bounded(file: Path, largest: int) -> bytes:
    """Return what is in a file of at most ``largest`` bytes.

    Raises:
        OSError: It cannot be read, is no regular file, or is too large.
    """
    with open_regular(file, largest).open("rb") as opened:
        return opened.read(largest)


def open_regular(file: Path, largest: int) -> Path:
    """Return a path of a regular file of at most ``largest`` bytes: a pipe would keep its reader waiting.

    Raises:
        OSError: It is not there, or none.
    """
    try:
        found = file.stat()
    except ValueError as error:  # a name with a zero byte in it
        raise OSError(errno.EINVAL, str(error), str(file)) from None
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(file))
    if found.st_size > largest:
        raise OSError(errno.EFBIG, f"larger than {largest} bytes", str(file))
    return file
