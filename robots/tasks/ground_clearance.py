r"""Feet in the air that do not sink into the ground that is known, while the robot crouches.

A swing foot keeps its pose while the operator moves something else; where the legs cannot keep it there, it would
go down with the base, meet the ground and push the robot over. The lowest point of the foot, at r from its contact frame, may
come near a height h only as far as a part of what is left:

.. math::

    [J_v - [r]_\times J_\omega]_z \, \Delta q \geq -\alpha \max(0, p_z + r_z - h).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.contact import UNBOUNDED, compute_sole_corners
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.tasks.task import Limit


class GroundClearance(Limit):
    r"""One row a foot.

    Attributes:
        floors: Heights that the effectors stay above, shape ``(effectors,)`` [m]; minus infinity for none.
        barrier: :math:`\alpha`, part of the distance that may be used up [-].
    """

    def __init__(self, model: RobotModel, kinematics: EffectorKinematics, feet: np.ndarray) -> None:
        """Keep feet up, given by their indices among the effectors, shape ``(feet,)``."""
        super().__init__(len(feet))
        self.floors, self.barrier = np.full(len(model.effectors), -np.inf), 1.0
        self._feet = feet
        self._from = (kinematics.poses, kinematics.jacobians, list_corners(model), list_radii(model))
        self._names = tuple(f"{model.effectors[foot].name} over the ground" for foot in feet)

    def fill(self) -> None:
        """Fill rows and bounds."""
        if self.row_count:
            fill_ground_rows(self._feet, self._from, self.floors, self.barrier, self.rows, self.lower)

    def name_row(self, row: int) -> str:
        """Return the foot."""
        return self._names[row]


def list_radii(model: RobotModel) -> np.ndarray:
    """Return the radii of the effectors' balls, 0 for soles, shape ``(effectors,)`` [m]."""
    return np.array([effector.radius for effector in model.effectors])


def list_corners(model: RobotModel) -> np.ndarray:
    """Return the corners of each effector's sole in its contact frame, zeros for a ball, shape ``(effectors, 4, 3)`` [m]."""
    return np.stack([compute_sole_corners(effector.half_lengths or (0.0, 0.0)) for effector in model.effectors])


def compute_lowest(model: RobotModel, effector: int, pose: np.ndarray) -> float:
    """Compute the height in world of the lowest point of a contact at a pose in world, shape ``(4, 4)`` [m]."""
    return float(pose[2, 3] + find_lowest(pose, list_corners(model)[effector], list_radii(model)[effector])[2])


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
    effectors: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    floors: np.ndarray,
    barrier: float,
    rows: np.ndarray,
    lower: np.ndarray,
) -> None:
    """Fill rows and lower bounds (see ``GroundClearance``).

    Args:
        feet: Indices of the feet, shape ``(feet,)``.
        effectors: Poses, Jacobians, corners and radii of all effectors.
        floors: Heights that the effectors stay above, shape ``(effectors,)`` [m].
        barrier: Part of the distance that may be used up [-].
        rows: Filled, shape ``(feet, size of x)``.
        lower: Filled, shape ``(feet,)``.
    """
    poses, jacobians, corners, radii = effectors
    nv = jacobians.shape[2]
    for k in range(feet.size):
        foot = feet[k]
        rows[k, :nv] = 0.0
        lower[k] = -UNBOUNDED
        if floors[foot] == -np.inf:
            continue
        arm = find_lowest(poses[foot], corners[foot], radii[foot])
        for j in range(nv):
            # omega x r, its vertical part
            turning = jacobians[foot, 3, j] * arm[1] - jacobians[foot, 4, j] * arm[0]
            rows[k, j] = jacobians[foot, 2, j] + turning
        lower[k] = -barrier * max(0.0, poses[foot, 2, 3] + arm[2] - floors[foot])
