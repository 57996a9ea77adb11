"""Where a simulated robot starts: the nearest feasible equilibrium to its nominal posture."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko import Seiko
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver


def find_standing_posture(model: RobotModel) -> np.ndarray:
    """Find a configuration in which the robot stands in balance, shape ``(nq,)``.

    Raises:
        NoEquilibrium: The nominal posture of the description is too far from one.
    """
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    stance = Stance(model, standing, inset=model.description.margins.reference)
    seiko = Seiko(model, stance, model.q_nominal, make_solver("daqp"))
    seiko.settle()
    return seiko.q
