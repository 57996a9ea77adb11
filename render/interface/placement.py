"""Where the operator's room stands in the robot's world."""

from __future__ import annotations

import math

import numpy as np

from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.interface.standpoint import choose_standpoint
from handhold.render.obstacles import NO_OBSTACLES, Obstacles
from handhold.render.snapshot import Snapshot

BEHIND = (-0.85, 0.0, 0.65)
"""Where the eyes of an operator in the third person are: ahead and to the left of the robot's base, above its eyes [m].

Straight behind, so that its left is the operator's left, and high and near enough to see both hands past the trunk: of Talos's
hands at least an eighth is seen in each posture of the gallery; from the floor one of them is hidden in all of them.
"""

AT_THE_SHOULDER = (-0.4, -0.3, 0.35)
"""The same of one who looks over the robot's right shoulder [m]; over the left one where that is the skilled hand."""

SEATED_RISE = 0.4
"""How much an operator who sits is raised [m]: about what sitting takes from a person's height."""

WHEEL_AHEAD = 0.8
"""Distance of the wheel ahead of the eyes [m]."""

WHEEL_BELOW = 0.12
"""How far below the eyes its middle is [m]."""

STANDING_HEAD = 1.6
"""Height of the eyes of one who stands [m]: of a head that is not tracked, and by which the room is raised."""


def place_room(
    settings: Settings,
    head: np.ndarray | None,
    snapshot: Snapshot,
    position_eye_in_base: np.ndarray,
    obstacles: Obstacles = NO_OBSTACLES,
) -> np.ndarray:
    """Place the room so that the operator's head is where the chosen view has it, facing as the robot does.

    Apart from the robot it is near there, where there is room and the robot can be seen (``choose_standpoint``).

    Args:
        settings: The operator's choices: the view, and whether somebody sits.
        head: Pose of the head in the room, shape ``(4, 4)``, or None where it is not tracked: in the room's middle.
        snapshot: Where the robot is.
        position_eye_in_base: Where the robot's eyes are in its base's frame, shape ``(3,)`` [m].
        obstacles: The solids that are known.

    Returns:
        Pose of the room in world, its z axis vertical, shape ``(4, 4)``, float64.
    """
    if head is None or not np.isfinite(head).all():
        head = np.eye(4)
        head[2, 3] = STANDING_HEAD
    base = compute_base_pose(snapshot.q)
    heading = math.atan2(base[1, 0], base[0, 0])
    yaw = heading - find_heading(head)
    turn = rotate_about_vertical(yaw)
    eye, rise = _find_standpoint(settings, base, heading, float(head[2, 3]), position_eye_in_base)
    if settings.view is not Viewpoint.FIRST_PERSON:
        usual = np.append(eye, rise + head[2, 3])
        eye_of_robot = base[:3, :3] @ position_eye_in_base + base[:3, 3]
        points = np.array([base[:3, 3], eye_of_robot, snapshot.left.target[:3, 3], snapshot.right.target[:3, 3]])
        facing = np.array([math.cos(heading), math.sin(heading)])
        eye = choose_standpoint(usual, facing, points[np.isfinite(points).all(axis=1)], eye_of_robot, obstacles)[:2]
    room = np.eye(4)
    room[:3, :3] = turn
    room[:2, 3] = eye - turn[:2, :2] @ head[:2, 3]
    room[2, 3] = rise
    return room


def _find_standpoint(
    settings: Settings, base: np.ndarray, heading: float, head_height: float, position_eye_in_base: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return where the head goes in world, seen from above, shape ``(2,)``, and how much the room is raised [m].

    Apart from the robot, one who stands up or sits down stays so: the room is raised by the robot's height, not by the head's.
    """
    if settings.view is Viewpoint.FIRST_PERSON:
        eye = base[:3, :3] @ position_eye_in_base + base[:3, 3]
        return eye[:2], float(eye[2]) - head_height
    forward, left, up = BEHIND if settings.view is Viewpoint.THIRD_PERSON else AT_THE_SHOULDER
    offset = np.array([forward, -left if settings.left_handed else left])
    rise = max(0.0, float(base[2, 3] + position_eye_in_base[2]) + up - STANDING_HEAD)
    return base[:2, 3] + rotate_about_vertical(heading)[:2, :2] @ offset, rise + (SEATED_RISE if settings.seated else 0.0)


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
        heading, position = find_heading(head), head[:3, 3]
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
    return turn @ room


def move_room(room: np.ndarray, head: np.ndarray | None, distance: float) -> np.ndarray:
    """Move the operator by a distance [m] to where the head faces."""
    heading = 0.0 if head is None or not np.isfinite(head).all() else find_heading(head)
    moved = room.copy()
    moved[:3, 3] += distance * (room[:3, :3] @ np.array([math.cos(heading), math.sin(heading), 0.0]))
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


def find_heading(head: np.ndarray) -> float:
    """Return the heading of a head [rad].

    The twist of its rotation about z, which is also defined for one who looks straight down.
    """
    R = head[:3, :3]
    return math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
