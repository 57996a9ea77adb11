"""Where an operator stands who looks at the robot from outside: near where the view has it, where there is room."""

from __future__ import annotations

import numpy as np

from handhold.render.obstacles import Obstacles

CLEARANCE = 0.5
"""How far from solids the head and the hands below it are to be [m]: an arm moves freely there."""
MIN_CLEARANCE = 0.2
"""Nobody stands nearer to a solid [m] who can stand elsewhere, even where that is behind a wall."""
HANDS_BELOW = 0.6
"""How far below the head hands are held [m]."""
SEARCH_RADIUS = 1.5
"""How far from the usual standpoint another one is looked for [m]."""
STEP = 0.15
"""Distance of the positions that are tried [m]."""
MIN_DISTANCE_BEHIND = 0.3
"""How far behind the robot an operator is at least [m]."""
WIDEST = 1.0
"""How far to the side the robot may be, as the tangent of the angle: who looks ahead has it in view."""
BRACEABLE_WITHIN = 1.2
"""How far from the robot's chest a solid is that it could brace on [m]."""
CHEST_BELOW = 0.3
"""How far below the robot's eyes its chest is [m]."""
SURFACE_OFFSET = 0.03
"""How far before its nearest point a surface is evaluated [m]."""
COARSE = 0.05
"""Lacks of room that differ by less are alike [m]."""


def choose_standpoint(
    usual: np.ndarray, heading: np.ndarray, robot: np.ndarray, eye_of_robot: np.ndarray, obstacles: Obstacles
) -> np.ndarray:
    """Return where the operator's head goes.

    Positions around the usual are ranked by whether they are outside of solids, by how many points of the robot a solid hides
    from there, by the room around them, by how many surfaces before the robot are hidden, and by the distance from the usual
    one, in this order.

    Args:
        usual: Where the view has the head, in world, shape ``(3,)`` [m].
        heading: Where robot and operator face, seen from above, shape ``(2,)``, a unit vector.
        robot: Points of the robot that are to be seen, shape ``(k, 3)`` [m].
        eye_of_robot: Its eyes, shape ``(3,)`` [m].
        obstacles: The solids that are known.

    Returns:
        The usual position, or one at the same height.
    """
    if not obstacles.count:
        return usual
    positions = _list_positions(usual, heading, eye_of_robot)
    surfaces = _find_surfaces(eye_of_robot, obstacles)
    clearance = _measure_clearance(positions, obstacles)
    lack = np.maximum(CLEARANCE - clearance, 0.0) // COARSE
    robot_hidden, surfaces_hidden = (
        obstacles.find_between(positions, points).any(axis=2).sum(axis=1) for points in (robot, surfaces)
    )
    away = np.linalg.norm(positions - usual, axis=1)
    return np.asarray(positions[np.lexsort((away, surfaces_hidden, lack, robot_hidden, clearance < MIN_CLEARANCE))[0]])


def _list_positions(usual: np.ndarray, heading: np.ndarray, eye_of_robot: np.ndarray) -> np.ndarray:
    """Return the usual position and others around it from which one who faces as the robot does has it in view."""
    ticks = np.arange(-SEARCH_RADIUS, SEARCH_RADIUS + 1e-9, STEP)
    forward, left = (axis.ravel() for axis in np.meshgrid(ticks, ticks))
    side = np.array([-heading[1], heading[0]])
    positions = np.tile(usual, (len(forward) + 1, 1))
    positions[1:, :2] += forward[:, None] * heading + left[:, None] * side
    away = positions[:, :2] - eye_of_robot[:2]
    behind, beside = -(away @ heading), np.abs(away @ side)
    near = np.linalg.norm(positions - usual, axis=1) <= SEARCH_RADIUS
    fits = near & (behind >= MIN_DISTANCE_BEHIND) & (beside <= WIDEST * behind)
    fits[0] = True
    return positions[fits]


def _measure_clearance(positions: np.ndarray, obstacles: Obstacles) -> np.ndarray:
    """Return how far the head and the hands below it are from solids, shape ``(positions,)`` [m]."""
    hands = positions - (0.0, 0.0, HANDS_BELOW)
    return np.minimum(obstacles.measure_clearance(positions), obstacles.measure_clearance(hands))


def _find_surfaces(eye_of_robot: np.ndarray, obstacles: Obstacles) -> np.ndarray:
    """Return points right before the solids that the robot could brace on, shape ``(k, 3)`` [m]."""
    chest = eye_of_robot - (0.0, 0.0, CHEST_BELOW)
    nearest = obstacles.find_nearest(chest)
    away = np.linalg.norm(nearest - chest, axis=1, keepdims=True)
    before = nearest + (chest - nearest) / np.maximum(away, 1e-9) * SURFACE_OFFSET
    return np.asarray(before[(away[:, 0] < BRACEABLE_WITHIN) & (away[:, 0] > SURFACE_OFFSET)])
