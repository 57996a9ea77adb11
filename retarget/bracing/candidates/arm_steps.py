r"""An arm and the trunk, moved alone: joints that put a hand's ball at a place, its back along a normal.

.. math:: \min_{\Delta\theta} \|p^* - p - J_v \Delta\theta\|^2 + w_n \|z \times n - (I - z z^T) J_\omega \Delta\theta\|^2
    + w_p \|\theta_0 - \theta - \Delta\theta\|^2 + w_d \|\Delta\theta\|^2

a step after the other, each joint held at a limit that it would pass. A few microseconds a step, because nothing else is in
it: it tells which places are worth more, and there the whole body's inverse kinematics begin.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from handhold.robots.cholesky import factorise, solve_factored

STEPS, SHORT = 12, 0.02
"""Largest number of steps, and the motion of any joint under which there are no more [rad]."""

FACING, PULL, DAMPING = 0.01, 3e-4, 1e-4
"""Weights of the axis, of the pull to the joints that are preferred, and of a step [m^2/rad^2]."""

MAX_JOINT_STEP = 0.7
"""Largest motion of a joint in a step [rad]."""

_OPPOSITE = 1e-6


@njit(cache=True)
def solve_chain(
    root: np.ndarray,
    geometry: tuple[np.ndarray, np.ndarray, np.ndarray],
    limits: tuple[np.ndarray, np.ndarray],
    place: tuple[np.ndarray, np.ndarray],
    preferred: np.ndarray,
    joints: np.ndarray,
) -> tuple[float, float]:
    """Move a chain's joints to where its hand is at a place, or as near as it gets (see ``ArmChain.reach``).

    Args:
        root: Pose in world of what carries the chain, shape ``(4, 4)``.
        geometry: Placements of the joints in the one before, shape ``(k, 4, 4)``, their axes in their own frames, shape
            ``(k, 3)``, and the placement of the hand in the last one, shape ``(4, 4)``.
        limits: Lower and upper limits of the joints, shape ``(k,)`` each [rad].
        place: Position and normal, shape ``(3,)`` each.
        preferred: Joints to stay near to, shape ``(k,)`` [rad].
        joints: Overwritten, likewise.
    """
    lower, upper = limits
    position, normal = place
    count = len(joints)
    origins, turns = np.empty((count, 3)), np.empty((count, 3))
    rows, errors, motion = np.empty((6, count)), np.empty(6), np.empty(count)
    held = np.zeros(count, dtype=np.bool_)
    for step in range(STEPS + 1):
        tip = place_chain(root, geometry, joints, origins, turns)
        z = tip[:3, 2]
        cosine = z[0] * normal[0] + z[1] * normal[1] + z[2] * normal[2]
        for i in range(3):
            errors[i] = position[i] - tip[i, 3]
        distance = math.sqrt(errors[0] ** 2 + errors[1] ** 2 + errors[2] ** 2)
        if step == STEPS:
            break
        _fill_axis_error(tip, normal, cosine, errors)
        for k in range(count):
            a, b, c = turns[k]
            x, y, w = tip[0, 3] - origins[k, 0], tip[1, 3] - origins[k, 1], tip[2, 3] - origins[k, 2]
            rows[0, k], rows[1, k], rows[2, k] = b * w - c * y, c * x - a * w, a * y - b * x
            along = a * z[0] + b * z[1] + c * z[2]
            for i in range(3):
                rows[3 + i, k] = math.sqrt(FACING) * (turns[k, i] - along * z[i])
        held[:] = False
        while True:
            _find_motion(rows, errors, preferred - joints, held, motion)
            passed = False
            for k in range(count):
                at_limit = (joints[k] <= lower[k] and motion[k] < 0.0) or (joints[k] >= upper[k] and motion[k] > 0.0)
                if at_limit and not held[k]:
                    held[k] = passed = True
            if not passed:
                break
        largest = np.abs(motion).max()
        if largest < SHORT:
            break
        scale = min(1.0, MAX_JOINT_STEP / largest)
        for k in range(count):
            joints[k] = min(upper[k], max(lower[k], joints[k] + scale * motion[k]))
    return distance, cosine


@njit(cache=True)
def _fill_axis_error(tip: np.ndarray, normal: np.ndarray, cosine: float, errors: np.ndarray) -> None:
    """Fill the axis' part of the errors: its sine, and beyond a right angle as much as there, or it would not turn round."""
    z = tip[:3, 2]
    x, y, w = z[1] * normal[2] - z[2] * normal[1], z[2] * normal[0] - z[0] * normal[2], z[0] * normal[1] - z[1] * normal[0]
    size = math.sqrt(x * x + y * y + w * w)
    if cosine < 0.0 and size < _OPPOSITE:
        x, y, w, size = tip[0, 0], tip[1, 0], tip[2, 0], 1.0
    scale = math.sqrt(FACING) * (1.0 / size if cosine < 0.0 else 1.0)
    errors[3], errors[4], errors[5] = scale * x, scale * y, scale * w


@njit(cache=True)
def _find_motion(rows: np.ndarray, errors: np.ndarray, pull: np.ndarray, held: np.ndarray, motion: np.ndarray) -> None:
    """Solve the normal equations of a step by Cholesky, joints that are held left out."""
    count = len(pull)
    matrix = np.zeros((count, count))
    for k in range(count):
        motion[k] = 0.0
        if held[k]:
            matrix[k, k] = 1.0
            continue
        motion[k] = PULL * pull[k]
        for i in range(6):
            motion[k] += rows[i, k] * errors[i]
        for j in range(k + 1):
            total = DAMPING + PULL if k == j else 0.0
            if not held[j]:
                for i in range(6):
                    total += rows[i, k] * rows[i, j]
            matrix[k, j] = total
    factorise(matrix)
    solve_factored(matrix, motion)


@njit(cache=True)
def place_chain(
    root: np.ndarray,
    geometry: tuple[np.ndarray, np.ndarray, np.ndarray],
    joints: np.ndarray,
    origins: np.ndarray,
    turns: np.ndarray,
) -> np.ndarray:
    """Return the pose of the hand in world, shape ``(4, 4)``, and fill origins and axes of the joints, shape ``(k, 3)``."""
    placements, axes, tip = geometry
    pose = root
    for k in range(len(joints)):
        pose = _multiply(pose, placements[k])
        for i in range(3):
            origins[k, i] = pose[i, 3]
            turns[k, i] = pose[i, 0] * axes[k, 0] + pose[i, 1] * axes[k, 1] + pose[i, 2] * axes[k, 2]
        _turn(pose, axes[k], joints[k])
    return _multiply(pose, tip)


@njit(cache=True)
def _multiply(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    product = np.zeros((4, 4))
    for i in range(3):
        for j in range(4):
            total = first[i, 3] if j == 3 else 0.0
            for k in range(3):
                total += first[i, k] * second[k, j]
            product[i, j] = total
    product[3, 3] = 1.0
    return product


@njit(cache=True)
def _turn(pose: np.ndarray, axis: np.ndarray, angle: float) -> None:
    """Turn a pose about an axis of its own."""
    sine, cosine = math.sin(angle), math.cos(angle)
    a, b, c = axis
    for i in range(3):
        x, y, z = pose[i, 0], pose[i, 1], pose[i, 2]
        along = (1.0 - cosine) * (x * a + y * b + z * c)
        pose[i, 0] = cosine * x + sine * (y * c - z * b) + along * a
        pose[i, 1] = cosine * y + sine * (z * a - x * c) + along * b
        pose[i, 2] = cosine * z + sine * (x * b - y * a) + along * c
