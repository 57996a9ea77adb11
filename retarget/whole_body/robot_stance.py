"""Where a robot stands, and what its body does there, in the terms of what it is asked to follow."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.retarget.whole_body.body_targets import BodyTargets
from handhold.retarget.whole_body.com_offset import measure_offset
from handhold.retarget.whole_body.limb_directions import HingeAxes, LimbDirections
from handhold.robots.model import RobotModel


class RobotStance:
    """The axes of a robot's feet: the middle between them, x where they point on the average, z up.

    A foot that is lifted leaves them where they are.

    Attributes:
        frame: Those axes in world, homogeneous, shape ``(4, 4)``.
    """

    def __init__(self, model: RobotModel, mapping: BodyMapping) -> None:
        """Take the parts of a robot that follow a person."""
        self._mapping = mapping
        self._limbs = LimbDirections(model, [limb for arm in mapping.arms for limb in arm.limbs])
        self._hinges = HingeAxes(model, [arm.elbow for arm in mapping.arms], np.array([arm.hinge for arm in mapping.arms]))
        self.frame = np.eye(4)
        # Both soles and the axes between them, as of when both stood.
        self._soles, self._between = np.tile(np.eye(4), (2, 1, 1)), np.eye(4)

    def follow(self, seiko: Seiko) -> None:
        """Follow the feet in contact."""
        feet = seiko.kinematics.poses[list(self._mapping.feet)]
        standing = [k for k, foot in enumerate(self._mapping.feet) if foot in seiko.stance.effectors]
        if len(standing) == len(feet):
            self._soles, self.frame = feet, _find_axes(feet)
            self._between = self.frame
        elif standing:
            foot = standing[0]
            self.frame = feet[foot] @ np.linalg.inv(self._soles[foot]) @ self._between

    def find_feet(self, seiko: Seiko) -> tuple[np.ndarray, np.ndarray]:
        """Return the middles of the left and the right sole, seen from above, shape ``(2,)`` each [m]."""
        left, right = seiko.kinematics.poses[list(self._mapping.feet), :2, 3]
        return left, right

    def measure(self, seiko: Seiko) -> BodyTargets:
        """Return what would be asked of the robot if it were to stay as it is."""
        mapping, kinematics = self._mapping, seiko.kinematics
        back, turn = np.linalg.inv(self.frame), self.frame[:3, :3]
        self._limbs.update(kinematics)
        self._hinges.update(kinematics)
        joints = kinematics.joint_poses
        rotations = np.stack([joints[joint, :3].T for joint in mapping.turned])
        return BodyTargets(
            rotations=turn.T @ rotations,
            limbs=self._limbs.directions @ turn,
            hinges=self._hinges.directions @ turn,
            hands=back @ kinematics.poses[[arm.hand for arm in mapping.arms]],
            feet=back @ kinematics.poses[list(mapping.feet)],
            pelvis=(back @ np.append(joints[1, 3], 1.0))[:3],
            com=measure_offset(kinematics.position_com_in_world[:2], *self.find_feet(seiko), mapping.sole_half_length),
        )


def _find_axes(feet: np.ndarray) -> np.ndarray:
    """Return the axes between two soles, shape ``(4, 4)``, of their poses, shape ``(2, 4, 4)``."""
    forward = feet[:, :2, 0].sum(axis=0)
    cosine, sine = forward / max(float(np.linalg.norm(forward)), 1e-9)
    frame = np.eye(4)
    frame[:2, :2] = [[cosine, -sine], [sine, cosine]]
    frame[:3, 3] = feet[:, :3, 3].mean(axis=0)
    return frame
