"""Recordings in the format of Biovision, .bvh, as most programs for animation write them.

The pose in which nothing is turned is taken for a T-pose where the person stands in it: trunk, head and feet count as turned
as the body then, arms, hands and legs besides by as much as they point elsewhere than in a T-pose. Where he does not stand
(some exporters lay all bones along one axis), orientations are made from the joints' places.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

import numpy as np

from handhold.devices.suits.bvh_hierarchy import BvhJoint, count_channels, parse_hierarchy, place_joints
from handhold.devices.suits.joint_names import find_segments
from handhold.devices.suits.joint_posture import build_orientations
from handhold.devices.suits.joint_recording import Z_UP_FROM_Y, find_length_unit, is_y_up
from handhold.devices.suits.recording import MAX_FRAMES, Recording, check_recording, open_regular
from handhold.devices.suits.skeleton import T_POSE_DIRECTIONS, join_in_time, multiply, rotate, turn_shortest
from handhold.devices.suits.suit_errors import RecordingUnreadable
from handhold.devices.tracked_human import Segment

MAX_SIZE = 1 << 29
"""Size of a file at most [bytes]."""

MAX_LINE = 1 << 16
"""Length of a line at most: 512 joints of six numbers take 40,000 letters."""

MAX_PLACES = 6_000_000
"""Frames times joints at most, which take 330 MB."""

MAX_NUMBER = 1e6
_LIMBS = (
    *(Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, Segment.RIGHT_UPPER_ARM, Segment.RIGHT_FOREARM),
    *(Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG, Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG),
)
_ENDS = (Segment.LEFT_HAND, Segment.RIGHT_HAND)


def read_bvh(file: Path, unit: float | None = None) -> Recording:
    """Read a recording.

    Args:
        file: The file.
        unit: Unit of its positions [m]; None to tell it by a thigh.

    Raises:
        OSError: The file cannot be read.
        RecordingUnreadable: It is no such recording, or its joints have names that fit no person.
    """
    with open_regular(file, MAX_SIZE).open(encoding="utf-8", errors="replace") as opened:
        joints = parse_hierarchy(file.name, _words(file.name, opened))
        frames, rate = _read_motion(file.name, opened, len(joints), count_channels(joints))
    segments = find_segments([joint.name for joint in joints])
    if not segments:
        raise RecordingUnreadable(file.name, "the names of its joints are those of no exporter known here")
    points, turned = place_joints(joints, frames)
    rest, _ = place_joints(joints, _make_rest(joints))
    if is_y_up(points, segments):
        points, turned, rest = points[..., Z_UP_FROM_Y], turned[..., [*Z_UP_FROM_Y, 3]], rest[..., Z_UP_FROM_Y]
    thigh = np.linalg.norm(points[0, segments[Segment.LEFT_UPPER_LEG]] - points[0, segments[Segment.LEFT_LOWER_LEG]])
    scale = find_length_unit(file.name, float(thigh)) if unit is None else unit
    return check_recording(_make_recording(file.name, rate, scale * points, turned, rest[0], segments))


def _make_recording(
    title: str, rate: float, points: np.ndarray, turned: np.ndarray, rest: np.ndarray, segments: Mapping[Segment, int]
) -> Recording:
    positions, orientations = np.zeros((len(points), len(Segment), 3)), np.zeros((len(points), len(Segment), 4))
    orientations[..., 3] = 1.0
    known, joints = list(segments), list(segments.values())
    positions[:, known] = points[:, joints]
    at_rest = find_rest(rest, segments)
    if at_rest is None:
        orientations = build_orientations(points, segments, {}, rate)
    else:
        orientations[:, known] = join_in_time(multiply(turned[:, joints], at_rest[known]))
    tracked = np.array([segment in segments for segment in Segment])
    return Recording(title=title, rate=rate, positions=positions, orientations=orientations, tracked=tracked)


def find_rest(rest: np.ndarray, segments: Mapping[Segment, int]) -> np.ndarray | None:
    """Return how segments count as turned where no joint is, unit quaternions (x, y, z, w), shape ``(23, 4)``.

    Args:
        rest: Where joints are then, z up, shape ``(joints, 3)``.
        segments: Joint at which each segment begins.

    Returns:
        The quaternions; None where nobody stands like that.
    """
    at = {segment: rest[joint] for segment, joint in segments.items()}
    hips = at[Segment.LEFT_UPPER_LEG] - at[Segment.RIGHT_UPPER_LEG]
    trunk = at[Segment.T8] - at[Segment.PELVIS]
    legs = [at[foot] - at[Segment(foot - 2)] for foot in (Segment.LEFT_FOOT, Segment.RIGHT_FOOT)]
    upright = [trunk[2] / (np.linalg.norm(trunk) + 1e-9), *(-leg[2] / (np.linalg.norm(leg) + 1e-9) for leg in legs)]
    if np.hypot(hips[0], hips[1]) < 0.5 * np.linalg.norm(hips) + 1e-9 or min(upright) < 0.7:
        return None
    yaw = np.arctan2(-hips[0], hips[1])
    body = np.array([0.0, 0.0, np.sin(yaw / 2.0), np.cos(yaw / 2.0)])
    turned = np.tile(body, (len(Segment), 1))
    for segment in _LIMBS:
        bone = at[Segment(segment + 1)] - at[segment]
        direction = rotate(body, np.array(T_POSE_DIRECTIONS[segment]))
        if np.linalg.norm(bone) > 1e-9:
            turned[segment] = multiply(turn_shortest(direction, bone / np.linalg.norm(bone)), body)
    for hand in _ENDS:
        turned[hand] = turned[hand - 1]
    return turned


def _make_rest(joints: list[BvhJoint]) -> np.ndarray:
    """Return the frame in which nothing is turned, and each joint is at its offset."""
    frame = np.zeros((1, count_channels(joints)))
    for joint in joints:
        for place, channel in enumerate(joint.channels):
            if channel < 3:
                frame[0, joint.first_channel + place] = joint.offset[channel]
    return frame


def _lines(title: str, opened: TextIO) -> Iterator[str]:
    while line := opened.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise RecordingUnreadable(title, f"a line longer than {MAX_LINE} letters")
        yield line


def _words(title: str, opened: TextIO) -> Iterator[str]:
    return itertools.chain.from_iterable(line.split() for line in _lines(title, opened))


def _read_motion(title: str, opened: TextIO, joints: int, channels: int) -> tuple[np.ndarray, float]:
    """Return the numbers of all frames, shape ``(frames, channels)``, and their rate [Hz]."""
    lines = (line.split() for line in _lines(title, opened) if line.strip())
    head, time = next(lines, []), next(lines, [])
    try:
        count, period = int(head[1]), float(time[2])
        is_head = head[0].lower() == "frames:" and [word.lower() for word in time[:2]] == ["frame", "time:"]
    except (ValueError, IndexError):
        is_head, count, period = False, 0, 0.0
    if not is_head or not 1e-3 <= period <= 10.0 or not 0 < count <= MAX_FRAMES or count * joints > MAX_PLACES:
        raise RecordingUnreadable(title, "its MOTION does not begin with 'Frames:' and 'Frame Time:', or has too many frames")
    rows: list[np.ndarray] = []
    for words in itertools.islice(lines, count):
        try:
            row = np.array(words, dtype=np.float64)
        except ValueError:
            raise RecordingUnreadable(title, f"what is no number in frame {len(rows)}") from None
        if len(row) != channels or not (np.abs(row) <= MAX_NUMBER).all():
            raise RecordingUnreadable(title, f"frame {len(rows)} has not {channels} finite numbers")
        rows.append(row)
    if len(rows) != count:
        raise RecordingUnreadable(title, f"{len(rows)} frames where {count} are announced")
    return np.array(rows), 1.0 / period
