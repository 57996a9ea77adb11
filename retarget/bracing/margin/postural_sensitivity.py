r"""How much a change of posture alone would do for the stability region: the postural sensitivity [McCrory2024]_ (eq. 12).

.. math::

    s_q = \| N_h \nabla a^*(q) \|^2

:math:`N_h` is the null space projector of the tasks that must not be disturbed: contacts, the pose of the grasping hand, the
centre of mass from above. A joint near a limit that the gradient drives further counts as one that cannot move.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NEAR_LIMIT = 0.05
"""Distance from a joint's limit that is near [rad]."""

_SINGULAR = 1e-10
"""Damping of tasks that say the same, as a part of the mean square of their Jacobians."""

_BASE = 6


def project_gradient(
    gradient: np.ndarray,
    tasks: np.ndarray,
    joints: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray],
    *,
    near: float = NEAR_LIMIT,
) -> np.ndarray:
    r"""Compute :math:`N_h \nabla a^*`: the direction of the posture that moves the region's border and disturbs no task.

    A joint that is held stays, whatever the others do: what the projection drives further into a limit is held as well, until
    nothing is. That is more than the paper does, which drops the held joints' entries of the gradient.

    Args:
        gradient: With respect to velocities of the model, shape ``(nv,)`` [m/rad].
        tasks: Jacobians of the tasks of high priority, one above the other, shape ``(rows, nv)``.
        joints: Positions of the actuated joints, shape ``(n,)`` [rad].
        limits: Their lower and upper limits, shape ``(n,)`` each [rad].
        near: Distance from a limit that is near [rad].

    Returns:
        Shape ``(nv,)`` [m/rad]; 0 for held joints.
    """
    if not gradient.any():
        return np.zeros_like(gradient)

    def find_direction(held: np.ndarray) -> np.ndarray:
        return np.asarray(project_rows(np.where(held, 0.0, gradient)[None], np.where(held, 0.0, tasks))[0])

    return hold_at_limits(find_direction, gradient, joints, limits, near)


def hold_at_limits(
    find_direction: Callable[[np.ndarray], np.ndarray],
    first: np.ndarray,
    joints: np.ndarray,
    limits: tuple[np.ndarray, np.ndarray],
    near: float,
) -> np.ndarray:
    """Find a direction that drives no joint further that is near its limit.

    Args:
        find_direction: Finds a direction without some of the velocities, by which are held, shape ``(nv,)``, bool.
        first: What decides first which are held, shape ``(nv,)``.
        joints: Positions of the actuated joints, shape ``(n,)`` [rad].
        limits: Their lower and upper limits, shape ``(n,)`` each [rad].
        near: Distance from a limit that is near [rad].
    """
    low, high = joints < limits[0] + near, joints > limits[1] - near
    held = np.zeros(len(first), dtype=bool)
    direction = first
    while True:
        further = (low & (direction[_BASE:] < 0.0)) | (high & (direction[_BASE:] > 0.0))
        if direction is not first and not further.any():
            return direction
        held[_BASE:] |= further
        direction = find_direction(held)


def compute_postural_sensitivity(projected: np.ndarray) -> float:
    """Compute s_q from ``project_gradient``'s projected gradient, shape ``(nv,)`` (eq. 12) [m^2/rad^2]."""
    return float(projected @ projected)


def project_rows(gradients: np.ndarray, tasks: np.ndarray) -> np.ndarray:
    """Take the tasks' row space out of gradients, shape ``(k, nv)``."""
    gram = tasks @ tasks.T
    gram[np.diag_indices_from(gram)] += _SINGULAR * max(np.trace(gram) / max(len(gram), 1), 1e-300)
    inverse = np.linalg.inv(gram)
    left = gradients - (gradients @ tasks.T) @ inverse @ tasks
    # Once more takes out what rounding and damping have left.
    return np.asarray(left - (left @ tasks.T) @ inverse @ tasks)
