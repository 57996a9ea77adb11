"""What stays the same during a session and is needed to make scenes: the robot's kinematics and limits, and the world."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.render.elements.element import Element
from handhold.render.elements.surroundings import draw_surroundings
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

EYE_WITHOUT_CAMERA = (0.1, 0.0, 0.6)
"""Where the eyes of a robot without a camera are in its base's frame [m]."""


class Stage:
    """A robot's kinematics and limits, and the world it is in, ready for making scenes.

    Attributes:
        model: The robot.
        robot: Its name.
        names: Names of the joints by pinocchio's ids.
        standing: Which effectors are feet, shape ``(effectors,)``.
        effector_joints: Pinocchio's ids of the joints that carry the effectors, shape ``(effectors,)``.
        carries_camera: Which joints' meshes hide the view from the robot's own eyes, shape ``(joints,)``.
        position_eye_in_base: Where its eyes are in its base's frame in its nominal posture, shape ``(3,)`` [m].
        surroundings: The floor and the world's solids.
    """

    def __init__(self, model: RobotModel, world: World | None = None) -> None:
        """Take a robot and its world; by default only the ground."""
        self.model = model
        self.robot = model.description.name
        self.effector_joints = np.array(model.effector_joints)
        self.standing = np.array([effector.standing for effector in model.effectors])
        self.surroundings: tuple[Element, ...] = draw_surroundings(world)
        self._data = model.pinocchio.createData()
        joint, self.position_eye_in_base = self._find_eye()
        self.carries_camera = self._find_what_hides_the_view(joint)

    def compute_joints(self, q: np.ndarray) -> np.ndarray:
        """Compute the poses of all joints in world at a configuration, shape ``(nq,)``, as ``(joints, 4, 4)``, float32."""
        pin.forwardKinematics(self.model.pinocchio, self._data, q)
        return np.array([pose.homogeneous for pose in self._data.oMi], dtype=np.float32)

    def compute_effectors(self, joints: np.ndarray) -> np.ndarray:
        """Compute the poses of all contact frames in world from those of the joints, shape ``(effectors, 4, 4)``."""
        return joints[self.effector_joints] @ self.model.effector_placements

    def compute_loads(self, q: np.ndarray, joint_torques: np.ndarray) -> np.ndarray:
        """Compute how much of its torque or position limit each actuated joint uses.

        Args:
            q: Configuration, shape ``(nq,)``.
            joint_torques: Shape ``(n,)`` [Nm], or empty where not known.

        Returns:
            The larger share of the two: 1 at a limit, shape ``(n,)``. Of the position's range the middle is 0.
        """
        model = self.model
        middle, half = 0.5 * (model.upper + model.lower), 0.5 * (model.upper - model.lower)
        # Only the last part of the range counts, or a joint that rests at its limit's half would look loaded.
        share = np.abs(q[7:] - middle) / np.maximum(half, 1e-6)
        loads = np.clip((share - _POSITION_COUNTS_FROM) / (1.0 - _POSITION_COUNTS_FROM), 0.0, None)
        if joint_torques.size == model.n:
            loads = np.maximum(loads, np.abs(joint_torques) / model.torque_limits)
        return np.nan_to_num(loads, nan=0.0, posinf=1.0)

    def _find_eye(self) -> tuple[int | None, np.ndarray]:
        """Return the joint that carries the first camera, and the camera in the base's frame."""
        cameras = self.model.description.cameras
        if not cameras:
            return None, np.array(EYE_WITHOUT_CAMERA)
        model = self.model.pinocchio
        frame = model.getFrameId(cameras[0].frame)
        pin.framesForwardKinematics(model, self._data, self.model.q_nominal)
        eye = self._data.oMi[1].actInv(self._data.oMf[frame] * cameras[0].offset.to_se3())
        return int(model.frames[frame].parentJoint), eye.translation.copy()

    def _find_what_hides_the_view(self, joint: int | None) -> np.ndarray:
        """Return the joint that carries the camera and, up a neck that carries nothing else, those below it."""
        model = self.model.pinocchio
        hides = np.zeros(model.njoints, dtype=bool)
        carried = 0
        while joint is not None and joint > 1 and len(model.children[joint]) <= carried:
            hides[joint] = True
            joint, carried = int(model.parents[joint]), 1
        return hides


_POSITION_COUNTS_FROM = 0.5
"""Share of a joint's range to either side from which on its position counts as load."""
