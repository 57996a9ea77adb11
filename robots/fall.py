"""Whether a robot has fallen."""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState

MOST_TILT = np.deg2rad(50.0)
"""Tilt of the base against its nominal attitude beyond which no controller here recovers [rad]."""

LEAST_HEIGHT = 0.55
"""Part of the nominal height of the base below which the robot is on its knees or lower [-]."""


def has_fallen(model: RobotModel, state: RobotState) -> bool:
    """Judge from the base's tilt and height alone: soles on level ground at height zero are assumed.

    A base that is not a number counts as fallen: nobody can balance what he cannot feel.
    """
    x, y = state.q[3], state.q[4]
    # Cosine of the angle between the base's z axis and the vertical.
    upright = 1.0 - 2.0 * (x * x + y * y)
    stands = upright >= np.cos(MOST_TILT) and state.q[2] >= LEAST_HEIGHT * model.q_nominal[2]
    return not stands
