"""Recordings that are arrays of joint positions, shape (frames, joints, 3): .npy, or .npz with ``global_joint_positions``.

The number of joints tells the layout. That of 53 is of captures of a person who climbs on boxes (``holosoma-retargeting``,
Apache-2.0: ``demo_data/climb``). Files do not tell their rate; 120 Hz lets that person's body fall as fast as bodies do.
"""

from __future__ import annotations

import io
import math
import tokenize
import zipfile
import zlib
from pathlib import Path

import numpy as np

from handhold.devices.suits.joint_names import find_segments
from handhold.devices.suits.joint_posture import Knuckles, build_orientations
from handhold.devices.suits.joint_recording import Z_UP_FROM_Y, find_length_unit, is_y_up
from handhold.devices.suits.recording import FARTHEST, MAX_FRAMES, Recording, check_recording, read_bounded
from handhold.devices.suits.suit_errors import RecordingUnreadable
from handhold.devices.tracked_human import Segment

MAX_SIZE = 1 << 28
"""Size of a file, and of what is packed in it, at most [bytes]."""

ARRAY = "global_joint_positions"


def _both_hands(*fingers: str) -> dict[str, tuple[str, ...]]:
    return {
        side: tuple(f"{finger}{joint}".replace("*", side) for finger in fingers for joint in (1, 2, 3))
        for side in ("Left", "Right", "L_", "R_")
    }


_FINGERS = _both_hands("*HandThumb", "*HandIndex", "*HandMiddle", "*HandRing", "*HandPinky")
_SHORT_FINGERS = _both_hands("*Index", "*Middle", "*Pinky", "*Ring", "*Thumb")


def _arm(side: str) -> tuple[str, ...]:
    return (f"{side}Shoulder", f"{side}Arm", f"{side}ForeArm", f"{side}Hand")


def _leg(side: str) -> tuple[str, ...]:
    return (f"{side}UpLeg", f"{side}Leg", f"{side}Foot", f"{side}ToeBase")


def _short_arm(side: str) -> tuple[str, ...]:
    return (f"{side}Thorax", f"{side}Shoulder", f"{side}Elbow", f"{side}Wrist", *_SHORT_FINGERS[side])


LAYOUTS: dict[int, tuple[tuple[str, ...], float]] = {
    53: (
        (
            *("Hips", "Spine", "Spine1", "Neck", "Head"),
            *(*_arm("Left"), *_FINGERS["Left"], *_arm("Right"), *_FINGERS["Right"]),
            *(*_leg("Left"), *_leg("Right"), "LeftFootMod", "RightFootMod"),
        ),
        120.0,
    ),
    52: (
        (
            *("Pelvis", "L_Hip", "L_Knee", "L_Ankle", "L_Toe", "R_Hip", "R_Knee", "R_Ankle", "R_Toe"),
            *("Torso", "Spine", "Chest", "Neck", "Head", *_short_arm("L_"), *_short_arm("R_")),
        ),
        30.0,
    ),
    22: (
        (
            *("Hips", *_leg("Right"), *_leg("Left"), "Spine", "Spine1", "Spine2", "Neck", "Head"),
            *(*_arm("Right"), *_arm("Left")),
        ),
        30.0,
    ),
}
"""Names of the joints and rate [Hz], by the number of joints."""


def read_joint_positions(file: Path, rate: float | None = None, unit: float | None = None) -> Recording:
    """Read a recording.

    Args:
        file: The array.
        rate: Frames a second [Hz]; None for the layout's.
        unit: Unit of the positions [m]; None to tell it by a thigh.

    Raises:
        OSError: The file cannot be read.
        RecordingUnreadable: It has no such array, or of joints in no layout known here.
    """
    points = _read_array(file)
    frames, count, _ = points.shape
    if count not in LAYOUTS:
        known = ", ".join(str(each) for each in sorted(LAYOUTS))
        raise RecordingUnreadable(file.name, f"{count} joints, where layouts of {known} are known")
    if not 0 < frames <= MAX_FRAMES or not (np.abs(points) <= FARTHEST / 1e-3).all():
        raise RecordingUnreadable(file.name, "no frame, too many, or a position that is not finite")
    names, usual_rate = LAYOUTS[count]
    joints = find_segments(names)
    chosen_rate = usual_rate if rate is None else rate
    if not math.isfinite(chosen_rate) or chosen_rate <= 0.0:
        raise RecordingUnreadable(file.name, f"a rate of {chosen_rate:g} Hz")
    points = points.astype(np.float64)
    if is_y_up(points, joints):
        points = points[..., Z_UP_FROM_Y]
    thighs = points[:, joints[Segment.LEFT_UPPER_LEG]] - points[:, joints[Segment.LEFT_LOWER_LEG]]
    thigh = float(np.median(np.linalg.norm(thighs, axis=-1)))
    points = points * (find_length_unit(file.name, thigh) if unit is None else unit)
    positions = np.zeros((frames, len(Segment), 3))
    positions[:, list(joints)] = points[:, list(joints.values())]
    return check_recording(
        Recording(
            title=file.name,
            rate=chosen_rate,
            positions=positions,
            orientations=build_orientations(points, joints, _find_knuckles(names), chosen_rate),
            tracked=np.array([segment in joints for segment in Segment]),
        )
    )


def _find_knuckles(names: tuple[str, ...]) -> dict[Segment, Knuckles]:
    sides = ((Segment.LEFT_HAND, ("LeftHand", "L_")), (Segment.RIGHT_HAND, ("RightHand", "R_")))
    found = {}
    for hand, prefixes in sides:
        for prefix in prefixes:
            roots = [f"{prefix}{finger}1" for finger in ("Index", "Middle", "Pinky")]
            if all(root in names for root in roots):
                found[hand] = Knuckles(*(names.index(root) for root in roots))
    return found


def _read_array(file: Path) -> np.ndarray:
    data = read_bounded(file, MAX_SIZE)
    if data[:4] != b"PK\x03\x04":
        return parse_array(file.name, data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed, packed.open(f"{ARRAY}.npy") as member:
            # what an archive says of its own sizes is not believed
            unpacked = member.read(MAX_SIZE + 1)
    except KeyError:
        raise RecordingUnreadable(file.name, f"it has no array '{ARRAY}'") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise RecordingUnreadable(file.name, f"no sound archive: {error}") from None
    if len(unpacked) > MAX_SIZE:
        raise RecordingUnreadable(file.name, f"its array is larger than {MAX_SIZE} bytes")
    return parse_array(file.name, unpacked)


def parse_array(title: str, data: bytes) -> np.ndarray:
    """Read an array of positions in NumPy's format, without making room for more than is there.

    Raises:
        RecordingUnreadable: It is none of numbers in three dimensions, or not as long as it says.
    """
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(stream)
    except (ValueError, TypeError, SyntaxError, tokenize.TokenError, RecursionError, MemoryError, OverflowError, KeyError):
        raise RecordingUnreadable(title, "no array in NumPy's format") from None
    if dtype.kind != "f" or is_fortran or len(shape) != 3 or shape[2] != 3:
        raise RecordingUnreadable(title, "its array is not one of positions, shape (frames, joints, 3)")
    content = data[stream.tell() :]
    if min(shape) < 0 or math.prod(shape) * dtype.itemsize != len(content):
        raise RecordingUnreadable(title, "its array is not as long as it says")
    return np.frombuffer(content, dtype=dtype).reshape(shape)
