"""The rules of the MVN stream a second time, plainly, to hold what reads it against.

Written from the protocol's specification and from what a sample of a person has to be, and not from the code that reads it:
one number is unpacked after the other.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from handhold.devices.tracked_human import TrackedHuman

ITEM_LAYOUTS = {b"01": ">I6f", b"02": ">I7f", b"21": ">I9f", b"22": ">I10f"}
QUATERNIONS = {b"02": slice(4, 8), b"22": slice(1, 5)}
MOST_METRES = 2.5
"""How far a segment is from another one of the same person at most, twice [m]."""


def find_violation(data: bytes) -> str:
    """Return which rule of the protocol a datagram that tells of a pose breaks, or ``""``.

    The rules: 24 bytes of a header that begins with MXTP and a type; counts as the protocol has them (23 segments, up to 4
    props, 0 or 40 of fingers; or seven zeros, of versions before 2019); as many bytes as the header says, and as the items
    take; identities of segments from 1 on, each once; finite numbers; rotations of unit length.
    """
    if len(data) < 24 or data[:4] != b"MXTP":
        return "no header"
    kind, items = data[4:6], data[11]
    if fault := _find_fault_of_counts(data):
        return fault
    if kind == b"24":
        return _find_fault_of_numbers(data[24:]) if len(data) in (36, 60) else "size"
    layout = ITEM_LAYOUTS.get(kind)
    if layout is None:
        return "no pose"
    if items == 0 or len(data) - 24 != items * struct.calcsize(layout):
        return "items"
    return _find_fault_of_items(kind, list(struct.iter_unpack(layout, data[24:])))


def _find_fault_of_counts(data: bytes) -> str:
    if data[17:24] == bytes(7):
        return ""
    body, props, fingers = data[17:20]
    if body != 23 or props > 4 or fingers not in (0, 40):
        return "counts"
    return "" if int.from_bytes(data[22:24], "big") == len(data) - 24 else "size"


def _find_fault_of_numbers(content: bytes) -> str:
    numbers = struct.unpack(f">{len(content) // 4}f", content)
    return "" if all(math.isfinite(number) for number in numbers) else "number"


def _find_fault_of_items(kind: bytes, rows: list[tuple[float, ...]]) -> str:
    ids = [row[0] for row in rows]
    if len(set(ids)) != len(ids) or not all(1 <= one <= 67 for one in ids):
        return "segment"
    if not all(math.isfinite(number) for row in rows for number in row):
        return "number"
    if kind in QUATERNIONS:
        lengths = (math.sqrt(sum(number * number for number in row[QUATERNIONS[kind]])) for row in rows)
        if any(abs(length - 1.0) > 0.0201 for length in lengths):
            return "rotation"
    return ""


def find_unsound(human: TrackedHuman) -> str:
    """Return why a sample is none of a person, or ``""``."""
    positions, orientations = human.positions[human.tracked], human.orientations[human.tracked]
    if not len(positions) or not np.isfinite(human.positions).all() or not math.isfinite(human.time):
        return "not finite, or nothing tracked"
    if np.abs(np.linalg.norm(orientations, axis=1) - 1.0).max() > 1e-9:
        return "no rotation"
    if np.abs(positions - positions[0]).max() > MOST_METRES:
        return "torn apart"
    com = human.position_com
    return "" if com is None or np.linalg.norm(com - positions[0]) < 1.0 else "centre of mass outside"
