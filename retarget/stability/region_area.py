r"""The area of a stability region and its gradient, which gives where an approaching hand should touch (eq. 14).

It is the area of the polygon that the queries' vertices :math:`c_i` make: what is shown, and known without another query.
By :math:`A = \frac12 \sum_i c_i \times c_{i+1}` its gradient is that of the vertices, each along
:math:`w_i = \frac12 (y_{i+1} - y_{i-1}, x_{i-1} - x_{i+1})`, while the same rows limit each of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.stability.support_region import YAW_MOMENT, VertexMemory


def compute_area_weights(positions: np.ndarray) -> np.ndarray:
    """Compute the derivative of a polygon's area with respect to its vertices, shape ``(k, 2)`` [m]."""
    before, after = np.roll(positions, 1, axis=0), np.roll(positions, -1, axis=0)
    return 0.5 * np.stack([after[:, 1] - before[:, 1], before[:, 0] - after[:, 0]], axis=1)


def compute_area_position_gradient(memory: VertexMemory, weight: float) -> np.ndarray:
    """Compute the gradient of the area with respect to the contact points' positions.

    How a sole's force is shared among its corners is not unique: only the sum over a contact's points is.

    Args:
        memory: Vertices in directions in the order of their angles, as ``RegionProgram.find_extremes`` finds them.
        weight: Of the robot [N].

    Returns:
        Shape ``(k, 3)`` [m].
    """
    gradient = np.zeros(memory.forces.shape[1:])
    _sum_position_gradients(compute_area_weights(memory.positions), memory.forces, memory.prices, weight, gradient)
    return gradient


@njit(cache=True)
def _sum_position_gradients(
    directions: np.ndarray, forces: np.ndarray, prices: np.ndarray, weight: float, gradient: np.ndarray
) -> None:
    """Add what ``compute_position_gradient`` says of every vertex along its direction."""
    for d in range(len(directions)):
        a, b = directions[d]
        turning = a * prices[d, 0, YAW_MOMENT] + b * prices[d, 1, YAW_MOMENT]
        for k in range(len(gradient)):
            x, y, z = forces[d, k]
            gradient[k, 0] += (a * z - turning * y) / weight
            gradient[k, 1] += (b * z + turning * x) / weight
            gradient[k, 2] -= (a * x + b * y) / weight
