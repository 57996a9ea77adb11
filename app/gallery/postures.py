"""Postures for pictures: a hand put somewhere by a few steps of inverse kinematics."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel

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
    frame, data = model.effector_frames[effector], model.pinocchio.createData()
    moved = np.array([6 + i for i, name in enumerate(model.joint_names) if any(part in name for part in joints.split())])
    q = q.copy()
    for _ in range(STEPS):
        J = pin.computeFrameJacobian(model.pinocchio, data, q, frame, pin.LOCAL_WORLD_ALIGNED)[:3, moved]
        pin.framesForwardKinematics(model.pinocchio, data, q)
        missing = position - data.oMf[frame].translation
        q[moved + 1] += GAIN * J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(3), missing)
        q[7:] = np.clip(q[7:], model.lower, model.upper)
    return q
