"""Poses of a person from the datagrams of one sample."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.devices.frame_value import frame_value
from handhold.devices.suits.mvn_header import ANGULAR, LINEAR, POSE_EULER, POSE_QUATERNION
from handhold.devices.suits.mvn_protocol import SegmentItems
from handhold.devices.suits.skeleton import multiply
from handhold.devices.suits.suit_errors import DatagramRefused
from handhold.devices.tracked_human import Segment

_COUNT = len(Segment)
_Z_UP = [2, 0, 1]
"""Columns of (x, y, z) with y up and z ahead, as x ahead, y left and z up."""


@frame_value
class BodyPose:
    """Where a body's segments are, in the sender's unit.

    Attributes:
        source: Type of the datagrams that say it.
        positions: Shape ``(23, 3)``; zeros where a segment is not told.
        orientations: Unit quaternions (x, y, z, w), shape ``(23, 4)``; the identity where not told.
        tracked: Which are told, shape ``(23,)``, bool.
    """

    source: int
    positions: np.ndarray
    orientations: np.ndarray
    tracked: np.ndarray


def compose_pose(parts: Mapping[int, SegmentItems]) -> BodyPose | None:
    """Make a pose of what is there of one sample, by types: 02, else 21 with 22, else 01.

    Returns:
        The pose; None where there is not enough.

    Raises:
        DatagramRefused: No segment of the body is among them.
    """
    if POSE_QUATERNION in parts:
        return _fill(POSE_QUATERNION, parts[POSE_QUATERNION], parts[POSE_QUATERNION])
    if LINEAR in parts and ANGULAR in parts:
        return _fill(LINEAR, parts[LINEAR], parts[ANGULAR])
    if POSE_EULER in parts:
        converted = convert_euler(parts[POSE_EULER])
        return _fill(POSE_EULER, converted, converted)
    return None


def join_items(parts: Mapping[int, SegmentItems]) -> SegmentItems:
    """Put the items of several datagrams of one sample together, in the datagrams' order.

    Raises:
        DatagramRefused: A segment is in two of them.
    """
    if len(parts) == 1:
        return next(iter(parts.values()))
    ordered = [parts[index] for index in sorted(parts)]
    ids = np.concatenate([part.ids for part in ordered])
    if len(np.unique(ids)) != len(ids):
        raise DatagramRefused("segment", "a segment is in two datagrams of a sample")
    names = ("positions", "orientations", "angles", "rates")
    columns = {name: [getattr(part, name) for part in ordered] for name in names}
    return SegmentItems(ids=ids, **{name: np.concatenate(rows) for name, rows in columns.items() if rows[0] is not None})


def convert_euler(items: SegmentItems) -> SegmentItems:
    """Convert what type 01 says, whose y is up and z ahead, to z up.

    The angles are turns about the room's fixed axes, x first, then y, then z: ``R_y-up = R_z R_y R_x``. (The specification
    does not say their order; this is the usual one of the programs that the type was made for.) The axes change as
    ``R = C R_y-up C^T``, where C takes (x, y, z) to (z, x, y): it does the same to the vector of a quaternion.
    """
    assert items.positions is not None
    assert items.angles is not None
    half = np.radians(items.angles) / 2.0
    turns = []
    for axis in range(3):
        turn = np.zeros((len(half), 4))
        turn[:, axis], turn[:, 3] = np.sin(half[:, axis]), np.cos(half[:, axis])
        turns.append(turn)
    y_up = multiply(turns[2], multiply(turns[1], turns[0]))
    return SegmentItems(ids=items.ids, positions=items.positions[:, _Z_UP], orientations=y_up[:, [*_Z_UP, 3]])


def _fill(source: int, placed: SegmentItems, turned: SegmentItems) -> BodyPose:
    assert placed.positions is not None
    assert turned.orientations is not None
    positions, orientations = np.zeros((_COUNT, 3)), np.zeros((_COUNT, 4))
    orientations[:, 3] = 1.0
    is_placed, is_turned = np.zeros(_COUNT, dtype=bool), np.zeros(_COUNT, dtype=bool)
    for items, rows, values, known in (
        (placed, positions, placed.positions, is_placed),
        (turned, orientations, turned.orientations, is_turned),
    ):
        of_body = items.ids <= _COUNT
        segments = items.ids[of_body] - 1
        rows[segments], known[segments] = values[of_body], True
    tracked = is_placed & is_turned
    if not tracked.any():
        raise DatagramRefused("segment", "no segment of a body")
    positions[~tracked], orientations[~tracked] = 0.0, (0.0, 0.0, 0.0, 1.0)
    return BodyPose(source=source, positions=positions, orientations=orientations, tracked=tracked)
