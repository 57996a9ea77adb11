"""What was commanded to one joint, and what the robot told of all joints meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class JointRecord:
    """One row a period, k of them.

    Attributes:
        joint: Index of the joint that was moved.
        stiffness: Gain on its position [Nm/rad].
        damping: Gain on its velocity [Nms/rad].
        times: When each state arrived, shape ``(k,)`` [s].
        positions: Of all joints as it told them, shape ``(k, n)`` [rad].
        velocities: Likewise [rad/s].
        torques: That the drives said they gave, likewise [Nm].
        angular_velocities: Of the inertial unit, shape ``(k, 3)`` [rad/s].
        specific_forces: Likewise [m/s^2].
        sent_at: When the command that followed each state was handed to the link, shape ``(k,)`` [s], by the same clock.
        desired_positions: Of the joint, in that command, shape ``(k,)`` [rad].
        desired_velocities: Likewise [rad/s].
        feed_forward: Likewise [Nm].
    """

    joint: int
    stiffness: float
    damping: float
    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    torques: np.ndarray
    angular_velocities: np.ndarray
    specific_forces: np.ndarray
    sent_at: np.ndarray
    desired_positions: np.ndarray
    desired_velocities: np.ndarray
    feed_forward: np.ndarray
