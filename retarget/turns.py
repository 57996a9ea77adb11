"""Turns and vectors for code that is compiled.

Numba keeps compiled code in a cache by the file of the caller: after a change here, touch the files that import this one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
def compute_relative_command(hand: np.ndarray, hand_at_start: np.ndarray, reference_at_start: np.ndarray) -> np.ndarray:
    r"""Compute where a hand's motion since the clutch closed asks its effector to go.

    .. math::

        p = p_{ref,0} + (p_{hand} - p_{hand,0}), \qquad R = R_{hand} R_{hand,0}^T R_{ref,0}

    Args:
        hand: Pose of the operator's hand now, in world, homogeneous, shape ``(4, 4)``.
        hand_at_start: The same when the clutch closed.
        reference_at_start: Reference pose of the effector when the clutch closed, homogeneous, shape ``(4, 4)``.

    Returns:
        Commanded pose of the effector in world, homogeneous, shape ``(4, 4)``.
    """
    turn = _multiply_transposed(hand, hand_at_start)
    command = np.eye(4)
    for i in range(3):
        command[i, 3] = reference_at_start[i, 3] + (hand[i, 3] - hand_at_start[i, 3])
        for j in range(3):
            command[i, j] = (
                turn[i, 0] * reference_at_start[0, j]
                + turn[i, 1] * reference_at_start[1, j]
                + turn[i, 2] * reference_at_start[2, j]
            )
    return command


@njit(cache=True)
def compute_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Compute the rotation vector that turns one pose's orientation into another's: ``log(R_end R_start^T)``.

    Args:
        start: Homogeneous pose or rotation; only its upper left ``(3, 3)`` is read.
        end: The same.

    Returns:
        Rotation vector in the common axes, shape ``(3,)`` [rad], at most pi long.
    """
    return _log(_multiply_transposed(end, start))


@njit(cache=True)
def rotate(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Turn a vector by a rotation vector (Rodrigues' formula)."""
    angle = norm(turn)
    if angle < 1e-12:
        return vector.copy()
    axis = turn / angle
    along = dot(axis, vector) * (1.0 - math.cos(angle))
    sine = math.sin(angle)
    cosine = math.cos(angle)
    turned = np.empty(3)
    turned[0] = cosine * vector[0] + sine * (axis[1] * vector[2] - axis[2] * vector[1]) + along * axis[0]
    turned[1] = cosine * vector[1] + sine * (axis[2] * vector[0] - axis[0] * vector[2]) + along * axis[1]
    turned[2] = cosine * vector[2] + sine * (axis[0] * vector[1] - axis[1] * vector[0]) + along * axis[2]
    return turned


@njit(cache=True)
def _log(rotation: np.ndarray) -> np.ndarray:
    """Compute a rotation vector by way of the largest component of the quaternion: exact near half a turn too."""
    squares = np.empty(4)
    trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    squares[3] = 1.0 + trace
    for i in range(3):
        squares[i] = 1.0 + 2.0 * rotation[i, i] - trace
    largest = 0
    for i in range(1, 4):
        if squares[i] > squares[largest]:
            largest = i
    quat_xyzw = _complete_quaternion(rotation, largest, squares[largest])
    vector = quat_xyzw[:3]
    length = norm(vector)
    if length < 1e-12:
        return 2.0 * vector
    return (2.0 * math.atan2(length, quat_xyzw[3]) / length) * vector


@njit(cache=True)
def _complete_quaternion(rotation: np.ndarray, largest: int, square: float) -> np.ndarray:
    """Fill four times the quaternion times its largest component, then make it a unit with a positive real part."""
    quat_xyzw = np.empty(4)
    if largest == 3:
        quat_xyzw[0] = rotation[2, 1] - rotation[1, 2]
        quat_xyzw[1] = rotation[0, 2] - rotation[2, 0]
        quat_xyzw[2] = rotation[1, 0] - rotation[0, 1]
        quat_xyzw[3] = square
    else:
        i = largest
        j = (i + 1) % 3
        k = (i + 2) % 3
        quat_xyzw[i] = square
        quat_xyzw[j] = rotation[j, i] + rotation[i, j]
        quat_xyzw[k] = rotation[k, i] + rotation[i, k]
        quat_xyzw[3] = rotation[k, j] - rotation[j, k]
    length = math.sqrt(np.sum(quat_xyzw * quat_xyzw))
    if quat_xyzw[3] < 0.0:
        length = -length
    return quat_xyzw / length


@njit(cache=True)
def _multiply_transposed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            product[i, j] = a[i, 0] * b[j, 0] + a[i, 1] * b[j, 1] + a[i, 2] * b[j, 2]
    return product


@njit(cache=True)
def dot(a: np.ndarray, b: np.ndarray) -> float:
    """Compute the scalar product of two vectors, shape ``(3,)``."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def norm(vector: np.ndarray) -> float:
    """Compute the length of a vector, shape ``(3,)``."""
    return math.sqrt(dot(vector, vector))


@njit(cache=True)
def clip(vector: np.ndarray, maximum: float) -> None:
    """Shorten a vector, shape ``(3,)``, in place to a largest length; its direction stays."""
    length = norm(vector)
    if length > maximum:
        vector *= maximum / length
