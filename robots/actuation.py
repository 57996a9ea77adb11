"""The law between a joint command and the torques of the motors."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.errors import CommandNotFinite
from handhold.robots.robot import JointCommand


def compute_motor_torques(command: JointCommand, q: np.ndarray, v: np.ndarray, limits: np.ndarray) -> np.ndarray:
    r"""Compute the torques the motors give: :math:`\tau = \tau_{ff} + k_p (q_d - q) + k_d (v_d - v)`, clipped to the limits.

    Args:
        command: What the joints are asked to do.
        q: Joint positions at the moment of sending, shape ``(n,)`` [rad].
        v: Joint velocities at the moment of sending, shape ``(n,)`` [rad/s].
        limits: Largest torques of the motors, shape ``(n,)`` [Nm].

    Returns:
        Torques, shape ``(n,)`` [Nm].

    Raises:
        CommandNotFinite: The command has a NaN or an infinity in it.
    """
    torques = np.empty(limits.shape[0])
    finite = _limit(
        command.positions, command.velocities, command.torques, command.stiffness, command.damping, q, v, limits, torques
    )
    if not finite:
        raise CommandNotFinite(command.time)
    return torques


@njit(cache=True)
def _limit(
    positions: np.ndarray,
    velocities: np.ndarray,
    feed_forward: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    limits: np.ndarray,
    torques: np.ndarray,
) -> bool:
    finite = True
    for i in range(limits.shape[0]):
        torque = feed_forward[i] + stiffness[i] * (positions[i] - q[i]) + damping[i] * (velocities[i] - v[i])
        finite &= np.isfinite(torque)
        torques[i] = min(max(torque, -limits[i]), limits[i])
    return finite
