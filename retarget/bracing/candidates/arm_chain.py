"""The joints from what the legs carry to one hand, moved alone: trunk and arm."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.candidates.arm_steps import solve_chain
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel


class ArmChain:
    """The joints from what the legs carry to one hand: trunk and arm.

    Attributes:
        positions: Their indices in a configuration, shape ``(k,)``.
        own: Indices in a velocity of the model of those that carry no other effector, the arm's own.
        length: Largest distance of the hand's ball from the first of its own joints [m].
    """

    def __init__(self, model: RobotModel, hand: int) -> None:
        """Take the chain of a hand, by its index among the effectors."""
        robot = model.pinocchio
        supports = [robot.supports[joint].tolist() for joint in model.effector_joints]
        feet = {j for e, about in enumerate(model.effectors) if about.is_foot and e != hand for j in supports[e]}
        others = {j for e, joints in enumerate(supports) if e != hand for j in joints}
        chain = [j for j in supports[hand] if j > 1 and j not in feet]
        own = [j for j in chain if j not in others]
        self._root, self._shoulder = int(robot.parents[chain[0]]), own[0]
        self.positions = np.array([robot.joints[j].idx_q for j in chain])
        self.own = np.array([robot.joints[j].idx_v for j in own])
        tip = model.effector_placements[hand].copy()
        placements = np.stack([robot.jointPlacements[j].homogeneous for j in chain])
        self._geometry = (placements, _find_axes(model, chain), tip)
        self._limits = (model.lower[self.positions - 7], model.upper[self.positions - 7])
        links = placements[len(chain) - len(own) + 1 :, :3, 3]
        self.length = float(np.linalg.norm(links, axis=1).sum() + np.linalg.norm(tip[:3, 3]))

    def find_root(self, kinematics: EffectorKinematics) -> np.ndarray:
        """Return the pose in world of what carries the chain, shape ``(4, 4)``."""
        pose, root = kinematics.joint_poses[self._root], np.eye(4)
        root[:3, :3], root[:3, 3] = pose[:3].T, pose[3]
        return root

    def find_shoulder(self, kinematics: EffectorKinematics) -> np.ndarray:
        """Return where the first of the arm's own joints is in world, shape ``(3,)`` [m]."""
        return kinematics.joint_poses[self._shoulder, 3].copy()

    def reach(
        self, root: np.ndarray, position: np.ndarray, normal: np.ndarray, preferred: np.ndarray, joints: np.ndarray
    ) -> tuple[float, float]:
        """Move the joints to where the hand is at a place, or as near as it gets.

        Args:
            root: Pose in world of what carries the chain, shape ``(4, 4)``.
            position: Where the ball's middle is to be, shape ``(3,)`` [m].
            normal: Which way the hand's back is to point, unit, shape ``(3,)``.
            preferred: Joints to stay near to, shape ``(k,)`` [rad].
            joints: Where to begin; overwritten by what is found, shape ``(k,)`` [rad].

        Returns:
            The distance from the place that is left [m], and the cosine of the angle to the normal [-].
        """
        return solve_chain(root, self._geometry, self._limits, (position, normal), preferred, joints)


def _find_axes(model: RobotModel, chain: list[int]) -> np.ndarray:
    """Return the axes of joints in their own frames, shape ``(k, 3)``; zeros for one that does not turn."""
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    columns = [model.pinocchio.joints[joint].idx_v for joint in chain]
    turns = (kinematics.joint_poses[j, :3] @ kinematics.data.J[3:, c] for j, c in zip(chain, columns, strict=True))
    return np.array(list(turns))
