"""Where a clutched hand's motion asks its effector to go."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.rotation import multiply_transposed


@njit(cache=True)
def compute_relative_command(hand: np.ndarray, hand_at_start: np.ndarray, reference_at_start: np.ndarray) -> np.ndarray:
    r"""Compute where a hand's motion since the clutch closed asks its effector to go.

    .. math::

        p = p_{ref,0} + (p_{hand} - p_{hand,0}), \qquad R = R_{hand} R_{hand,0}^T R_{ref,0}

    Args:
        hand: Pose of the operator's hand now, in world, homogeneous, shape ``(4, 4)``.
        hand_at_start: The same when the clutch closed.
        reference_at_start: Reference pose of the effector when the clutch closed, homogeneous, shape ``(4, 4)``.

    Returns:
        Commanded pose of the effector in world, homogeneous, shape ``(4, 4)``.
    """
    turn = multiply_transposed(hand, hand_at_start)
    command = np.eye(4)
    for i in range(3):
        command[i, 3] = reference_at_start[i, 3] + (hand[i, 3] - hand_at_start[i, 3])
        for j in range(3):
            command[i, j] = (
                turn[i, 0] * reference_at_start[0, j]
                + turn[i, 1] * reference_at_start[1, j]
                + turn[i, 2] * reference_at_start[2, j]
            )
    return command
