"""Where the operator's room stands in the robot's world."""

from __future__ import annotations

import math

import numpy as np

from handhold.render.settings import Settings, Viewpoint
from handhold.render.snapshot import Snapshot

BEHIND = (-1.7, -0.55)
"""Where an operator in the third person stands, ahead and to the left of the robot [m]."""

AT_THE_SHOULDER = (-0.5, -0.38)
"""Where an operator who looks over its shoulder stands [m]."""

SEATED_RISE = 0.4
"""How much an operator who sits is raised [m]: about what sitting takes from a person's height."""

WHEEL_AHEAD = 0.8
"""Distance of the wheel ahead of the eyes [m]."""

WHEEL_BELOW = 0.12
"""How far below the eyes its middle is [m]."""

STANDING_HEAD = 1.6
"""Height of a head that is not tracked [m]."""


def place_room(
    settings: Settings, head: np.ndarray | None, snapshot: Snapshot, position_eye_in_base: np.ndarray
) -> np.ndarray:
    """Place the room so that the operator's head is where the chosen view has it, facing as the robot does.

    Args:
        settings: The operator's choices: the view, and whether somebody sits.
        head: Pose of the head in the room, shape ``(4, 4)``, or None where it is not tracked: in the room's middle.
        snapshot: Where the robot is.
        position_eye_in_base: Where the robot's eyes are in its base's frame, shape ``(3,)`` [m].

    Returns:
        Pose of the room in world, its z axis vertical, shape ``(4, 4)``, float32.
    """
    if head is None or not np.isfinite(head).all():
        head = np.eye(4)
        head[2, 3] = STANDING_HEAD
    base = compute_base_pose(snapshot.q)
    heading = math.atan2(base[1, 0], base[0, 0])
    yaw = heading - _find_heading(head)
    turn = rotate_about_vertical(yaw)
    eye, rise = _find_standpoint(settings, base, heading, float(head[2, 3]), position_eye_in_base)
    room = np.eye(4, dtype=np.float32)
    room[:3, :3] = turn
    room[:2, 3] = eye - turn[:2, :2] @ head[:2, 3]
    room[2, 3] = rise
    return room


def _find_standpoint(
    settings: Settings, base: np.ndarray, heading: float, head_height: float, position_eye_in_base: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return where the head goes in world, seen from above, shape ``(2,)``, and how much the room is raised [m]."""
    if settings.view is Viewpoint.FIRST_PERSON:
        eye = base[:3, :3] @ position_eye_in_base + base[:3, 3]
        return eye[:2], float(eye[2]) - head_height
    offset = np.array(BEHIND if settings.view is Viewpoint.THIRD_PERSON else AT_THE_SHOULDER)
    return base[:2, 3] + rotate_about_vertical(heading)[:2, :2] @ offset, SEATED_RISE if settings.seated else 0.0


def find_followed_point(settings: Settings, snapshot: Snapshot, position_eye_in_base: np.ndarray) -> np.ndarray | None:
    """Return the point of the robot that the room goes along with, in world, shape ``(3,)`` [m].

    The robot's eyes where the operator looks through them; its base, as seen from above, over its shoulder; None for one who
    stands apart.

    Args:
        settings: The operator's choices.
        snapshot: Where the robot is.
        position_eye_in_base: Where its eyes are in its base's frame, shape ``(3,)`` [m].
    """
    if settings.view is Viewpoint.THIRD_PERSON:
        return None
    base = compute_base_pose(snapshot.q)
    if settings.view is Viewpoint.FIRST_PERSON:
        return np.asarray(base[:3, :3] @ position_eye_in_base + base[:3, 3])
    return np.array([base[0, 3], base[1, 3], 0.0])


def place_wheel(head: np.ndarray | None) -> np.ndarray:
    """Place the wheel upright before the head, a little below its eyes.

    Args:
        head: Pose of the head in the room, shape ``(4, 4)``, or None where it is not tracked.

    Returns:
        Pose of the wheel in the room: x to the right, y up, z to the reader, shape ``(4, 4)``.
    """
    heading, position = 0.0, np.array([0.0, 0.0, STANDING_HEAD])
    if head is not None and np.isfinite(head).all():
        heading, position = _find_heading(head), head[:3, 3]
    turn = rotate_about_vertical(heading)
    pose = np.eye(4)
    # Leaning back by its angle below the eyes, it faces them.
    lean = math.atan2(WHEEL_BELOW, WHEEL_AHEAD)
    c, s = math.cos(lean), math.sin(lean)
    pose[:3, :3] = turn @ np.array([[0.0, s, -c], [-1.0, 0.0, 0.0], [0.0, c, s]])
    pose[:3, 3] = position + turn @ np.array([WHEEL_AHEAD, 0.0, -WHEEL_BELOW])
    return pose


def turn_room(room: np.ndarray, head: np.ndarray | None, angle: float) -> np.ndarray:
    """Turn the room about the vertical through the operator's head by an angle [rad], to the left where positive."""
    turn = np.eye(4)
    turn[:3, :3] = rotate_about_vertical(angle)
    pivot = room[:3, 3] if head is None or not np.isfinite(head).all() else (room @ head)[:3, 3]
    turn[:3, 3] = pivot - turn[:3, :3] @ pivot
    return (turn @ room).astype(np.float32)


def move_room(room: np.ndarray, head: np.ndarray | None, distance: float) -> np.ndarray:
    """Move the operator by a distance [m] to where the head faces."""
    heading = 0.0 if head is None or not np.isfinite(head).all() else _find_heading(head)
    moved = room.copy()
    moved[:3, 3] += distance * (room[:3, :3] @ np.array([math.cos(heading), math.sin(heading), 0.0])).astype(np.float32)
    return moved


def compute_base_pose(q: np.ndarray) -> np.ndarray:
    """Compute the pose of the free-flying base in world from a configuration, shape ``(nq,)``; homogeneous."""
    pose = np.eye(4)
    pose[:3, 3] = q[:3]
    x, y, z, w = q[3:7]
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return pose


def rotate_about_vertical(angle: float) -> np.ndarray:
    """Return the rotation about z by an angle [rad], shape ``(3, 3)``."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _find_heading(head: np.ndarray) -> float:
    """Return which way a head faces about the vertical [rad].

    The twist of its rotation about z, which is also defined for one who looks straight down.
    """
    R = head[:3, :3]
    return math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
