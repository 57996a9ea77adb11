"""Where a simulated robot starts: the nearest feasible equilibrium to its nominal posture."""

from __future__ import annotations

import numpy as np

from handhold.app.errors import AppError
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver


class NothingStands(AppError):
    """A robot is to stand, and its description names nothing that it stands on."""

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(f"{source}: the robot stands on nothing; give the effectors of its feet standing = true")


def find_standing_posture(model: RobotModel) -> np.ndarray:
    """Find a configuration in which the robot stands in balance, shape ``(nq,)``.

    Raises:
        NothingStands: No effector of the description is standing.
        NoEquilibrium: The nominal posture of the description is too far from one.
    """
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    if not standing:
        raise NothingStands(model.description.source)
    stance = Stance.of_reference(model, standing)
    seiko = Seiko(model, stance, model.q_nominal, make_solver("daqp"))
    seiko.project_to_equilibrium()
    return seiko.q
