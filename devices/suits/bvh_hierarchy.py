"""The skeleton of a .bvh file: joints, how they hang on each other, and which numbers of a frame move them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from handhold.devices.suits.skeleton import multiply, rotate
from handhold.devices.suits.suit_errors import RecordingUnreadable

MAX_JOINTS = 512
CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
_LOWER = tuple(name.lower() for name in CHANNELS)


@dataclass(slots=True)
class BvhJoint:
    """A joint.

    Attributes:
        name: Its name; ``""`` for the end of a limb.
        parent: Number of the joint on which it hangs, -1 for the first one.
        offset: Where it is from that one, in the file's unit and axes.
        channels: What moves it, in the order in which turns are applied from the left: numbers of ``CHANNELS``.
        first_channel: Number of the first of them within a frame.
    """

    name: str
    parent: int
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    channels: list[int] = field(default_factory=list)
    first_channel: int = 0


def parse_hierarchy(title: str, words: Iterator[str]) -> list[BvhJoint]:
    """Read the skeleton up to the word ``MOTION``.

    Raises:
        RecordingUnreadable: It is none.
    """
    joints: list[BvhJoint] = []
    above: list[int] = []
    opening: BvhJoint | None = None
    channels = 0
    for word in words:
        upper = word.upper()
        if upper == "MOTION":
            if above or not joints:
                break
            return joints
        if upper in ("ROOT", "JOINT", "END"):
            name = next(words, "")
            if opening is not None or len(joints) >= MAX_JOINTS or (upper == "ROOT") != (not joints) or (joints and not above):
                break
            opening = BvhJoint("" if upper == "END" else name, above[-1] if above else -1)
        elif word == "{" and opening is not None:
            above.append(len(joints))
            joints.append(opening)
            opening = None
        elif word == "}" and above:
            above.pop()
        elif upper == "OFFSET" and above:
            joints[above[-1]].offset = _read_offset(title, words)
        elif upper == "CHANNELS" and above and not joints[above[-1]].channels:
            joint = joints[above[-1]]
            joint.channels, joint.first_channel = _read_channels(title, words), channels
            channels += len(joint.channels)
        elif upper != "HIERARCHY" or joints:
            break
    raise RecordingUnreadable(title, "its HIERARCHY is no skeleton with a ROOT, JOINTs and their braces, then MOTION")


def _read_offset(title: str, words: Iterator[str]) -> tuple[float, float, float]:
    try:
        x, y, z = (float(next(words, "")) for _ in range(3))
    except ValueError:
        raise RecordingUnreadable(title, "an OFFSET has not three numbers") from None
    if not max(abs(x), abs(y), abs(z)) < 1e6:
        raise RecordingUnreadable(title, "an OFFSET is not finite, or too large")
    return (x, y, z)


def _read_channels(title: str, words: Iterator[str]) -> list[int]:
    count = next(words, "")
    names = [next(words, "").lower() for _ in range(int(count))] if count in tuple("0123456") else ["?"]
    if not set(names) <= set(_LOWER) or len(set(names)) != len(names):
        raise RecordingUnreadable(title, f"CHANNELS are not some of {', '.join(CHANNELS)}")
    return [_LOWER.index(name) for name in names]


def count_channels(joints: list[BvhJoint]) -> int:
    """Return how many numbers a frame has."""
    return sum(len(joint.channels) for joint in joints)


def place_joints(joints: list[BvhJoint], frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where joints are and how they are turned, in the file's unit and axes.

    A joint's turn is the product of its turns in the order of its channels, and its place the channels' where it has some, and
    its offset otherwise.

    Args:
        joints: The skeleton.
        frames: Numbers of the frames, shape ``(frames, channels)``; turns in degrees.

    Returns:
        Positions, shape ``(frames, joints, 3)``, and unit quaternions (x, y, z, w), shape ``(frames, joints, 4)``.
    """
    count = len(frames)
    positions, turned = np.zeros((count, len(joints), 3)), np.zeros((count, len(joints), 4))
    for number, joint in enumerate(joints):
        local, turn = _move(joint, frames)
        if joint.parent < 0:
            positions[:, number], turned[:, number] = local, turn
        else:
            base = turned[:, joint.parent]
            positions[:, number] = positions[:, joint.parent] + rotate(base, local)
            turned[:, number] = multiply(base, turn)
    return positions, turned


def _move(joint: BvhJoint, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a joint's place and turn against the one on which it hangs."""
    local = np.tile(np.array(joint.offset), (len(frames), 1))
    turn = np.tile([0.0, 0.0, 0.0, 1.0], (len(frames), 1))
    for place, channel in enumerate(joint.channels):
        values = frames[:, joint.first_channel + place]
        if channel < 3:
            local[:, channel] = values
        else:
            half = np.radians(values) / 2.0
            once = np.zeros((len(frames), 4))
            once[:, channel - 3], once[:, 3] = np.sin(half), np.cos(half)
            turn = multiply(turn, once)
    return local, turn
