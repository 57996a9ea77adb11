r"""Where the fingers of grippers are drawn: on joints that slide and are no part of a robot's configuration.

.. math:: T_f = T_{p(f)} \begin{bmatrix} 1 & c_{g(f)}\, R_{g(f)}\, t_f \\ 0 & 1 \end{bmatrix}

with the joint :math:`p(f)` that carries the gripper, its closing c from 0 to 1, the orientation R of the gripper's frame in
that joint's, and the finger's travel t. They are numbered after the model's own joints: the first is ``njoints``.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel


class FingerPoses:
    """The fingers of one robot.

    Attributes:
        parents: Pinocchio's id of the joint that carries each, shape ``(fingers,)``.
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the fingers of a robot's grippers, in the order of its description."""
        grippers = model.description.grippers
        frames = [model.pinocchio.frames[model.pinocchio.getFrameId(gripper.frame)] for gripper in grippers]
        fingers = [(index, finger) for index, gripper in enumerate(grippers) for finger in gripper.fingers]
        self.parents = np.array([frames[index].parentJoint for index, _ in fingers], dtype=np.int64)
        self._grippers = np.array([index for index, _ in fingers], dtype=np.int64)
        travels = [frames[index].placement.rotation @ np.array(finger.travel) for index, finger in fingers]
        self._travels = np.array(travels, dtype=np.float32).reshape(-1, 3)
        self._count = len(grippers)

    def compute(self, joints: np.ndarray, closings: np.ndarray) -> np.ndarray:
        """Compute the poses of all fingers in world, shape ``(fingers, 4, 4)``, float32.

        Args:
            joints: Poses of all joints, shape ``(joints, 4, 4)``.
            closings: How far each gripper is closed, 0 to 1, shape ``(grippers,)``; where it is not known they are open.
        """
        poses: np.ndarray = joints[self.parents]
        if closings.shape == (self._count,) and np.isfinite(closings).all():
            displacements = closings.astype(np.float32)[self._grippers, None] * self._travels
            poses[:, :3, 3] += np.einsum("fij,fj->fi", poses[:, :3, :3], displacements)
        return poses


def number_fingers(model: RobotModel) -> dict[int, int]:
    """Return the number of the sliding joint that carries each link of a finger, by Pinocchio's id of the link's frame."""
    fingers = [finger for gripper in model.description.grippers for finger in gripper.fingers]
    robot = model.pinocchio
    return {robot.getFrameId(link): robot.njoints + k for k, finger in enumerate(fingers) for link in finger.links}
