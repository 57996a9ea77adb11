"""Kinematics of a moving body: what a reference says of effectors and centre of mass."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.chart import BodyState
from handhold.robots.model import RobotModel


class MovingBody:
    """Poses, velocities and accelerations of all effectors, and of the centre of mass.

    Attributes:
        poses: Effectors in world, shape ``(effectors, 4, 4)``.
        velocities: Linear and angular, in world axes, shape ``(effectors, 6)``.
        accelerations: Likewise, shape ``(effectors, 6)``.
        com: Centre of mass, its velocity and its acceleration, shape ``(3, 3)``.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model, self._data = model, model.pinocchio.createData()
        count = len(model.effectors)
        self.poses = np.tile(np.eye(4), (count, 1, 1))
        self.velocities, self.accelerations = np.zeros((count, 6)), np.zeros((count, 6))
        self.com = np.zeros((3, 3))

    def update(self, state: BodyState) -> None:
        """Compute everything for a state of the body."""
        model, data, axes = self._model.pinocchio, self._data, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.centerOfMass(model, data, state.q, state.v, state.a)
        pin.forwardKinematics(model, data, state.q, state.v, state.a)
        self.com = np.stack([data.com[0], data.vcom[0], data.acom[0]])
        for index, frame in enumerate(self._model.effector_frames):
            self.poses[index] = pin.updateFramePlacement(model, data, frame).homogeneous
            self.velocities[index] = pin.getFrameVelocity(model, data, frame, axes).vector
            self.accelerations[index] = pin.getFrameClassicalAcceleration(model, data, frame, axes).vector
