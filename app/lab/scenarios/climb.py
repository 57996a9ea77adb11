"""``climb-0``, ``climb-1``: what captured people do between steps, on a robot: they stand, lean, bend, and brace on boxes.

The captures are those of holosoma-retargeting 0.1.0 (Apache-2.0): a person climbs on boxes with hands and feet. Played are the
parts in which both feet stand on one level: a robot that follows a person with its whole body stays where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.human_motion import PersonAtWork, two_feet_and_an_arm
from handhold.app.lab.scenarios.measures import measure_reference, measure_robot
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.devices.suits.open_recording import open_recording
from handhold.devices.suits.recording import Recording
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.robots.model import RobotModel

PACKAGE = "holosoma-retargeting"

CALIBRATION_TIME, APPROACH_TIME, AFTER = 4.0, 8.0, 0.5
"""For how long the first frame is held at the beginning, that of each part before it is played, and its last one [s]."""

SHORTEST = 1.0
"""Duration under which a part is left out [s]."""

MAX_STEP, MAX_SPEED = 0.08, 0.15
"""Largest height of one ankle over the other [m], and speed of either [m/s], of a person who stands."""

_FEET = [Segment.LEFT_FOOT, Segment.RIGHT_FOOT]
_SMOOTHING = 0.1
"""Time over which an ankle's speed is measured [s]."""


class CapturesMissing(AppError):
    """The captures are not installed."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence
        super().__init__(
            f"no capture of sequence {sequence}: './handhold setup --dev' installs {PACKAGE}, or pip install it without its "
            "dependencies"
        )


def load_capture(sequence: int) -> Recording:
    """Return a captured sequence.

    Raises:
        CapturesMissing: Its package is not installed.
    """
    try:
        found = files(PACKAGE) or []
    except PackageNotFoundError:
        raise CapturesMissing(sequence) from None
    for file in found:
        if file.match(f"*/climb/mocap_climb_seq_{sequence}/*_joint_positions_*.npy"):
            return open_recording(Path(str(file.locate())))
    raise CapturesMissing(sequence)


def find_standing_parts(recording: Recording) -> list[tuple[int, int]]:
    """Return the parts in which both feet stand on one level, each by its first frame and the one behind its last."""
    ankles, reach = recording.positions[:, _FEET], max(1, round(_SMOOTHING * recording.rate))
    moved = np.zeros(len(recording))
    steps = np.linalg.norm(ankles[reach:] - ankles[:-reach], axis=2).max(axis=1)
    moved[reach // 2 : reach // 2 + len(steps)] = steps / _SMOOTHING
    stands = (moved < MAX_SPEED) & (np.ptp(ankles[:, :, 2], axis=1) < MAX_STEP)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(int)))
    parts = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(begin, end) for begin, end in parts if end - begin >= SHORTEST * recording.rate]


@dataclass(frozen=True, eq=False, slots=True)
class Timeline:
    """Which frame of a recording is shown when.

    Attributes:
        recording: The recording.
        frames: Frame of each moment, at the recording's rate.
        parts: Number of the part of each moment; -1 before the first.
    """

    recording: Recording
    frames: np.ndarray
    parts: np.ndarray

    @staticmethod
    def of(recording: Recording) -> Timeline:
        """Show a person who stands to be calibrated, then part after part, each held at its beginning and its end."""
        before, after = round(APPROACH_TIME * recording.rate), round(AFTER * recording.rate)
        frames = [np.zeros(round(CALIBRATION_TIME * recording.rate), dtype=int)]
        numbers = [np.full(len(frames[0]), -1)]
        for number, (begin, end) in enumerate(find_standing_parts(recording)):
            shown = [np.full(before, begin), np.arange(begin, end), np.full(after, end - 1)]
            frames.append(np.concatenate(shown))
            numbers.append(np.full(len(frames[-1]), number))
        return Timeline(recording, np.concatenate(frames), np.concatenate(numbers))

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return len(self.frames) / self.recording.rate

    def track(self, time: float, _moves: bool) -> TrackedHuman:
        """Return the sample at a time [s]; from part to part the person jumps, is lost by it, and taken up again."""
        moment = min(int(time * self.recording.rate), len(self.frames) - 1)
        return self.recording.sample(int(self.frames[moment]), time=time, sequence=moment, suit="capture")


def make_climb(sequence: int) -> Scenario:
    """Return the scenario of a sequence."""

    def script(_model: RobotModel, _effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
        return PersonAtWork(Timeline.of(load_capture(sequence)).track)

    def measure(model: RobotModel, trace: Trace) -> Sequence[Figure]:
        return [*measure_reference(trace), *measure_robot(model, trace), *measure_following(model, trace, captured=True)]

    return Scenario(
        name=f"climb-{sequence}",
        title=f"a captured person who climbs (sequence {sequence}) stands, leans and braces; the robot does so too",
        world="flat",
        duration=60.0,
        script=script,
        measure=measure,
        needs=(two_feet_and_an_arm,),
    )


CLIMB_0, CLIMB_1 = make_climb(0), make_climb(1)
