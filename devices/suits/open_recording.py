"""Recordings of people, whatever kind of file they are in."""

from __future__ import annotations

from pathlib import Path

from handhold.devices.suits.recording import Recording, open_regular
from handhold.devices.suits.suit_errors import RecordingUnreadable

LARGEST = 1 << 31


def open_recording(file: Path, *, rate: float | None = None, unit: float | None = None) -> Recording:
    """Read a recording; what is in a file tells its kind: .mvnx, .bvh, .npy or .npz.

    Args:
        file: The file.
        rate: Frames a second of an array of joint positions [Hz]; None for what is usual for its layout.
        unit: Unit of the positions of .bvh, .npy and .npz [m]; None to tell it by a thigh.

    Raises:
        OSError: The file cannot be read.
        RecordingUnreadable: It is no recording of a person.
    """
    with open_regular(file, LARGEST).open("rb") as opened:
        begin = opened.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    if begin.startswith((b"\x93NUMPY", b"PK\x03\x04")):
        from handhold.devices.suits.joint_positions import read_joint_positions

        return read_joint_positions(file, rate, unit)
    if begin[:9].upper() == b"HIERARCHY":
        from handhold.devices.suits.bvh_file import read_bvh

        return read_bvh(file, unit)
    if begin.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        from handhold.devices.suits.mvnx_file import read_mvnx

        return read_mvnx(file)
    raise RecordingUnreadable(file.name, "no recording of a person: take a .mvnx, .bvh, .npy or .npz file")
