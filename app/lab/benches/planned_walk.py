"""A gait that walks on nothing but its own plan: feet and ground are as it thinks, there is no physics."""

from __future__ import annotations

import numpy as np

from handhold.retarget.walking.entry import find_walking_feet
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.gait import Gait
from handhold.retarget.walking.gait_sample import GaitMeasurement, GaitSample
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.swing_moment import compute_swing_moment
from handhold.robots.description import Walking
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver

DT = 2e-3
"""Period of the gait [s]."""

TOUCHES = 1e-4
"""Height under which a foot has come down [m]."""

PRESSES = 0.02
"""Part of the weight with which a foot presses at touchdown, before it is given its load ratio [-]."""


def make_gait(
    model: RobotModel, solver: QpSolver, *, walking: Walking | None = None, parameters: GaitParameters | None = None
) -> Gait:
    """Make the gait of a robot that stands in its nominal posture.

    Args:
        model: Robot.
        solver: Solves QP2.
        walking: How it walks; None for its description's way.
        parameters: How to plan; None for the defaults.

    Raises:
        CannotWalk: The robot's description does not say how it walks.
    """
    described, feet = find_walking_feet(model)
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    poses = kinematics.poses[list(feet)]
    sole = np.array(model.effectors[feet[0]].half_lengths)
    com = np.array([*poses[:, :2, 3].mean(axis=0), kinematics.position_com_in_world[2]])
    return Gait(walking or described, sole, poses, com, solver, parameters, compute_swing_moment(model, feet[0]))


class PlannedWalk:
    """Walks a gait on level ground of height 0.

    Attributes:
        gait: The gait.
    """

    def __init__(self, gait: Gait, ground: GroundMap | None = None) -> None:
        """Begin where the gait stands.

        Args:
            gait: Walks.
            ground: What it is told of the ground; every place for a sole has to be at height 0.
        """
        self.gait, self._ground = gait, ground
        self._load_ratios = np.full(2, 0.5)

    def step(self, velocity: WalkingVelocity) -> GaitSample:
        """Go on by ``DT`` at a velocity."""
        forces = np.where(self.gait.feet[:, 2, 3] <= TOUCHES, PRESSES + self._load_ratios, 0.0)
        sample = self.gait.step(velocity, GaitMeasurement(poses=self.gait.feet.copy(), forces=forces, ground=self._ground), DT)
        self._load_ratios = sample.load_ratios
        return sample
