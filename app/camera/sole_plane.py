"""The plane through the soles that a robot stands on, as its kinematics have it."""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel

MAX_UNEVENNESS = 0.01
"""Distance of a sole's corner from the plane through all from which on the soles are not on one floor [m]."""

MIN_EXTENT = 0.02
"""Standard deviation of the points across their narrowest direction in the plane below which they give no plane [m]."""

_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def find_sole_plane(model: RobotModel, q: np.ndarray, effectors: tuple[int, ...] | None = None) -> np.ndarray | None:
    """Find the plane through the soles.

    Args:
        model: The robot.
        q: Configuration, shape ``(nq,)``.
        effectors: Those that bear the robot on the floor; all that it starts standing on as a rule.

    Returns:
        ``(n, c)`` in world with n^T p + c = 0 and n upwards out of the floor, shape ``(4,)`` [-, m]; None where the soles are
        not on one plane.
    """
    if effectors is None:
        effectors = tuple(k for k, effector in enumerate(model.effectors) if effector.standing)
    if not effectors:
        return None
    poses = model.effector_poses(q)[list(effectors)]
    points = np.concatenate([_list_points(model, e, pose) for e, pose in zip(effectors, poses, strict=True)])
    middle = points.mean(axis=0)
    _, extents, axes = np.linalg.svd(points - middle)
    normal = axes[2] if axes[2] @ poses[:, :3, 2].sum(axis=0) > 0.0 else -axes[2]
    if len(points) < 3 or extents[1] < MIN_EXTENT * np.sqrt(len(points)):
        return None
    if np.abs((points - middle) @ normal).max() > MAX_UNEVENNESS:
        return None
    return np.append(normal, -normal @ middle)


def _list_points(model: RobotModel, effector: int, pose: np.ndarray) -> np.ndarray:
    """Return the corners of a sole, or the lowest point of a ball, in world, shape ``(points, 3)``."""
    about = model.effectors[effector]
    if about.half_lengths is None:
        return np.array([pose[:3, 3] - [0.0, 0.0, about.radius]])
    corners = np.column_stack([_CORNERS * about.half_lengths, np.zeros(4)])
    return np.asarray(corners @ pose[:3, :3].T + pose[:3, 3])
