"""Distribution of the force that moves the centre of mass to the feet."""

from __future__ import annotations

import numpy as np

from handhold.robots.model import GRAVITY


def compute_foot_wrenches(
    mass: float,
    acceleration: np.ndarray,
    zmp: np.ndarray,
    foot_poses: np.ndarray,
    load_ratios: np.ndarray,
    half_lengths: np.ndarray,
) -> np.ndarray:
    r"""Compute wrenches of the feet whose sum moves the centre of mass and passes through the ZMP.

    Each foot takes its load ratio :math:`\lambda_e` of the force :math:`m (\ddot c + g)`, at the same point of it: the offset
    :math:`z - \sum_e \lambda_e f_e`, as far as the sole reaches.

    Args:
        mass: Mass of the robot [kg].
        acceleration: Its acceleration seen from above, shape ``(2,)`` [m/s^2].
        zmp: Zero moment point, shape ``(2,)`` [m].
        foot_poses: Poses of the soles in world, shape ``(feet, 4, 4)``.
        load_ratios: Shape ``(feet,)``, sum 1 [-].
        half_lengths: How far from the middle of a sole its centre of pressure may be, shape ``(2,)`` [m].

    Returns:
        Wrenches exerted by the environment in the soles' frames, shape ``(feet, 6)``: force [N], moment [Nm].
    """
    force = mass * np.array([acceleration[0], acceleration[1], GRAVITY])
    middle = load_ratios @ foot_poses[:, :2, 3]
    offset = np.array([*(zmp - middle), 0.0])
    wrenches = np.zeros((len(load_ratios), 6))
    for k, load_ratio in enumerate(load_ratios):
        rotation = foot_poses[k, :3, :3]
        local_force, local_offset = load_ratio * (rotation.T @ force), rotation.T @ offset
        x, y = np.clip(local_offset[:2], -half_lengths, half_lengths)
        wrenches[k] = [*local_force, y * local_force[2], -x * local_force[2], 0.0]
    return wrenches
