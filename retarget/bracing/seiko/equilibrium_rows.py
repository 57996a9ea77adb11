"""Kernels of the static equilibrium and of contacts that roll, without an allocation."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def place_wrenches_in_joints(
    wrenches: np.ndarray,
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    poses: np.ndarray,
    placements: np.ndarray,
    out: np.ndarray,
) -> None:
    """Express every contact's wrench at the origin and along the axes of the joint that carries it.

    What pushes a free effector is taken for a point contact without an arm.

    Args:
        wrenches: Stacked wrenches of the contacts, then the forces on what is pushed, shape ``(l + 3 pushed,)``.
        effectors: Indices of both, shape ``(contacts + pushed,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts + pushed, 3)`` [m].
        poses: Effector poses in world, shape ``(effectors, 4, 4)``.
        placements: Effectors in their joints, shape ``(effectors, 4, 4)``.
        out: Filled, shape ``(contacts + pushed, 6)``, force before moment.
    """
    local = np.zeros(6)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            local[:] = wrenches[6 * k : 6 * k + 6]
        else:
            o = 6 * planes + 3 * (k - planes)
            fx, fy, fz = wrenches[o], wrenches[o + 1], wrenches[o + 2]
            x, y, z = arms[k]
            mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
            for i in range(3):
                local[i] = poses[e, 0, i] * fx + poses[e, 1, i] * fy + poses[e, 2, i] * fz
                local[3 + i] = poses[e, 0, i] * mx + poses[e, 1, i] * my + poses[e, 2, i] * mz
        for i in range(3):
            out[k, i] = 0.0
            out[k, 3 + i] = 0.0
            for j in range(3):
                out[k, i] += placements[e, i, j] * local[j]
                out[k, 3 + i] += placements[e, i, j] * local[3 + j]
        x, y, z = placements[e, 0, 3], placements[e, 1, 3], placements[e, 2, 3]
        fx, fy, fz = out[k, 0], out[k, 1], out[k, 2]
        out[k, 3] += y * fz - z * fy
        out[k, 4] += z * fx - x * fz
        out[k, 5] += x * fy - y * fx


@njit(cache=True)
def add_point_force_terms(
    derivative: np.ndarray,
    wrenches: np.ndarray,
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    jacobians: np.ndarray,
) -> None:
    r"""Correct the static torque's derivative for forces fixed in the world rather than in the body (eq. 11-12).

    Pinocchio turns external forces with their joint. A point contact's force f and its moment m about the contact frame's
    origin stay put in world axes, which takes :math:`J_v^T [f]_\times J_\omega + J_\omega^T [m]_\times J_\omega` off the
    derivative of :math:`G - J^T \lambda`.

    Args:
        derivative: Corrected in place, shape ``(nv, nv)``.
        wrenches: Stacked wrenches of the contacts, then the forces on what is pushed, shape ``(l + 3 pushed,)``.
        effectors: Indices of both, shape ``(contacts + pushed,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        jacobians: Effector Jacobians with world axes, shape ``(effectors, 6, nv)``.
    """
    nv = derivative.shape[0]
    for k in range(planes, effectors.shape[0]):
        J = jacobians[effectors[k]]
        o = 6 * planes + 3 * (k - planes)
        fx, fy, fz = wrenches[o], wrenches[o + 1], wrenches[o + 2]
        x, y, z = arms[k]
        mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
        for j in range(nv):
            wx, wy, wz = J[3, j], J[4, j], J[5, j]
            if wx == 0.0 and wy == 0.0 and wz == 0.0:
                continue
            cx, cy, cz = fy * wz - fz * wy, fz * wx - fx * wz, fx * wy - fy * wx
            dx, dy, dz = my * wz - mz * wy, mz * wx - mx * wz, mx * wy - my * wx
            for i in range(nv):
                derivative[i, j] -= J[0, i] * cx + J[1, i] * cy + J[2, i] * cz
                derivative[i, j] -= J[3, i] * dx + J[4, i] * dy + J[5, i] * dz


@njit(cache=True)
def scale_down(errors: np.ndarray, limit: float) -> None:
    """Shorten a vector, shape ``(k,)``, in place so that no component is larger than ``limit``; its direction stays."""
    largest = 0.0
    for error in errors:
        largest = max(largest, abs(error))
    if largest > limit:
        errors *= limit / largest


@njit(cache=True)
def compute_rolling(arm: np.ndarray, jacobian: np.ndarray, step: np.ndarray) -> np.ndarray:
    r"""Compute how far a ball's centre moves when it rolls: :math:`r \times J_\omega \Delta q`, in world axes.

    Args:
        arm: Vector r from the centre to where the ball touches, shape ``(3,)`` [m].
        jacobian: Jacobian of the effector with world axes, shape ``(6, nv)``, linear rows first.
        step: Step :math:`\Delta q`, shape ``(nv,)``.

    Returns:
        Shape ``(3,)`` [m].
    """
    x, y, z = np.dot(jacobian[3], step), np.dot(jacobian[4], step), np.dot(jacobian[5], step)
    return np.array([arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x])
