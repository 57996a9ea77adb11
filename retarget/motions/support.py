"""Where the zero moment point may be while a motion plays: the hull of the contacts, moving as loads fade in and out."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from handhold.retarget.motions.motion import Motion
from handhold.robots.contact import compute_sole_corners
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_convex_hull

FADE = 0.3
"""Time in which a contact that comes takes up its load, and one that goes gives it away [s]."""

DWELL = 0.4
"""Time after it came, and before it goes, in which a contact is not loaded [s].

A foot that finds no ground is noticed, and the motion stopped, before it is needed.
"""

FULL = 1.0
"""Load ratio of a contact that neither comes nor goes [-]: all of the weight."""


def compute_max_load_ratios(motion: Motion, model: RobotModel, time: float) -> dict[int, float]:
    """Compute the largest load ratio of each effector at a time, by its index.

    It rises in a line from nothing to all within ``FADE``, ``DWELL`` after a contact came, and falls so before it goes.

    Args:
        motion: The motion.
        model: The robot.
        time: Time of the motion [s].
    """
    max_load_ratios: dict[int, float] = {}
    for contact in motion.contacts:
        if contact.start <= time <= contact.end:
            since = FULL if contact.start <= 0.0 else (time - contact.start - DWELL) / FADE
            until = FULL if contact.end >= motion.duration else (contact.end - DWELL - time) / FADE
            index = model.effector_index(contact.effector)
            # At the moment in which one interval ends and the next begins both name it.
            max_load_ratios[index] = max(max_load_ratios.get(index, 0.0), 0.0, min(FULL, since, until))
    return max_load_ratios


def compute_support(model: RobotModel, poses: np.ndarray, max_load_ratios: dict[int, float], inset: float) -> np.ndarray:
    r"""Compute the polygon that a sum of loads can have its centre of pressure in.

    With parts :math:`\lambda_e \leq s_e` of the load, :math:`\sum_e \lambda_e = 1`, on soles :math:`S_e` it is the hull of the
    :math:`\sum_e \lambda_e S_e` for the corners of those loads: one foot after the other takes all that it may.

    Args:
        model: Robot.
        poses: Poses of all effectors, shape ``(effectors, 4, 4)``.
        max_load_ratios: Largest load ratio of each effector, by its index.
        inset: How far inside the real edges of each sole the corners are taken [m].

    Returns:
        Vertices counter-clockwise, shape ``(k, 2)`` [m]; empty where nothing supports enough.
    """
    soles = {e: _corners(model, poses[e], e, inset) for e in max_load_ratios if model.effectors[e].is_foot}
    points = []
    for order in permutations(soles):
        corner_points, remaining = np.zeros((1, 2)), FULL
        for effector in order:
            load = min(remaining, max_load_ratios[effector])
            remaining -= load
            if load > 0.0:
                corner_points = (corner_points[:, None] + load * soles[effector][None]).reshape(-1, 2)
        if remaining <= 0.0:
            points.append(corner_points)
    return compute_convex_hull(np.concatenate(points)) if points else np.zeros((0, 2))


def _corners(model: RobotModel, pose: np.ndarray, effector: int, inset: float) -> np.ndarray:
    half_lengths = model.effectors[effector].half_lengths
    if half_lengths is None:
        return pose[None, :2, 3]
    return np.asarray((compute_sole_corners(half_lengths, inset) @ pose[:3, :3].T + pose[:3, 3])[:, :2])


def find_ground(model: RobotModel, poses: np.ndarray, max_load_ratios: dict[int, float]) -> float:
    """Find the height of the ground that a load stands on [m]: that of the feet, weighted by their largest load ratios."""
    feet = {effector: max_ratio for effector, max_ratio in max_load_ratios.items() if model.effectors[effector].is_foot}
    weight = sum(feet.values())
    return sum(max_ratio * float(poses[e, 2, 3]) for e, max_ratio in feet.items()) / weight if weight > 0.0 else 0.0
