"""The law between a joint command and the torques of the motors."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.errors import CommandNotFinite, WrongGripperCount
from handhold.robots.model import RobotModel
from handhold.robots.robot import JointCommand

DAMPING = 0.05
"""Damping of a damped robot, as a part of each joint's torque limit per rad/s [s]."""


STABLE_PART = 0.5
"""Part of a joint's velocity that damping may take within one step of a simulation; from 2 on it would feed the joint."""


def compute_damping_gains(model: RobotModel, timestep: float) -> np.ndarray:
    r"""Compute the gains with which a simulated robot damps itself: :math:`d = \min(c\,\tau_{max},\ s / (h\,(M^{-1})_{ii}))`.

    A motor's electronics brake continuously. A simulation does so once a step ``h``: what stops a hip shakes a light wrist.

    Args:
        model: The robot; its inertia is that of the nominal posture.
        timestep: Step of the simulation [s].

    Returns:
        Gains on velocity, shape ``(n,)`` [Nms/rad].
    """
    mass_matrix = pin.crba(model.pinocchio, model.pinocchio.createData(), model.q_nominal)
    return limit_damping(DAMPING * model.motor_torques, compute_mobility(mass_matrix), timestep)


def limit_damping(gains: np.ndarray, mobility: np.ndarray, lag: np.ndarray | float) -> np.ndarray:
    r"""Limit gains on velocity to what is stable: :math:`d \leq s / (T\,(M^{-1})_{ii})`, shape ``(n,)`` [Nms/rad].

    Args:
        gains: Gains, shape ``(n,)`` [Nms/rad].
        mobility: See ``compute_mobility``.
        lag: How late the torques are, T [s].
    """
    return np.minimum(gains, STABLE_PART / (lag * mobility))


def compute_mobility(mass_matrix: np.ndarray) -> np.ndarray:
    r"""Compute what a torque alone accelerates each joint by, :math:`(M^{-1})_{ii}`, shape ``(n,)`` [1/(kg m^2)].

    It depends on the posture: two axes of a wrist that lie in one line leave hardly any inertia between them.

    Args:
        mass_matrix: Mass matrix of the floating robot, upper triangle, shape ``(nv, nv)``.
    """
    upper = np.triu(mass_matrix)
    return np.asarray(np.diag(np.linalg.inv(upper + np.triu(upper, 1).T))[6:])


def compute_damping_torques(gains: np.ndarray, v: np.ndarray, limits: np.ndarray) -> np.ndarray:
    r"""Compute the torques of a robot that damps its joints: :math:`\tau = -d v`, clipped to the limits.

    Args:
        gains: Gains on velocity, shape ``(n,)`` [Nms/rad].
        v: Joint velocities, shape ``(n,)`` [rad/s].
        limits: Largest torques of the motors, shape ``(n,)`` [Nm].

    Returns:
        Torques, shape ``(n,)`` [Nm].
    """
    return np.clip(-gains * v, -limits, limits)


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


def take_closings(command: JointCommand, before: np.ndarray) -> np.ndarray:
    """Return how far the grippers are to be closed by a command, or by the one before where it does not say.

    Raises:
        CommandNotFinite: The command has a NaN or an infinity in it.
        WrongGripperCount: It is for another number of grippers.
    """
    if not len(command.gripper_closings):
        return before
    if len(command.gripper_closings) != len(before):
        raise WrongGripperCount(len(command.gripper_closings), len(before))
    if not np.isfinite(command.gripper_closings).all():
        raise CommandNotFinite(command.time)
    return np.clip(command.gripper_closings, 0.0, 1.0)


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
