"""What stays the same during a session and is needed to make scenes: the robot's kinematics and limits, and the world."""

from __future__ import annotations

from copy import copy

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.render.elements.element import Element
from handhold.render.elements.surroundings import draw_floor, draw_solids
from handhold.render.fingers import FingerPoses
from handhold.render.kinematics import JointPoses
from handhold.render.obstacles import Obstacles
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World

EYE_WITHOUT_CAMERA = (0.1, 0.0, 0.6)
"""Where the eyes of a robot without a camera are in its base's frame [m]."""

_OPEN = np.zeros(0)
"""Closings that are not known."""


class Stage:
    """A robot's kinematics and limits, and the world it is in, ready for making scenes.

    Attributes:
        model: The robot.
        robot: Its name.
        standing: Which effectors are feet, shape ``(effectors,)``.
        finger_parents: Pinocchio's ids of the joints that carry fingers, shape ``(fingers,)``.
        effector_joints: Pinocchio's ids of the joints that carry the effectors, shape ``(effectors,)``.
        hides_view: Which joints' meshes hide the view from the robot's own eyes, shape ``(joints,)``.
        position_eye_in_base: Where its eyes are in its base's frame in its nominal posture, shape ``(3,)`` [m].
        surroundings: The floor and the world's solids.
        solids: The elements of each solid.
        obstacles: The solids as obstacles.
    """

    def __init__(self, model: RobotModel, world: World | None = None) -> None:
        """Take a robot and its world; by default only the ground."""
        self.model = model
        self.robot = model.description.name
        self.effector_joints = np.array(model.effector_joints)
        self.standing = np.array([effector.standing for effector in model.effectors])
        self.solids = draw_solids(world)
        self.surroundings: tuple[Element, ...] = (draw_floor(), *(element for solid in self.solids for element in solid))
        self.obstacles = Obstacles(world.solids if world else ())
        self._data = model.pinocchio.createData()
        self._joint_poses, self._fingers = JointPoses(model), FingerPoses(model)
        self.finger_parents = self._fingers.parents
        self._effector_indices = {effector.name: index for index, effector in enumerate(model.effectors)}
        joint, self.position_eye_in_base = self._find_eye()
        self.hides_view = self._find_what_hides_the_view(joint)
        self.visible, self.visible_from_inside = np.ones_like(self.hides_view), ~self.hides_view

    def without_surroundings(self) -> Stage:
        """Return the same robot in a world of which nothing is drawn, for a display on which the real room is seen."""
        stage = copy(self)
        stage.surroundings, stage.solids = (), ()
        return stage

    def compute_joints(self, q: np.ndarray, closings: np.ndarray = _OPEN) -> np.ndarray:
        """Compute the poses of all joints in world, those of fingers after the model's, ``(joints, 4, 4)``, float32.

        Args:
            q: Configuration, shape ``(nq,)``.
            closings: How far each gripper is closed, 0 to 1, shape ``(grippers,)``; empty where it is not known.
        """
        joints = self._joint_poses.compute(q)
        if not self.finger_parents.size:
            return joints
        return np.concatenate([joints, self._fingers.compute(joints, closings)])

    def compute_effectors(self, joints: np.ndarray) -> np.ndarray:
        """Compute the poses of all contact frames in world from those of the joints, shape ``(effectors, 4, 4)``."""
        return joints[self.effector_joints] @ self.model.effector_placements

    def find_effector(self, name: str) -> int | None:
        """Return the index of an effector by its name; None where the robot has none of that name."""
        return self._effector_indices.get(name)

    def compute_loads(self, q: np.ndarray, joint_torques: np.ndarray) -> np.ndarray:
        """Compute how much of its torque or position limit each actuated joint uses.

        Args:
            q: Configuration, shape ``(nq,)``.
            joint_torques: Shape ``(n,)`` [Nm], or empty where not known.

        Returns:
            The larger load ratio of the two: 1 at a limit, shape ``(n,)``. Of the position's range the middle is 0.
        """
        model = self.model
        torques = np.array(joint_torques if joint_torques.size == model.n else np.zeros(model.n))
        return _compute_loads(np.array(q[7:]), torques, model.lower, model.upper, model.torque_limits)

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
        hides = np.zeros(model.njoints + len(self.finger_parents), dtype=bool)
        max_children = 0
        while joint is not None and joint > 1 and len(model.children[joint]) <= max_children:
            hides[joint] = True
            joint, max_children = int(model.parents[joint]), 1
        return hides


_POSITION_COUNTS_FROM = 0.5
"""Ratio of a joint's range to either side from which on its position counts as load."""


@njit(cache=True)
def _compute_loads(
    positions: np.ndarray, torques: np.ndarray, lower: np.ndarray, upper: np.ndarray, torque_limits: np.ndarray
) -> np.ndarray:
    loads = np.zeros(len(positions))
    for i in range(len(positions)):
        middle, half = 0.5 * (upper[i] + lower[i]), 0.5 * (upper[i] - lower[i])
        # Only the last part of the range counts, or a joint that rests at its limit's half would look loaded.
        used = (abs(positions[i] - middle) / max(half, 1e-6) - _POSITION_COUNTS_FROM) / (1.0 - _POSITION_COUNTS_FROM)
        load = max(used, abs(torques[i]) / torque_limits[i])
        loads[i] = 1.0 if load == np.inf else (load if load > 0.0 else 0.0)
    return loads
