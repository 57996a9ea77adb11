"""Postures for pictures: a hand put somewhere by inverse kinematics."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics, damp_motion
from handhold.robots.qp import make_solver
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.pose import BOTH, POSITION, FrameTargets, PoseTask

STEPS = 200
GAIN = 0.3
DAMPING = 1e-2


def reach(model: RobotModel, q: np.ndarray, hand: str, position: np.ndarray, joints: str) -> np.ndarray:
    """Return a posture in which a hand is as near to a position as it gets.

    Args:
        model: The robot.
        q: Posture to begin with, shape ``(nq,)``.
        hand: ``"left"`` or ``"right"``.
        position: Where it goes in world, shape ``(3,)`` [m].
        joints: What the names of the joints that move contain, several separated by blanks.
    """
    effector = model.effector_of_hand(hand)
    assert effector is not None
    inverse, targets = _move_joints(model, q, effector, POSITION, joints)
    targets.poses[effector, :3, 3] = position
    return inverse.solve(q, iterations=STEPS)


def turn(model: RobotModel, q: np.ndarray, hand: str, axis: np.ndarray, joints: str) -> np.ndarray:
    """Return a posture in which the z axis of a hand's contact frame points along an axis, its position as before.

    Args:
        model: The robot.
        q: Posture to begin with, shape ``(nq,)``.
        hand: ``"left"`` or ``"right"``.
        axis: In world, unit, shape ``(3,)``.
        joints: See ``reach``.
    """
    effector = model.effector_of_hand(hand)
    assert effector is not None
    inverse, targets = _move_joints(model, q, effector, BOTH, joints)
    pose = inverse.kinematics.poses[effector]
    for _ in range(STEPS):
        # About the axis itself nothing is asked.
        targets.poses[effector, :3, :3] = pin.exp3(np.cross(pose[:3, 2], axis)) @ pose[:3, :3]
        q = inverse.solve(q, iterations=1)
    return q


def _move_joints(
    model: RobotModel, q: np.ndarray, effector: int, halves: tuple[int, int], joints: str
) -> tuple[InverseKinematics, FrameTargets]:
    """Return inverse kinematics that move an effector by some of the joints, and its target, which is where it is."""
    kinematics = EffectorKinematics(model)
    kinematics.update(q)
    targets = FrameTargets.at_rest(kinematics)
    task = PoseTask(kinematics, np.array([effector]), targets, weights=np.ones(6), halves=halves, gain=GAIN)
    anywhere = np.full(model.n, np.inf)
    limits = JointLimits(model, -anywhere, anywhere)
    limits.max_change = np.array(
        [np.inf if any(part in name for part in joints.split()) else 0.0 for name in model.joint_names]
    )
    tasks, within = (task, *damp_motion(model, DAMPING)), (model.lower, model.upper)
    solver = make_solver("daqp")
    return InverseKinematics(model, kinematics, solver, tasks, (limits,), max_base_motion=0.0, within=within), targets
