"""Whether a robot has fallen."""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState

MAX_TILT = np.deg2rad(50.0)
"""Tilt of the base against its nominal attitude beyond which no controller here recovers [rad]."""

MIN_HEIGHT = 0.55
"""Part of the nominal height of the base above the soles below which the robot is on its knees or lower [-]."""


def has_fallen(model: RobotModel, state: RobotState, ground: float = 0.0) -> bool:
    """Judge from the base's tilt, and from its height above the ground; what is bolted down does not fall.

    A base that is not a number counts as fallen: nobody can balance what he cannot measure.

    Args:
        model: Robot; in its nominal posture its soles are at height zero.
        state: What it measures.
        ground: Height of what it stands on in world, such as ``find_ground`` tells [m].
    """
    if model.description.is_fixed:
        return not bool(np.isfinite(state.q[:7]).all())
    x, y = state.q[3], state.q[4]
    # Cosine of the angle between the base's z axis and the vertical.
    upright = 1.0 - 2.0 * (x * x + y * y)
    is_standing = upright >= np.cos(MAX_TILT) and state.q[2] - ground >= MIN_HEIGHT * model.q_nominal[2]
    return not is_standing


def find_ground(model: RobotModel, effector_poses: np.ndarray) -> float:
    """Return the height in world of the lowest sole [m]: a robot on a stair, or on one foot, stands on that one.

    Args:
        model: Robot.
        effector_poses: Measured poses of the effectors' contact frames in world, shape ``(effectors, 4, 4)``.
    """
    return min(float(effector_poses[k, 2, 3]) for k, effector in enumerate(model.effectors) if effector.standing)
