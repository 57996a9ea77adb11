r"""Rows that keep feet which do not bear from sinking into the ground that is known: what stands still of a robot's crouch.

A foot that was lifted keeps its place while the operator moves something else; where the legs cannot keep it there, it would
go down with the base, meet the ground and push the robot over. The lowest point of the foot, at r from its contact frame, may
come near a height h only as far as a part of what is left:

.. math::

    [J_v - [r]_\times J_\omega]_z \, \Delta q \geq -\alpha \max(0, p_z + r_z - h).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import UNBOUNDED, compute_sole_corners
from handhold.robots.model import RobotModel


def list_corners(model: RobotModel) -> np.ndarray:
    """Return the corners of each effector's sole in its contact frame, zeros for a ball, shape ``(effectors, 4, 3)`` [m]."""
    return np.stack([compute_sole_corners(effector.half_lengths or (0.0, 0.0)) for effector in model.effectors])


@njit(cache=True)
def find_lowest(pose: np.ndarray, corners: np.ndarray, radius: float) -> np.ndarray:
    """Find the lowest point of a sole or a ball, from its contact frame and in world axes, shape ``(3,)`` [m]."""
    lowest = np.array([0.0, 0.0, np.inf])
    for corner in corners:
        height = pose[2, 0] * corner[0] + pose[2, 1] * corner[1] + pose[2, 2] * corner[2] - radius
        if height < lowest[2]:
            for i in range(2):
                lowest[i] = pose[i, 0] * corner[0] + pose[i, 1] * corner[1] + pose[i, 2] * corner[2]
            lowest[2] = height
    return lowest


@njit(cache=True)
def fill_ground_rows(
    feet: np.ndarray,
    poses: np.ndarray,
    jacobians: np.ndarray,
    corners: np.ndarray,
    radii: np.ndarray,
    floors: np.ndarray,
    share: float,
    first: int,
    limits: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill a row a foot.

    Args:
        feet: Places of the feet that do not bear, shape ``(feet,)``.
        poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``.
        jacobians: Their Jacobians with world axes, shape ``(effectors, 6, nv)``, linear rows first.
        corners: See ``list_corners``.
        radii: Radii of the balls, 0 for soles, shape ``(effectors,)`` [m].
        floors: Heights that the feet stay above, shape ``(effectors,)`` [m]; minus infinity for none.
        share: Part of the distance that may be used up in this step [-].
        first: First limit row to fill.
        limits: Limit rows over (dq, y) and their lower bounds.
    """
    rows, lower = limits
    nv = jacobians.shape[2]
    for k in range(feet.size):
        foot, row = feet[k], first + k
        rows[row, :nv] = 0.0
        lower[row] = -UNBOUNDED
        if floors[foot] == -np.inf:
            continue
        arm = find_lowest(poses[foot], corners[foot], radii[foot])
        for j in range(nv):
            # omega x r, its vertical part
            turning = jacobians[foot, 3, j] * arm[1] - jacobians[foot, 4, j] * arm[0]
            rows[row, j] = jacobians[foot, 2, j] + turning
        lower[row] = -share * max(0.0, poses[foot, 2, 3] + arm[2] - floors[foot])
