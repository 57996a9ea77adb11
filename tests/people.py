"""People for tests of suits: one who stands in a T-pose, and one who moves."""

from __future__ import annotations

import numpy as np

from handhold.devices.suits.skeleton import PARENTS, T_POSE_DIRECTIONS, multiply, rotate
from handhold.devices.tracked_human import Segment, TrackedHuman

LENGTHS = {
    Segment.PELVIS: 0.1,
    Segment.L5: 0.1,
    Segment.L3: 0.1,
    Segment.T12: 0.1,
    Segment.T8: 0.2,
    Segment.NECK: 0.1,
    Segment.RIGHT_SHOULDER: 0.14,
    Segment.RIGHT_UPPER_ARM: 0.3,
    Segment.RIGHT_FOREARM: 0.25,
    Segment.LEFT_SHOULDER: 0.14,
    Segment.LEFT_UPPER_ARM: 0.3,
    Segment.LEFT_FOREARM: 0.25,
    Segment.RIGHT_UPPER_LEG: 0.43,
    Segment.RIGHT_LOWER_LEG: 0.42,
    Segment.RIGHT_FOOT: 0.15,
    Segment.LEFT_UPPER_LEG: 0.43,
    Segment.LEFT_LOWER_LEG: 0.42,
    Segment.LEFT_FOOT: 0.15,
}
"""Distance to the next joint [m]."""

BESIDE = {
    Segment.RIGHT_UPPER_LEG: (0.0, -0.09, 0.0),
    Segment.LEFT_UPPER_LEG: (0.0, 0.09, 0.0),
    Segment.RIGHT_SHOULDER: (0.0, -0.03, 0.15),
    Segment.LEFT_SHOULDER: (0.0, 0.03, 0.15),
}
"""Origins that lie beside their parent's axis, from its origin [m]."""


def find_offset(segment: int) -> np.ndarray:
    """Return where a segment begins from its parent's origin in a T-pose."""
    beside = BESIDE.get(Segment(segment))
    if beside is not None:
        return np.array(beside)
    parent = Segment(PARENTS[segment])
    direction = np.array(T_POSE_DIRECTIONS[parent])
    return LENGTHS[parent] * direction / np.linalg.norm(direction)


def place(local: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and orientations of segments turned against their parents."""
    positions, orientations = np.zeros((23, 3)), np.zeros((23, 4))
    positions[0], orientations[0] = root, local[0]
    for segment in range(1, 23):
        parent = PARENTS[segment]
        positions[segment] = positions[parent] + rotate(orientations[parent], find_offset(segment))
        orientations[segment] = multiply(orientations[parent], local[segment])
    return positions, orientations


def turn(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    """Return a quaternion."""
    return np.array([*(np.sin(angle / 2) * np.array(axis)), np.cos(angle / 2)])


def identities() -> np.ndarray:
    return np.tile([0.0, 0.0, 0.0, 1.0], (23, 1))


def make_human(time: float = 0.0, sequence: int = 0, **changed: object) -> TrackedHuman:
    """Return somebody who, at time 0, stands in a T-pose, and later waves, squats and turns."""
    local = identities()
    local[Segment.PELVIS] = turn((0.0, 0.0, 1.0), 0.4 * np.sin(time))
    local[Segment.T8] = turn((1.0, 0.0, 0.0), 0.2 * np.sin(1.3 * time))
    local[Segment.HEAD] = turn((0.0, 1.0, 0.0), 0.3 * np.sin(2.0 * time))
    local[Segment.LEFT_UPPER_ARM] = turn((1.0, 0.0, 0.0), -0.8 * np.sin(time) ** 2)
    local[Segment.LEFT_FOREARM] = turn((0.0, 0.0, -1.0), 1.2 * np.sin(1.7 * time) ** 2)
    local[Segment.RIGHT_FOREARM] = turn((0.0, 0.0, 1.0), 0.9 * np.sin(1.1 * time) ** 2)
    bend = 0.6 * np.sin(0.9 * time) ** 2
    for side in (Segment.LEFT_UPPER_LEG, Segment.RIGHT_UPPER_LEG):
        local[side], local[side + 1], local[side + 2] = (turn((0.0, 1.0, 0.0), angle) for angle in (-bend, 2.0 * bend, -bend))
    positions, orientations = place(local, np.array([0.1 * np.sin(time), 0.0, 0.95 - 0.1 * bend]))
    values: dict[str, object] = {
        "time": time,
        "sequence": sequence,
        "suit": "somebody",
        "positions": positions,
        "orientations": orientations,
        "tracked": np.ones(23, dtype=bool),
        "position_com": positions[0] + [0.0, 0.0, 0.03],
    }
    return TrackedHuman(**(values | changed))  # type: ignore[arg-type]


def angle_between(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest angle between rotations [rad]."""
    cosines = np.abs(np.sum(one * other, axis=-1))
    return float(np.max(2.0 * np.arccos(np.clip(cosines, 0.0, 1.0))))
