"""Rotations and vectors for code that is compiled: logarithm, exponential, lengths."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
def rotation_log(R: np.ndarray, out: np.ndarray) -> None:
    r"""Fill ``out``, shape ``(3,)``, with the rotation vector of ``R``: axis times angle in [0, pi] [rad].

    .. math:: \log R = 2 \, \mathrm{atan2}(\|v\|, w) \, \frac{v}{\|v\|}

    of the unit quaternion :math:`(v, w)`, found by way of its largest component: exact near half a turn too, where the skew
    part of ``R`` vanishes.

    Args:
        R: Homogeneous pose or rotation; only its upper left ``(3, 3)`` is read.
        out: Filled.
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    largest, square = 0, 1.0 + 2.0 * R[0, 0] - trace
    for i in range(1, 4):
        candidate = 1.0 + trace if i == 3 else 1.0 + 2.0 * R[i, i] - trace
        if candidate > square:
            largest, square = i, candidate
    real = _fill_quaternion(R, largest, square, out)
    length = norm(out)
    factor = 2.0 if length < 1e-12 else 2.0 * math.atan2(length, real) / length
    for i in range(3):
        out[i] *= factor


@njit(cache=True)
def _fill_quaternion(R: np.ndarray, largest: int, square: float, out: np.ndarray) -> float:
    """Fill the vector of a unit quaternion whose real part is positive, and return that.

    Args:
        R: Rotation.
        largest: Index of its largest component, 3 for the real part.
        square: Four times the square of that.
        out: Filled, shape ``(3,)``.
    """
    # All times four times the largest component, at first.
    if largest == 3:
        out[0] = R[2, 1] - R[1, 2]
        out[1] = R[0, 2] - R[2, 0]
        out[2] = R[1, 0] - R[0, 1]
        real = square
    else:
        i = largest
        j = (i + 1) % 3
        k = (i + 2) % 3
        out[i] = square
        out[j] = R[j, i] + R[i, j]
        out[k] = R[k, i] + R[i, k]
        real = R[k, j] - R[j, k]
    length = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + real * real)
    if real < 0.0:
        length = -length
    for i in range(3):
        out[i] /= length
    return real / length


@njit(cache=True)
def compute_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Compute the rotation vector that turns one pose's orientation into another's: ``log(R_end R_start^T)``.

    Args:
        start: Homogeneous pose or rotation; only its upper left ``(3, 3)`` is read.
        end: The same.

    Returns:
        Rotation vector in the common axes, shape ``(3,)`` [rad], at most pi long.
    """
    turn = np.empty(3)
    rotation_log(multiply_transposed(end, start), turn)
    return turn


@njit(cache=True)
def turn_about_vertical(angle: float) -> np.ndarray:
    """Return the rotation about the vertical by an angle [rad], shape ``(3, 3)``."""
    turn = np.eye(3)
    turn[0, 0] = turn[1, 1] = math.cos(angle)
    turn[1, 0] = math.sin(angle)
    turn[0, 1] = -turn[1, 0]
    return turn


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
def multiply_transposed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute :math:`A B^T` of two rotations or the rotations of two poses, shape ``(3, 3)``."""
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
def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the vector product of two vectors, shape ``(3,)``."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@njit(cache=True)
def skew(v: np.ndarray) -> np.ndarray:
    r"""Return :math:`v_\times`, the matrix of the cross product with a vector, shapes ``(3, 3)`` and ``(3,)``."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@njit(cache=True)
def fill_exponential(turn: np.ndarray, rotation: np.ndarray, jacobian: np.ndarray) -> None:
    r"""Fill :math:`\exp(\phi_\times)` and its left Jacobian :math:`\int_0^1 \exp(s \phi_\times) ds`, shape ``(3, 3)`` each."""
    square = 0.0
    for i in range(3):
        square += turn[i] * turn[i]
    angle = np.sqrt(square)
    if angle < 1e-6:
        a, b, c = 1.0, 0.5, 1.0 / 6.0
    else:
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / square
        c = (1.0 - a) / square
    turned = skew(turn)
    for i in range(3):
        for j in range(3):
            twice = turn[i] * turn[j] - (square if i == j else 0.0)
            unit = 1.0 if i == j else 0.0
            rotation[i, j] = unit + a * turned[i, j] + b * twice
            jacobian[i, j] = unit + b * turned[i, j] + c * twice


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
