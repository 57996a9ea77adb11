"""Which joints belong to one limb alone."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel


def find_arm_joints(model: RobotModel) -> np.ndarray:
    """Return which joints move one hand and no foot, shape ``(n,)``, bool."""
    moved, feet = _find_moved(model), np.array([effector.is_foot for effector in model.effectors])
    return np.asarray((moved[~feet].sum(axis=0) == 1) & ~moved[feet].any(axis=0))


def find_leg_joints(model: RobotModel) -> np.ndarray:
    """Return, an effector a row, which joints move this foot and nothing else, shape ``(effectors, n)``; no hand has any."""
    moved, feet = _find_moved(model), np.array([effector.is_foot for effector in model.effectors])
    return np.asarray(moved & feet[:, None] & (moved.sum(axis=0) == 1))


def _find_moved(model: RobotModel) -> np.ndarray:
    """Return which joints move which effector, shape ``(effectors, n)``, bool."""
    data = model.pinocchio.createData()
    jacobians = [pin.computeFrameJacobian(model.pinocchio, data, model.q_nominal, frame) for frame in model.effector_frames]
    return np.array([np.abs(jacobian[:, 6:]).max(axis=0) > 0.0 for jacobian in jacobians])
