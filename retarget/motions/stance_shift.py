r"""How far a body goes along where two feet stand elsewhere than a motion has them.

With the feet of the motion at :math:`p_1, p_2`, displaced by :math:`d_1, d_2` where the robot's stand, and the motion's
centre of mass at c,

.. math::

    s = d_2 + \lambda (d_1 - d_2), \qquad \lambda = \frac{(c - p_2)^T e}{e^T e}, \quad e = p_1 - p_2 \text{ (from above)}:

over one foot the body is displaced as that foot is, half-way between them by the mean. The pendulum's equation
:math:`\ddot c = \omega^2 (c - z)` is linear, so that it holds for what this map makes of centre of mass and zero moment point
as it did before, while the displacements are constant; and what is over a sole stays over it. Displacements change slowly. The
forces of the motion are not mapped: they are hints to the controller.
"""

from __future__ import annotations

import numpy as np


def compute_stance_shift(com: np.ndarray, feet: np.ndarray, displacements: np.ndarray) -> np.ndarray:
    """Compute the displacement of a body, its velocity and its acceleration, shape ``(3, 3)``, a derivative a row.

    Args:
        com: The motion's centre of mass, its velocity and acceleration in world, shape ``(3, 3)``.
        feet: Likewise its two feet's positions, shape ``(2, 3, 3)``.
        displacements: Likewise of the feet's displacements, shape ``(2, 3, 3)``.
    """
    between = (feet[0] - feet[1])[:, :2]
    along = _multiply(com[:, :2] - feet[1][:, :2], between)
    ratio = _divide(along, _multiply(between, between))
    difference = displacements[0] - displacements[1]
    return displacements[1] + np.stack(
        [
            ratio[0] * difference[0],
            ratio[1] * difference[0] + ratio[0] * difference[1],
            ratio[2] * difference[0] + 2.0 * ratio[1] * difference[1] + ratio[0] * difference[2],
        ]
    )


def _multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the scalar product of two vectors and its derivatives, shape ``(3,)``, from theirs, shape ``(3, k)`` each."""
    return np.array([a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2.0 * a[1] @ b[1] + a[0] @ b[2]])


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a quotient and its derivatives, shape ``(3,)``, from those of two numbers, shape ``(3,)`` each."""
    value = a[0] / b[0]
    rate = (a[1] - value * b[1]) / b[0]
    return np.array([value, rate, (a[2] - 2.0 * rate * b[1] - value * b[2]) / b[0]])
