r"""The posture of a robot whose arms hang: what corresponds to how a person stands during calibration.

Gauss-Newton steps on the directions :math:`d_i` of upper arms and forearms (see ``limb_directions``), towards straight down,
with all other joints left as they are, and the arms' within their limits:

.. math:: \min_{\Delta q} \sum_i \|J_{d_i} \Delta q - (d^* - d_i)\|^2 + \lambda \|\Delta q\|^2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.retarget.whole_body.limb_directions import LimbDirections
from handhold.robots.kinematics import EffectorKinematics, find_moving_columns
from handhold.robots.model import RobotModel

STEPS, DAMPING, MAX_CHANGE = 200, 1e-3, 0.1
"""Number of steps; weight of a step [1/rad^2]; largest one of a joint [rad]."""

_DOWN = np.array([0.0, 0.0, -1.0])


def hang_arms(model: RobotModel, arms: Sequence[tuple[int, int, int]]) -> np.ndarray:
    """Return the nominal configuration with the arms hanging as far as they can, shape ``(nq,)``.

    Args:
        model: The robot.
        arms: Pinocchio's ids of each arm's joints at shoulder, elbow and wrist.
    """
    limbs = [pair for shoulder, elbow, wrist in arms for pair in ((shoulder, elbow), (elbow, wrist))]
    kinematics, directions, q = EffectorKinematics(model), LimbDirections(model, limbs), model.q_nominal.copy()
    joints = _list_arm_joints(model, arms)
    for _ in range(STEPS):
        kinematics.update(q)
        directions.update(kinematics)
        jacobian = directions.jacobians[:, :, 6 + joints].reshape(-1, len(joints))
        error = (_DOWN - directions.directions).ravel()
        step = np.linalg.solve(jacobian.T @ jacobian + DAMPING * np.eye(len(joints)), jacobian.T @ error)
        moved = q[7 + joints] + np.clip(step, -MAX_CHANGE, MAX_CHANGE)
        q[7 + joints] = np.clip(moved, model.lower[joints], model.upper[joints])
    return q


def _list_arm_joints(model: RobotModel, arms: Sequence[tuple[int, int, int]]) -> np.ndarray:
    """Return the indices among the actuated joints of those that move one wrist and no foot or other wrist."""
    supports = [find_moving_columns(model, wrist) for _, _, wrist in arms]
    feet = [find_moving_columns(model, j) for j, e in zip(model.effector_joints, model.effectors, strict=True) if e.is_foot]
    moved = sum(supports) + 2.0 * sum(feet)
    return np.flatnonzero(np.asarray(moved)[6:] == 1.0)
